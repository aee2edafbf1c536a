// SPDX-License-Identifier: MIT
#include "report/formats/sheet.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The one that the first line has most of, outside of quotes.
char separator_of(std::string_view bytes) {
  constexpr std::string_view kSeparators = ",;\t";
  size_t counts[kSeparators.size()] = {};
  bool quoted = false;
  for (const char c : bytes) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    const size_t which = kSeparators.find(c);
    if (which != std::string_view::npos) ++counts[which];
  }
  return kSeparators[static_cast<size_t>(std::max_element(std::begin(counts), std::end(counts)) -
                                         std::begin(counts))];
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

/// Reads the cell that begins at `at`, and gives the place behind it.
size_t Sheet::read_cell(size_t at, SheetCell& cell, bool& is_open) const {
  cell.begin = at;
  is_open = at < bytes_.size() && bytes_[at] == '"';
  if (is_open) ++at;
  for (; at < bytes_.size(); ++at) {
    const char c = bytes_[at];
    const bool is_doubled = is_open && c == '"' && at + 1 < bytes_.size() && bytes_[at + 1] == '"';
    if (is_doubled) {
      cell.text += bytes_[at++];
    } else if (is_open && c == '"') {
      is_open = false;
    } else if (!is_open && (c == separator_ || is_line_end(c))) {
      break;
    } else {
      cell.text += c;
    }
  }
  cell.end = at;
  return at;
}

Result<Sheet> Sheet::parse(std::string bytes, std::string_view name) {
  if (bytes.find('\0') != std::string::npos)
    return Error{fmt::format(
        "{} is no CSV file in UTF-8: take the file as the LMS gives it, before a spreadsheet has "
        "saved it",
        name)};
  Sheet sheet(std::move(bytes));
  size_t at = sheet.bytes_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  sheet.separator_ = separator_of(std::string_view(sheet.bytes_).substr(at));
  while (at < sheet.bytes_.size()) {
    std::vector<SheetCell>& row = sheet.rows_.emplace_back();
    bool is_open = false;
    while (true) {
      at = sheet.read_cell(at, row.emplace_back(), is_open);
      if (at >= sheet.bytes_.size() || is_line_end(sheet.bytes_[at])) break;
      ++at;
    }
    if (is_open)
      return Error{
          fmt::format("{}: the quote that opens in row {} is never closed: the file is cut off",
                      name, sheet.rows_.size())};
    const bool is_pair = sheet.bytes_.compare(at, 2, "\r\n") == 0;
    at += is_pair ? 2 : 1;
  }
  if (sheet.rows_.empty()) return Error{fmt::format("{} is empty", name)};
  return sheet;
}

std::string_view Sheet::text(size_t row, size_t column) const {
  if (row >= rows_.size() || column >= rows_[row].size()) return {};
  return rows_[row][column].text;
}

bool Sheet::fill(size_t row, size_t column, const std::string& text) {
  if (row >= rows_.size() || column >= rows_[row].size()) return false;
  SheetCell& cell = rows_[row][column];
  const bool is_quoted = cell.begin < cell.end && bytes_[cell.begin] == '"';
  filled_[cell.begin] = {cell.end, is_quoted ? '"' + text + '"' : text};
  cell.text = text;
  return true;
}

std::string Sheet::bytes() const {
  std::string out;
  size_t at = 0;
  for (const auto& [begin, change] : filled_) {
    out.append(bytes_, at, begin - at);
    out += change.second;
    at = change.first;
  }
  return out.append(bytes_, at);
}

}  // namespace warpgrade
