// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// One row of a CSV file.
struct CsvRow {
  int line = 0;  ///< Where it begins, from 1.
  std::vector<std::string> cells;
};

/// The rows of a CSV file (RFC 4180) as spreadsheets write it: a byte-order mark, CRLF, and line breaks in quotes are
/// taken. Cells come without blanks at their ends; rows without any text are left out.
std::vector<CsvRow> read_csv_rows(std::string_view csv);

}  // namespace warpgrade
