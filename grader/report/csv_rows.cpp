// SPDX-License-Identifier: MIT
#include "report/csv_rows.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Reads a file from its first byte to its last.
class CsvReader {
 public:
  explicit CsvReader(std::string_view csv) : csv_(csv) {}

  std::vector<CsvRow> read() {
    for (at_ = 0; at_ < csv_.size(); ++at_) take(csv_[at_]);
    end_row();
    return std::move(rows_);
  }

 private:
  void take(char c) {
    if (is_quoted_ && c == '"' && at_ + 1 < csv_.size() && csv_[at_ + 1] == '"') {
      row_.cells.back() += csv_[at_++];
    } else if (c == '"') {
      is_quoted_ = !is_quoted_;
    } else if (c == ',' && !is_quoted_) {
      row_.cells.emplace_back();
    } else if (c == '\n' && !is_quoted_) {
      end_row();
    } else {
      row_.cells.back() += c;
    }
    if (c != '\n') return;
    ++line_;
    if (!is_quoted_) row_.line = line_;
  }

  void end_row() {
    for (std::string& cell : row_.cells) cell = trim(cell);
    const bool has_text = std::any_of(row_.cells.begin(), row_.cells.end(),
                                      [](const std::string& cell) { return !cell.empty(); });
    if (has_text) rows_.push_back(row_);
    row_ = {row_.line, {""}};
  }

  std::string_view csv_;
  size_t at_ = 0;
  int line_ = 1;
  bool is_quoted_ = false;
  CsvRow row_{1, {""}};
  std::vector<CsvRow> rows_;
};

}  // namespace

std::vector<CsvRow> read_csv_rows(std::string_view csv) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  return CsvReader(csv).read();
}

}  // namespace warpgrade
