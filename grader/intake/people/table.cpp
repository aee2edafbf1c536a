// SPDX-License-Identifier: MIT
#include "intake/people/table.h"

#include <algorithm>

#include "base/text.h"
#include "intake/people/name_key.h"

namespace warpgrade {
namespace {

/// Takes a file apart, record by record. A quoted cell may hold line ends.
class Records {
 public:
  Records(std::string_view csv, char separator) : csv_(csv), separator_(separator) {}

  bool done() const { return csv_.empty(); }

  Table::Row next() {
    Table::Row row{line_, {""}};
    bool quoted = false;
    while (!csv_.empty()) {
      const char c = csv_[0];
      csv_.remove_prefix(1);
      if (c == '\n') ++line_;
      if (c == '\n' && !quoted) break;
      if (quoted && c == '"' && !csv_.empty() && csv_[0] == '"') {
        row.cells.back() += c;
        csv_.remove_prefix(1);
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == separator_ && !quoted) {
        row.cells.emplace_back();
      } else {
        row.cells.back() += c;
      }
    }
    for (std::string& cell : row.cells) cell = trim(cell);
    return row;
  }

 private:
  std::string_view csv_;
  char separator_;
  int line_ = 1;
};

char separator_of(std::string_view csv) {
  const std::string_view header = csv.substr(0, csv.find('\n'));
  char best = ',';
  for (const char each : {';', '\t'}) {
    if (std::count(header.begin(), header.end(), each) >
        std::count(header.begin(), header.end(), best))
      best = each;
  }
  return best;
}

}  // namespace

std::optional<size_t> Table::column(const std::vector<std::string_view>& titles) const {
  for (const std::string_view title : titles) {
    for (size_t i = 0; i < header.size(); ++i) {
      if (name_key(header[i]) == name_key(title)) return i;
    }
  }
  return std::nullopt;
}

std::string Table::cell(const Row& row, std::optional<size_t> column) {
  return column && *column < row.cells.size() ? row.cells[*column] : "";
}

Table parse_table(std::string_view csv) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  Records records(csv, separator_of(csv));
  Table table;
  table.header = records.next().cells;
  while (!records.done()) {
    Table::Row row = records.next();
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    if (!std::all_of(row.cells.begin(), row.cells.end(), is_empty))
      table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpgrade
