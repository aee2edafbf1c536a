// SPDX-License-Identifier: MIT
#include "rubric/schema.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>
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
Type<T> ranged(std::string_view noun, const char* json_type, T least, T most) {
  return {fmt::format("{} from {} to {}", noun, least, most),
          [=](const Yaml& value, Diagnostics&) {
            std::optional<T> number = parse_number<T>(value);
            // Written so that NaN is outside.
            if (number && !(*number >= least && *number <= most)) number.reset();
            return number;
          },
          [=] {
            return Json{{"type", json_type}, {"minimum", least}, {"maximum", most}};
          },
          [](const T& number) {
            const long whole = static_cast<long>(number);
            return static_cast<T>(whole) == number ? Json(whole) : Json(number);
          }};
}

/// What other readers of YAML take this unquoted word for, or empty.
std::string_view other_meaning(const std::string& text) {
  static const std::regex number(
      "[-+]?(0o[0-7]+|0x[0-9a-fA-F]+|[0-9]+|(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?|"
      "\\.(inf|Inf|INF))|\\.(nan|NaN|NAN)");
  static const std::regex truth("true|True|TRUE|false|False|FALSE");
  if (text.size() > 64) return "";
  if (std::regex_match(text, number)) return "a number";
  return std::regex_match(text, truth) ? "a truth value" : "";
}

/// Scalars whose text `accepts`, which matches `pattern` too.
template <class F>
Type<std::string> scalar_type(std::string what, const char* pattern, F accepts) {
  return {std::move(what),
          [accepts](const Yaml& value, Diagnostics& errors) -> std::optional<std::string> {
            if (value.kind != Yaml::Kind::kScalar || !accepts(value.text)) return std::nullopt;
            const std::string_view meaning = value.quoted ? "" : other_meaning(value.text);
            if (meaning.empty()) return value.text;
            errors.add(value.place, fmt::format("'{}' is {}; to make it a text, put it into quotes",
                                                value.text, meaning));
            return std::nullopt;
          },
          [pattern] {
            return Json{{"type", "string"}, {"pattern", pattern}};
          },
          [](const std::string& text) { return Json(text); }};
}

}  // namespace

std::string describe(const Yaml& value) {
  switch (value.kind) {
    case Yaml::Kind::kNull:
      return "nothing";
    case Yaml::Kind::kList:
      return value.elements.empty() ? "an empty list" : "a list";
    case Yaml::Kind::kMap:
      return value.elements.empty() ? "an empty map" : "a map";
    case Yaml::Kind::kScalar:
      break;
  }
  const std::string shown = value.text.size() > 40 ? value.text.substr(0, 40) + "..." : value.text;
  return value.quoted ? fmt::format("the text \"{}\"", shown) : fmt::format("'{}'", shown);
}

Type<std::string> text_type() {
  Type<std::string> type =
      scalar_type("a text", "\\S", [](const std::string& text) { return !trim(text).empty(); });
  type.read = [read = type.read](const Yaml& value, Diagnostics& errors) {
    const std::optional<std::string> text = read(value, errors);
    return text ? std::optional(one_line(*text)) : std::nullopt;
  };
  return type;
}

Type<std::string> name_type() {
  return scalar_type("a name of at most 64 letters, digits, '.', '_' and '-'",
                     "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$", [](const std::string& text) {
                       return !text.empty() && text.size() <= 64 && is_word_byte(text[0]) &&
                              std::all_of(text.begin(), text.end(), is_name_byte);
                     });
}

Type<std::string> identifier_type() {
  return scalar_type("a name of letters, digits and '_'", "^[A-Za-z_][A-Za-z0-9_]{0,63}$",
                     [](const std::string& text) {
                       return !text.empty() && text.size() <= 64 &&
                              !std::isdigit(static_cast<unsigned char>(text[0])) &&
                              std::all_of(text.begin(), text.end(), is_word_byte);
                     });
}

Type<long> integer_type(long least, long most) {
  return ranged<long>("a whole number", "integer", least, most);
}

Type<double> number_type(double least, double most) {
  return ranged<double>("a number", "number", least, most);
}

std::string unknown_word(std::string_view noun, const std::string& word,
                         const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return fmt::format("unknown {} '{}'; {}", noun, word,
                     meant.empty() ? fmt::format("the {}s are {}", noun, join(known, ", "))
                                   : fmt::format("did you mean '{}'?", meant));
}

Json one_key_schema(Json properties) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"minProperties", 1},
          {"maxProperties", 1}};
}

Fields::Fields(const Yaml& map, std::string subject, Diagnostics& errors)
    : map_(&map), subject_(std::move(subject)), errors_(&errors) {
  if (map.kind != Yaml::Kind::kMap) {
    errors.add(map.place,
               fmt::format("{} must be a map of 'key: value', not {}", subject_, describe(map)));
  }
}

void Fields::report_missing(const std::string& key, const std::string& what) {
  if (map_->kind != Yaml::Kind::kMap) return;
  errors_->add(map_->place,
               fmt::format("{} has no '{}'; add '{}:' with {}", subject_, key, key, what));
}

void Fields::describe_key(const std::string& key, Json schema, const std::string& what,
                          std::string_view about) {
  schema["description"] = about;
  schema["$comment"] = what;
  properties_[key] = std::move(schema);
}

void Fields::add_branch(const std::string& key, const std::string& word, const Fields& branch) {
  branches_.push_back({{"key", key}, {"word", word}, {"schema", branch.schema()}});
}

void Fields::exactly_one(const std::vector<std::vector<std::string>>& groups) {
  Json choices = Json::array();
  std::vector<std::string> words;
  size_t begun = 0;
  std::string missing;
  for (const std::vector<std::string>& group : groups) {
    choices.push_back({{"required", group}});
    words.push_back("'" + join(group, "' and '") + "'");
    const bool is_begun =
        map_ != nullptr && std::any_of(group.begin(), group.end(), [&](const std::string& key) {
          return map_->find(key) != nullptr;
        });
    begun += is_begun;
    for (const std::string& key : group) {
      if (is_begun && map_->find(key) == nullptr) missing = key;
    }
  }
  if (map_ == nullptr) {
    all_of_.push_back({{"oneOf", choices}});
  } else if (map_->kind == Yaml::Kind::kMap && (begun != 1 || !missing.empty())) {
    errors_->add(map_->place, fmt::format("{} takes either {}", subject_, join(words, ", or ")));
  }
}

void Fields::at_least_one(const std::vector<std::string>& keys) {
  Json choices = Json::array();
  bool any = false;
  for (const std::string& key : keys) {
    choices.push_back(Json{{"required", Json::array({key})}});
    any = any || (map_ != nullptr && map_->find(key) != nullptr);
  }
  if (map_ == nullptr) {
    all_of_.push_back({{"anyOf", choices}});
  } else if (!any && map_->kind == Yaml::Kind::kMap) {
    errors_->add(map_->place,
                 fmt::format("{} has none of '{}'; add one", subject_, join(keys, "', '")));
  }
}

void Fields::at_most_one(const std::array<std::string, 2>& keys) {
  if (map_ == nullptr) {
    all_of_.push_back({{"not", {{"required", keys}}}});
  } else if (const Yaml* second = map_->find(keys[1]); second && map_->find(keys[0])) {
    errors_->add(second->place, fmt::format("'{}' and '{}' exclude each other; remove one of them",
                                            keys[0], keys[1]));
  }
}

void Fields::demand(const Json& also, bool holds, const std::string& key,
                    const std::string& message) {
  if (map_ == nullptr) {
    all_of_.push_back(also);
  } else if (const Yaml* value = map_->find(key); value != nullptr && !holds) {
    errors_->add(value->place, message);
  }
}

/// `{type: object, ...}` that allows no other key.
Json object_schema(Json properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

Json Fields::schema() const {
  Json schema = object_schema(properties_, required_);
  Json all_of = all_of_;
  for (const Json& branch : branches_) {
    // Each branch closes the map for itself, so it repeats the keys that all have.
    Json then = branch["schema"];
    for (const auto& [key, property] : properties_.items()) then["properties"][key] = true;
    then.erase("type");
    all_of.push_back({{"if",
                       {{"properties", {{branch["key"], {{"const", branch["word"]}}}}},
                        {"required", Json::array({branch["key"]})}}},
                      {"then", then}});
  }
  if (!branches_.empty()) schema.erase("additionalProperties");
  if (!all_of.empty()) schema["allOf"] = all_of;
  return schema;
}

const Yaml* Fields::find(const std::string& key) {
  known_.push_back(key);
  return map_->find(key);
}

void Fields::finish() {
  if (map_ == nullptr || any_key_) return;
  for (const Yaml& key : map_->keys) {
    if (errors_->full()) break;
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
    const std::string meant = nearest(key.text, known_);
    const std::string remedy = meant.empty() ? fmt::format("it takes {}", join(known_, ", "))
                                             : fmt::format("did you mean '{}'?", meant);
    errors_->add(key.place, fmt::format("unknown key '{}' in {}; {}", key.text, subject_, remedy));
  }
}

}  // namespace warpgrade
