// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpgrade {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

/// A code point at the start of a text; a length of 0 where there is none in valid UTF-8.
struct CodePoint {
  char32_t value = 0;
  size_t length = 0;
};

CodePoint code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || length > text.size()) return {};
  char32_t value = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    value = value << 6 | (next & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || is_surrogate) return {};
  return {value, length};
}

/// Code points that steer a terminal, turn the direction of a text or hide in it. Line breaks and tabs do not.
bool is_hidden(char32_t value) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kHidden[] = {
      {0x00, 0x08},     {0x0B, 0x1F},     {0x7F, 0x9F},        // C0, delete, C1
      {0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E},    // marks and embeddings of direction
      {0x2066, 0x2069}, {0x2028, 0x2029}, {0xFEFF, 0xFEFF},    // isolates, separators, byte order
      {0x200B, 0x200B}, {0x2060, 0x2064}, {0xE0000, 0xE007F},  // without width, tags
  };
  return std::any_of(std::begin(kHidden), std::end(kHidden), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

/// As JSON writes it, in one or two units of UTF-16.
std::string json_escape(char32_t value) {
  if (value < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(value));
  const uint32_t rest = static_cast<uint32_t>(value) - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  return fmt::format("{}", fmt::join(pieces, separator));
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr size_t kShortLetters = 3;  // of which two others make any word
  std::string best;
  size_t best_distance =
      (word.size() <= kShortLetters ? 1 : std::max<size_t>(2, word.size() / 3)) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = code_point(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint next = code_point(text);
    const size_t length = std::max<size_t>(next.length, 1);
    if (next.length == 0 || (next.length == 1 && is_hidden(next.value))) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_hidden(next.value)) {
      out += fmt::format("\\u{{{:04x}}}", static_cast<uint32_t>(next.value));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string printable_json(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const CodePoint next = code_point(json);
    const size_t length = std::max<size_t>(next.length, 1);
    if (next.length != 0 && is_hidden(next.value)) {
      out += json_escape(next.value);
    } else {
      out += json.substr(0, length);
    }
    json.remove_prefix(length);
  }
  return out;
}

std::string counted(long count, std::string_view noun) {
  const bool hisses =
      noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with("s") || noun.ends_with("x");
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace warpgrade
