// SPDX-License-Identifier: MIT
#include "rubric/read_args.h"

#include <algorithm>
#include <limits>

#include "rubric/check_items.h"

namespace warpgrade {
namespace {

constexpr long kMostArgument = std::numeric_limits<int>::max();  // What a driver can take.

/// A word, or a whole number.
Type<std::variant<long, std::string>> arg_type() {
  using Value = std::variant<long, std::string>;
  const Type<long> number = integer_type(-kMostArgument, kMostArgument);
  const Type<std::string> word = identifier_type();
  return {"a whole number or a word",
          [number, word](const Yaml& value, Diagnostics& errors) -> std::optional<Value> {
            if (const auto read = number.read(value, errors)) return Value(*read);
            // No text but a word: 1.5 or 010 would reach the driver as it is.
            const auto read = word.read(value, errors);
            return read ? std::optional<Value>(*read) : std::nullopt;
          },
          [number, word] {
            return Json{{"anyOf", Json::array({number.schema(), word.schema()})}};
          }};
}

/// Reports a value that is of another kind than the argument it replaces.
bool check_replaces(const Yaml& name, const Arg& value, Place place, const std::vector<Arg>& args,
                    Diagnostics& errors) {
  std::vector<std::string> names;
  for (const Arg& arg : args) names.push_back(arg.name);
  if (!check_known(name, "argument", names, errors)) return false;
  const auto replaced = std::find_if(args.begin(), args.end(),
                                     [&](const Arg& arg) { return arg.name == value.name; });
  if (replaced->value.index() == value.value.index()) return true;
  errors.add(place, fmt::format("'{}' is {} in 'args'; it must be one here too", value.name,
                                replaced->value.index() == 0 ? "a whole number" : "a word"));
  return false;
}

}  // namespace

Type<std::vector<Arg>> args_type() {
  return {"a map of the driver's arguments in order",
          [](const Yaml& map, Diagnostics& errors) -> std::optional<std::vector<Arg>> {
            if (map.kind != Yaml::Kind::kMap) return std::nullopt;
            std::vector<Arg> args;
            for (size_t i = 0; i < map.keys.size(); ++i) {
              const std::string& name = map.keys[i].text;
              read_as(identifier_type(), map.keys[i], "an argument's name", errors);
              // A wrong one still counts as there: formulas that name it are not wrong too.
              const auto value =
                  read_as(arg_type(), map.elements[i], fmt::format("'{}'", name), errors);
              args.push_back({name, value.value_or(1L)});
            }
            return args;
          },
          [] {
            return Json{{"type", "object"},
                        {"propertyNames", identifier_type().schema()},
                        {"additionalProperties", arg_type().schema()}};
          }};
}

Type<std::vector<Arg>> on_gpu_type(const std::vector<Arg>& args) {
  const Type<std::vector<Arg>> any = args_type();
  return {"a map of at least one of the arguments",
          [&args, any](const Yaml& map, Diagnostics& errors) -> std::optional<std::vector<Arg>> {
            if (map.keys.empty()) return std::nullopt;
            const size_t known = errors.count();
            std::optional<std::vector<Arg>> replaced = any.read(map, errors);
            if (!replaced || errors.count() != known) return std::nullopt;
            bool fits = true;
            for (size_t i = 0; i < map.keys.size(); ++i)
              fits = check_replaces(map.keys[i], (*replaced)[i], map.elements[i].place, args,
                                    errors) &&
                     fits;
            return fits ? replaced : std::nullopt;
          },
          [any] {
            Json schema = any.schema();
            schema["minProperties"] = 1;
            return schema;
          }};
}

}  // namespace warpgrade
