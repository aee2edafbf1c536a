// SPDX-License-Identifier: MIT
#include "rubric/schema.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "base/text.h"

namespace warpgrade {
namespace {

bool is_word_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_byte(char c) { return is_word_byte(c) || c == '.' || c == '-'; }

std::string one_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string line, word;
  while (words >> word) line += line.empty() ? word : ' ' + word;
  return line;
}

/// The whole of an unquoted scalar as a number. "010" is none: YAML 1.1 would read it as 8.
template <class T>
std::optional<T> parse_number(const Yaml& value) {
  const std::string& text = value.text;
  const size_t digits = text.find_first_not_of('-');
  const bool octal =
      digits + 1 < text.size() && text[digits] == '0' && std::isdigit(text[digits + 1]);
  if (value.kind != Yaml::Kind::kScalar || value.quoted || octal) return std::nullopt;
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class T>
Type<T> ranged(std::string_view noun, T least, T most) {
  return {fmt::format("{} from {} to {}", noun, least, most), [=](const Yaml& value, Diagnostics&) {
            std::optional<T> number = parse_number<T>(value);
            // Written so that NaN is outside.
            if (number && !(*number >= least && *number <= most)) number.reset();
            return number;
          }};
}

/// Scalars whose text `accepts`.
template <class F>
Type<std::string> scalar_type(std::string what, F accepts) {
  return {std::move(what), [accepts](const Yaml& value, Diagnostics&) {
            const bool fits = value.kind == Yaml::Kind::kScalar && accepts(value.text);
            return fits ? std::optional(value.text) : std::nullopt;
          }};
}

}  // namespace

std::string describe(const Yaml& value) {
  switch (value.kind) {
    case Yaml::Kind::kNull:
      return "nothing";
    case Yaml::Kind::kList:
      return value.elements.empty() ? "an empty list" : "a list";
    case Yaml::Kind::kMap:
      return "a map";
    case Yaml::Kind::kScalar:
      break;
  }
  const std::string shown = value.text.size() > 40 ? value.text.substr(0, 40) + "..." : value.text;
  return value.quoted ? fmt::format("the text \"{}\"", shown) : fmt::format("'{}'", shown);
}

Type<std::string> text_type() {
  return {"a text", [](const Yaml& value, Diagnostics&) -> std::optional<std::string> {
            if (value.kind != Yaml::Kind::kScalar || trim(value.text).empty()) return std::nullopt;
            return one_line(value.text);
          }};
}

Type<std::string> name_type() {
  return scalar_type("a name of at most 64 letters, digits, '.', '_' and '-'",
                     [](const std::string& text) {
                       return !text.empty() && text.size() <= 64 && is_word_byte(text[0]) &&
                              std::all_of(text.begin(), text.end(), is_name_byte);
                     });
}

Type<std::string> identifier_type() {
  return scalar_type("a name of letters, digits and '_'", [](const std::string& text) {
    return !text.empty() && text.size() <= 64 &&
           !std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::all_of(text.begin(), text.end(), is_word_byte);
  });
}

Type<long> integer_type(long least, long most) {
  return ranged<long>("a whole number", least, most);
}

Type<double> number_type(double least, double most) {
  return ranged<double>("a number", least, most);
}

Fields::Fields(const Yaml& map, std::string subject, Diagnostics& errors)
    : map_(map), subject_(std::move(subject)), errors_(errors) {
  if (map.kind != Yaml::Kind::kMap) {
    errors.add(map.place,
               fmt::format("{} must be a map of 'key: value', not {}", subject_, describe(map)));
  }
}

const Yaml* Fields::find(const std::string& key) {
  known_.push_back(key);
  return map_.find(key);
}

void Fields::finish() {
  for (const Yaml& key : map_.keys) {
    if (errors_.full()) break;
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
    const std::string meant = nearest(key.text, known_);
    const std::string remedy = meant.empty() ? fmt::format("it takes {}", join(known_, ", "))
                                             : fmt::format("did you mean '{}'?", meant);
    errors_.add(key.place, fmt::format("unknown key '{}' in {}; {}", key.text, subject_, remedy));
  }
}

}  // namespace warpgrade
