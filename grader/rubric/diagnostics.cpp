// SPDX-License-Identifier: MIT
#include "rubric/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace warpgrade {
namespace {

// Lines are shown to their width in an editor; a hostile one must not fill the terminal.
constexpr size_t kShownBytes = 160;

bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

/// Characters, not bytes: UTF-8 continuation bytes take no column.
size_t width(std::string_view text) {
  return text.size() -
         static_cast<size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

/// Without the carriage return of an editor on Windows, and cut at the end of a character.
std::string_view shown(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  size_t end = std::min(line.size(), kShownBytes);
  while (end < line.size() && continues_character(line[end])) --end;
  return line.substr(0, end);
}

/// What stands before the caret: as wide as what stands before the place.
std::string margin(const Mistake& mistake) {
  std::string blank;
  for (const char byte : mistake.source) {
    if (width(blank) + 1 >= static_cast<size_t>(mistake.column)) break;
    if (!continues_character(byte)) blank += byte == '\t' ? '\t' : ' ';
  }
  blank.resize(std::max(blank.size(), static_cast<size_t>(mistake.column - 1)), ' ');
  return blank;
}

}  // namespace

void Diagnostics::add(Place place, std::string message) {
  if (++count_ <= kMost) found_.push_back({place, std::move(message)});
}

std::vector<Mistake> Diagnostics::mistakes() const {
  const std::vector<std::string> lines = split(text_, '\n');
  std::vector<Found> sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Found& a, const Found& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::vector<Mistake> all;
  for (const Found& each : sorted) {
    const auto row = static_cast<size_t>(each.place.line - 1);
    const std::string_view line = row < lines.size() ? std::string_view(lines[row]) : "";
    const size_t before = std::min(line.size(), static_cast<size_t>(each.place.column - 1));
    all.push_back({name_, each.place.line, static_cast<int>(width(line.substr(0, before))) + 1,
                   printable(each.message), printable(shown(line))});
  }
  return all;
}

std::string Diagnostics::format() const {
  const std::string more =
      count_ > kMost ? fmt::format("{}: and more; these {} come first\n", name_, kMost) : "";
  return format_text(mistakes()) + more;
}

std::string format_text(const std::vector<Mistake>& mistakes) {
  std::string out;
  for (const Mistake& mistake : mistakes) {
    out += fmt::format("{}:{}:{}: error: {}\n", mistake.file, mistake.line, mistake.column,
                       mistake.message);
    if (!mistake.source.empty() && mistake.column <= static_cast<int>(kShownBytes))
      out += fmt::format("{}\n{}^\n", mistake.source, margin(mistake));
  }
  return out;
}

std::string format_json(const std::vector<Mistake>& mistakes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Mistake& each : mistakes) {
    list.push_back({{"file", each.file},
                    {"line", each.line},
                    {"column", each.column},
                    {"severity", "error"},
                    {"message", each.message},
                    {"source", each.source}});
  }
  return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace warpgrade
