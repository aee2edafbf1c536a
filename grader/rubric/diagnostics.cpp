// SPDX-License-Identifier: MIT
#include "rubric/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

// Lines are shown to their width in an editor; a hostile one must not fill the terminal.
constexpr size_t kShownBytes = 160;

/// Characters, not bytes: UTF-8 continuation bytes take no column.
size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/// Without the carriage return of an editor on Windows.
std::string_view trim_end(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

void Diagnostics::add(Place place, std::string message) {
  mistakes_.push_back({place, std::move(message)});
}

std::string Diagnostics::format_one(const Mistake& mistake, std::string_view line) const {
  const std::string_view before = line.substr(0, static_cast<size_t>(mistake.place.column - 1));
  std::string out = fmt::format("{}:{}:{}: error: {}\n", name_, mistake.place.line,
                                width(before) + 1, printable(mistake.message));
  if (line.empty() || before.size() >= kShownBytes) return out;
  std::string blank;
  for (const char byte : before) {
    if ((byte & 0xC0) != 0x80) blank += byte == '\t' ? '\t' : ' ';
  }
  return out + fmt::format("{}\n{}^\n", printable(line.substr(0, kShownBytes)), blank);
}

std::string Diagnostics::format() const {
  const std::vector<std::string> lines = split(text_, '\n');
  std::vector<Mistake> sorted = mistakes_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Mistake& a, const Mistake& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::string out;
  for (const Mistake& mistake : sorted) {
    const auto row = static_cast<size_t>(mistake.place.line - 1);
    out += format_one(mistake, row < lines.size() ? trim_end(lines[row]) : "");
  }
  return out;
}

}  // namespace warpgrade
