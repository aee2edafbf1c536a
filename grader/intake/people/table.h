// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// A CSV file as LMSs and spreadsheets write it.
struct Table {
  struct Row {
    int line = 1;  ///< Where it begins, counted from 1.
    std::vector<std::string> cells;
  };

  std::vector<std::string> header;
  std::vector<Row> rows;  ///< Without empty ones.

  /// The column whose title is one of `titles`, in any case of letters; the first title counts most.
  std::optional<size_t> column(const std::vector<std::string_view>& titles) const;
  /// Empty where the row is too short, or where there is no such column.
  static std::string cell(const Row& row, std::optional<size_t> column);
};

/// RFC 4180 with a byte order mark, CRLF, and ',', ';' or a tab between cells, whichever the header holds most. Cells
/// lose the blanks around them.
Table parse_table(std::string_view csv);

}  // namespace warpgrade
