// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubric/yaml.h"

namespace warpgrade {

using Json = nlohmann::ordered_json;

/// How a value of type T is written: one registration, which the reader reads by and from which the
/// JSON Schema and the reference page are made.
template <class T>
struct Type {
  std::string what;  ///< "a number from 0 to 100": completes "must be ..." and "write ...".
  /// Gives nothing where the value is no `what`, which its caller reports, or where it has reported
  /// more exact mistakes itself.
  std::function<std::optional<T>(const Yaml&, Diagnostics&)> read;
  std::function<Json()> schema;              ///< JSON Schema (draft 7) of the values.
  std::function<Json(const T&)> write = {};  ///< For the defaults in the schema; may be empty.
};

/// What `value` is, for "not ...".
std::string describe(const Yaml& value);

/// Reads `value`, named `subject` in messages; any mistake is reported.
template <class T>
std::optional<T> read_as(const Type<T>& type, const Yaml& value, const std::string& subject,
                         Diagnostics& errors) {
  const size_t known = errors.count();
  std::optional<T> read = type.read(value, errors);
  if (!read && errors.count() == known) {
    errors.add(value.place,
               fmt::format("{} must be {}, not {}", subject, type.what, describe(value)));
  }
  return read;
}

/// `type` with another `what`.
template <class T>
Type<T> called(std::string what, Type<T> type) {
  type.what = std::move(what);
  return type;
}

Type<std::string>
text_type();  ///< Any text that is not empty; line breaks and runs of blanks become one space.
Type<std::string> name_type();        ///< [A-Za-z0-9._-]{1,64}, not beginning with '.' or '-'.
Type<std::string> identifier_type();  ///< [A-Za-z_][A-Za-z0-9_]*
Type<long> integer_type(long least, long most);
Type<double> number_type(double least, double most);  ///< Never NaN or infinite.

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T>
Type<T> choice_type(Choices<T> choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  return {fmt::format("one of {}", fmt::join(words, ", ")),
          [choices](const Yaml& value, Diagnostics&) {
            for (const auto& [word, meaning] : choices) {
              if (value.kind == Yaml::Kind::kScalar && value.text == word)
                return std::optional<T>(meaning);
            }
            return std::optional<T>();
          },
          [words] {
            return Json{{"enum", words}};
          },
          [choices](const T& meaning) {
            for (const auto& [word, each] : choices) {
              if (each == meaning) return Json(word);
            }
            return Json();
          }};
}

/// The longest list. It bounds the time that a file takes.
constexpr size_t kMostElements = 256;

template <class T>
Type<std::vector<T>> list_type(Type<T> element) {
  return {"a list",
          [element](const Yaml& value, Diagnostics& errors) -> std::optional<std::vector<T>> {
            if (value.kind != Yaml::Kind::kList) return std::nullopt;
            if (value.elements.size() > kMostElements) {
              errors.add(value.place, fmt::format("the list has {} elements; {} are the most",
                                                  value.elements.size(), kMostElements));
              return std::nullopt;
            }
            std::vector<T> list;
            for (const Yaml& each : value.elements) {
              if (errors.full()) break;
              if (auto read = read_as(element, each, "this element", errors))
                list.push_back(std::move(*read));
            }
            return list;
          },
          [element] {
            Json items = element.schema();
            items["$comment"] = element.what;
            return Json{{"type", "array"}, {"items", items}, {"maxItems", kMostElements}};
          },
          [element](const std::vector<T>& list) {
            Json words = Json::array();
            for (const T& each : list)
              words.push_back(element.write ? element.write(each) : Json());
            return words;
          }};
}

template <class T>
Type<std::vector<T>> nonempty_list_type(Type<T> element) {
  const Type<std::vector<T>> list = list_type(element);
  return {"a list of at least one",
          [list](const Yaml& value, Diagnostics& errors) {
            return value.elements.empty() ? std::nullopt : list.read(value, errors);
          },
          [list] {
            Json schema = list.schema();
            schema["minItems"] = 1;
            return schema;
          },
          list.write};
}

/// One way to write a T: `{name: ...}`.
template <class T>
struct Alternative {
  std::string name;
  std::string about;
  Type<T> type;
};

/// A map of exactly one key, which says what its value is. A value that is no such map gives nothing.
template <class T>
Type<T> one_key_type(std::string what, std::string noun, std::vector<Alternative<T>> all);

/// The keys of one map, each asked for once: in a map that is being read, what was not asked for by
/// finish() is unknown. Or, without a map, what their schema is made from.
class Fields {
 public:
  /// `subject` names the map in messages: "case 'small'". A value that is no map is reported here.
  Fields(const Yaml& map, std::string subject, Diagnostics& errors);
  /// Describes only.
  Fields() = default;

  /// `about` is a sentence or two for the author of a file.
  template <class T, class Into>
  void required(const std::string& key, const Type<T>& type, Into& into, std::string_view about) {
    if (map_ == nullptr) {
      describe_key(key, type.schema(), type.what, about);
      required_.push_back(key);
    } else if (const Yaml* value = find(key)) {
      take(key, type, *value, into);
    } else {
      report_missing(key, type.what);
    }
  }

  /// Leaves `into` as it is where the key is absent.
  template <class T, class Into>
  void optional(const std::string& key, const Type<T>& type, Into& into, std::string_view about) {
    if (map_ == nullptr) {
      Json schema = type.schema();
      if constexpr (std::is_convertible_v<Into, T>) {
        const Json standard = type.write ? type.write(into) : Json();
        if (!standard.empty() && standard != "") schema["default"] = standard;
      }
      describe_key(key, std::move(schema), type.what, about);
    } else if (const Yaml* value = find(key)) {
      take(key, type, *value, into);
    }
  }

  /// A required key whose value says which other keys there are: `others` asks for those, given the
  /// value.
  template <class T, class Into, class F>
  void choose(const std::string& key, const Choices<T>& choices, Into& into, std::string_view about,
              F others) {
    const Type<T> type = choice_type<T>(choices);
    required(key, type, into, about);
    if (map_ == nullptr) {
      for (const auto& [word, meaning] : choices) {
        Fields branch;
        others(branch, meaning);
        add_branch(key, word, branch);
      }
      return;
    }
    const Yaml* value = map_->find(key);
    const std::optional<T> read = value ? type.read(*value, *errors_) : std::nullopt;
    if (read) {
      others(*this, *read);
    } else {
      any_key_ = true;  // Which keys belong depends on the choice.
    }
  }

  /// Exactly one of these groups of keys is there, and whole. Each key is also asked for as optional.
  void exactly_one(const std::vector<std::vector<std::string>>& groups);
  /// At least one of these keys is there. Each is also asked for as optional.
  void at_least_one(const std::vector<std::string>& keys);
  /// Not both of these keys.
  void at_most_one(const std::array<std::string, 2>& keys);
  /// `also` is what the schema demands besides, and the reader where `holds` is false: `message` is
  /// told at `key`.
  void demand(const Json& also, bool holds, const std::string& key, const std::string& message);

  /// Reports every key that was not asked for.
  void finish();

  /// The schema of a map with the keys that were asked for.
  Json schema() const;

 private:
  const Yaml* find(const std::string& key);
  void report_missing(const std::string& key, const std::string& what);
  void describe_key(const std::string& key, Json schema, const std::string& what,
                    std::string_view about);
  void add_branch(const std::string& key, const std::string& word, const Fields& branch);

  template <class T, class Into>
  void take(const std::string& key, const Type<T>& type, const Yaml& value, Into& into) {
    if (auto read = read_as(type, value, fmt::format("'{}'", key), *errors_))
      into = static_cast<Into>(std::move(*read));
  }

  const Yaml* map_ = nullptr;  ///< Null where this only describes.
  std::string subject_;
  Diagnostics* errors_ = nullptr;
  std::vector<std::string> known_;
  bool any_key_ = false;

  Json properties_ = Json::object();
  std::vector<std::string> required_;
  Json all_of_ = Json::array();  ///< Further demands.
  Json branches_ = Json::array();
};

/// A map that `read` takes from its fields, which leaves what is absent as in `standard`.
template <class T, class F>
Type<T> map_type(std::string subject, F read, T standard = T()) {
  return {"a map of 'key: value'",
          [subject, read, standard](const Yaml& value, Diagnostics& errors) -> std::optional<T> {
            const size_t known = errors.count();
            Fields fields(value, subject, errors);
            T into = standard;
            read(fields, into);
            fields.finish();
            return errors.count() == known ? std::optional<T>(std::move(into)) : std::nullopt;
          },
          [read, standard] {
            Fields fields;
            T into = standard;
            read(fields, into);
            return fields.schema();
          }};
}

/// "unknown rule 'x'; did you mean 'y'?", or which there are.
std::string unknown_word(std::string_view noun, const std::string& word,
                         const std::vector<std::string>& known);

/// `{properties: ..., one key only}`.
Json one_key_schema(Json properties);

template <class T>
Type<T> one_key_type(std::string what, std::string noun, std::vector<Alternative<T>> all) {
  return {std::move(what),
          [noun, all](const Yaml& value, Diagnostics& errors) -> std::optional<T> {
            if (value.kind != Yaml::Kind::kMap || value.elements.size() != 1) return std::nullopt;
            const Yaml& key = value.keys[0];
            std::vector<std::string> names;
            for (const Alternative<T>& each : all) {
              names.push_back(each.name);
              if (each.name == key.text)
                return read_as(each.type, value.elements[0], fmt::format("'{}'", key.text), errors);
            }
            errors.add(key.place, unknown_word(noun, key.text, names));
            return std::nullopt;
          },
          [all] {
            Json properties = Json::object();
            for (const Alternative<T>& each : all) {
              properties[each.name] = each.type.schema();
              properties[each.name]["description"] = each.about;
              properties[each.name]["$comment"] = each.type.what;
            }
            return one_key_schema(std::move(properties));
          }};
}

}  // namespace warpgrade
