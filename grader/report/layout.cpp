// SPDX-License-Identifier: MIT
#include "report/layout.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

bool begins_character(char byte) { return (byte & 0xC0) != 0x80; }

/// Bytes of the first `columns` characters.
size_t bytes_of(std::string_view text, size_t columns) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && seen++ == columns) break;
  }
  return at;
}

std::string blanks(std::string_view text, size_t columns) {
  return std::string(columns - std::min(columns, text_width(text)), ' ');
}

}  // namespace

size_t text_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::vector<std::string> wrap(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : split(text, '\n')) {
    std::string_view rest = paragraph;
    while (text_width(rest) > columns) {
      const size_t limit = bytes_of(rest, columns);
      const size_t blank = rest.rfind(' ', limit);
      const size_t end = blank == std::string_view::npos || blank == 0 ? limit : blank;
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    lines.emplace_back(rest);
  }
  return lines;
}

std::string shorten(std::string_view text, size_t columns) {
  if (text_width(text) <= columns) return std::string(text);
  return std::string(text.substr(0, bytes_of(text, columns - 3))) + "...";
}

std::string pad_left(std::string_view text, size_t columns) {
  return blanks(text, columns) + std::string(text);
}

std::string pad_right(std::string_view text, size_t columns) {
  return std::string(text) + blanks(text, columns);
}

}  // namespace warpgrade
