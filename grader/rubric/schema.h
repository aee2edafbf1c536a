// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubric/yaml.h"

namespace warpgrade {

/// How a value of type T is written. `read` gives nothing where the value is no `what`, which its
/// caller reports, or where it has reported more exact mistakes itself.
template <class T>
struct Type {
  std::string what;  ///< "a number from 0 to 100": completes "must be ..." and "write ...".
  std::function<std::optional<T>(const Yaml&, Diagnostics&)> read;
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

Type<std::string>
text_type();  ///< Any text that is not empty; line breaks and runs of blanks become one space.
Type<std::string> name_type();        ///< [A-Za-z0-9._-]{1,64}, not beginning with '.' or '-'.
Type<std::string> identifier_type();  ///< [A-Za-z_][A-Za-z0-9_]*
Type<long> integer_type(long least, long most);
Type<double> number_type(double least, double most);  ///< Never NaN or infinite.

template <class T>
Type<T> choice_type(std::vector<std::pair<std::string, T>> choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  return {fmt::format("one of {}", fmt::join(words, ", ")),
          [choices](const Yaml& value, Diagnostics&) {
            for (const auto& [word, meaning] : choices) {
              if (value.kind == Yaml::Kind::kScalar && value.text == word)
                return std::optional<T>(meaning);
            }
            return std::optional<T>();
          }};
}

template <class T>
Type<std::vector<T>> list_type(Type<T> element) {
  return {"a list",
          [element](const Yaml& value, Diagnostics& errors) -> std::optional<std::vector<T>> {
            if (value.kind != Yaml::Kind::kList) return std::nullopt;
            std::vector<T> list;
            for (const Yaml& each : value.elements) {
              if (errors.full()) break;
              if (auto read = read_as(element, each, "this element", errors))
                list.push_back(std::move(*read));
            }
            return list;
          }};
}

template <class T>
Type<std::vector<T>> nonempty_list_type(Type<T> element) {
  const Type<std::vector<T>> list = list_type(element);
  return {"a list of at least one", [list](const Yaml& value, Diagnostics& errors) {
            return value.elements.empty() ? std::nullopt : list.read(value, errors);
          }};
}

/// The keys of one map, each asked for once. What was not asked for by finish() is unknown.
class Fields {
 public:
  /// `subject` names the map in messages: "case 'small'". A value that is no map is reported here.
  Fields(const Yaml& map, std::string subject, Diagnostics& errors);

  template <class T, class Into>
  void required(const std::string& key, const Type<T>& type, Into& into) {
    if (const Yaml* value = find(key)) {
      take(key, type, *value, into);
    } else if (map_.kind == Yaml::Kind::kMap) {
      errors_.add(map_.place,
                  fmt::format("{} has no '{}'; add '{}:' with {}", subject_, key, key, type.what));
    }
  }

  /// Leaves `into` as it is where the key is absent.
  template <class T, class Into>
  void optional(const std::string& key, const Type<T>& type, Into& into) {
    if (const Yaml* value = find(key)) take(key, type, *value, into);
  }

  bool has(std::string_view key) const { return map_.find(key) != nullptr; }

  /// Reports every key that was not asked for.
  void finish();

 private:
  const Yaml* find(const std::string& key);

  template <class T, class Into>
  void take(const std::string& key, const Type<T>& type, const Yaml& value, Into& into) {
    if (auto read = read_as(type, value, fmt::format("'{}'", key), errors_))
      into = static_cast<Into>(std::move(*read));
  }

  const Yaml& map_;
  std::string subject_;
  Diagnostics& errors_;
  std::vector<std::string> known_;
};

}  // namespace warpgrade
