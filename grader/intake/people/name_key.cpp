// SPDX-License-Identifier: MIT
#include "intake/people/name_key.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace warpgrade {
namespace {

struct Letter {
  uint32_t code;
  std::string_view folded;  ///< Decomposed, in lower case.
  std::string_view plain;   ///< Without accents, in Latin letters.
  bool is_mark;
};

constexpr Letter kLetters[] = {
#include "fold_table.inc"
};

const Letter* find_letter(uint32_t code) {
  const Letter* found =
      std::lower_bound(std::begin(kLetters), std::end(kLetters), code,
                       [](const Letter& letter, uint32_t wanted) { return letter.code < wanted; });
  return found != std::end(kLetters) && found->code == code ? found : nullptr;
}

/// One character of a text: its bytes, and its code point where they are UTF-8.
struct Character {
  std::string_view bytes;
  uint32_t code;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::string_view bytes = text.substr(0, length);
    if (bytes.size() < length || !is_utf8(bytes)) {
      characters.push_back({text.substr(0, 1), 0});
      text.remove_prefix(1);
      continue;
    }
    uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    for (const char next : bytes.substr(1))
      code = code << 6 | (static_cast<unsigned char>(next) & 0x3F);
    characters.push_back({bytes, code});
    text.remove_prefix(length);
  }
  return characters;
}

/// The parts of `folded`, marks behind a letter in one order: the same accents may be typed in several.
std::string sort_marks(const std::string& folded) {
  std::string sorted;
  std::vector<Character> marks;
  const auto flush = [&] {
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Character& a, const Character& b) { return a.code < b.code; });
    for (const Character& mark : marks) sorted += mark.bytes;
    marks.clear();
  };
  for (const Character& each : characters_of(folded)) {
    const Letter* letter = find_letter(each.code);
    if (letter != nullptr && letter->is_mark) {
      marks.push_back(each);
      continue;
    }
    flush();
    sorted += each.bytes;
  }
  flush();
  return sorted;
}

void append_code(std::string& text, uint32_t code) {
  text += static_cast<char>(0xE0 | code >> 12);
  text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  text += static_cast<char>(0x80 | (code & 0x3F));
}

/// Unicode's chapter 3.12: the parts of a Hangul syllable follow from its number.
bool append_hangul(std::string& text, uint32_t code) {
  constexpr uint32_t kFirst = 0xAC00, kEnd = 0xD7A4, kVowels = 21, kTails = 28;
  constexpr uint32_t kLeadJamo = 0x1100, kVowelJamo = 0x1161, kTailJamo = 0x11A7;
  if (code < kFirst || code >= kEnd) return false;
  const uint32_t number = code - kFirst, tail = number % kTails;
  append_code(text, kLeadJamo + number / (kVowels * kTails));
  append_code(text, kVowelJamo + number / kTails % kVowels);
  if (tail != 0) append_code(text, kTailJamo + tail);
  return true;
}

bool is_blank(const Character& character) {
  constexpr uint32_t kNoBreakSpace = 0xA0;
  return character.code == kNoBreakSpace ||
         (character.bytes.size() == 1 &&
          std::isspace(static_cast<unsigned char>(character.bytes[0])) != 0);
}

}  // namespace

bool is_id_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

std::string name_key(std::string_view name) {
  std::string folded;
  for (const Character& each : characters_of(name)) {
    const Letter* letter = find_letter(each.code);
    if (is_blank(each)) {
      if (!folded.empty() && folded.back() != ' ') folded += ' ';
    } else if (letter != nullptr) {
      folded += letter->folded;
    } else if (append_hangul(folded, each.code)) {
      continue;
    } else if (each.bytes.size() == 1) {
      folded += static_cast<char>(std::tolower(static_cast<unsigned char>(each.bytes[0])));
    } else {
      folded += each.bytes;
    }
  }
  if (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return sort_marks(folded);
}

std::string person_key(std::string_view name) {
  const size_t comma = name.find(',');
  if (comma == std::string_view::npos) return name_key(name);
  return name_key(std::string(name.substr(comma + 1)) + ' ' + std::string(name.substr(0, comma)));
}

std::string ascii_name(std::string_view name) {
  std::string ascii;
  const auto add = [&ascii](char c) {
    const char safe = is_id_byte(c) ? c : '_';
    if (safe != '_' || ascii.empty() || ascii.back() != '_') ascii += safe;
  };
  for (const Character& each : characters_of(name)) {
    const Letter* letter = find_letter(each.code);
    for (const char c : letter != nullptr ? letter->plain : each.bytes) add(c);
  }
  return ascii;
}

std::string numbered_id(std::string_view name, std::string_view number) {
  std::string id = ascii_name(name);
  id.erase(0, std::min(id.find_first_not_of('_'), id.size()));
  id.erase(id.find_last_not_of('_') + 1);
  return id.empty() ? ascii_name(number) : id + '_' + ascii_name(number);
}

}  // namespace warpgrade
