// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// One cell: where its bytes lie, quotes included, and the text that it stands for.
struct SheetCell {
  size_t begin = 0, end = 0;
  std::string text;
};

/// A CSV file that another program wrote. Filled cells change; all other bytes stay: byte order mark, line ends,
/// quotes and the order of rows.
class Sheet {
 public:
  /// Finds the separator (comma, semicolon or tab) in the first line. An Error that begins with `name` where the file
  /// is no such text.
  static Result<Sheet> parse(std::string bytes, std::string_view name);

  /// The first one is the header. Rows may have fewer cells than it has.
  const std::vector<std::vector<SheetCell>>& rows() const { return rows_; }
  char separator() const { return separator_; }

  /// The cell's text; empty where the row ends before it.
  std::string_view text(size_t row, size_t column) const;

  /// Replaces the cell's text, and keeps its quotes where it has them. False where the row has no such cell.
  /// `text` holds no quote, separator or line end.
  bool fill(size_t row, size_t column, const std::string& text);

  std::string bytes() const;

 private:
  explicit Sheet(std::string bytes) : bytes_(std::move(bytes)) {}
  size_t read_cell(size_t at, SheetCell& cell, bool& is_open) const;

  std::string bytes_;
  char separator_ = ',';
  std::vector<std::vector<SheetCell>> rows_;
  std::map<size_t, std::pair<size_t, std::string>>
      filled_;  ///< By the first byte: the end, the new bytes.
};

}  // namespace warpgrade
