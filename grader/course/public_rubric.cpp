// SPDX-License-Identifier: MIT
#include "course/public_rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "rubric/rubric.h"
#include "rubric/yaml.h"

namespace warpgrade {
namespace {

using Kind = Yaml::Kind;

std::string text_at(const Yaml& map, std::string_view key) {
  const Yaml* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

/// Single quotes hold any text of one line; rubrics have no other.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

/// A value on one line, braces and brackets around maps and lists.
std::string flow(const Yaml& value) {
  std::vector<std::string> parts;
  switch (value.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kScalar:
      return value.quoted || value.text.find_first_not_of(
                                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "._-+*/() ") != std::string::npos
                 ? quoted(value.text)
                 : value.text;
    case Kind::kList:
      for (const Yaml& each : value.elements) parts.push_back(flow(each));
      return fmt::format("[{}]", join(parts, ", "));
    case Kind::kMap:
      for (size_t i = 0; i < value.keys.size(); ++i)
        parts.push_back(fmt::format("{}: {}", value.keys[i].text, flow(value.elements[i])));
      return fmt::format("{{{}}}", join(parts, ", "));
  }
  return "";
}

/// The top level in block style, and each case and item as a block of its own.
std::string block(const Yaml& root) {
  std::string out;
  for (size_t i = 0; i < root.keys.size(); ++i) {
    const Yaml& value = root.elements[i];
    const bool list_of_maps = value.kind == Kind::kList && !value.elements.empty() &&
                              value.elements[0].kind == Kind::kMap;
    if (!list_of_maps) {
      out += fmt::format("{}: {}\n", root.keys[i].text, flow(value));
      continue;
    }
    out += root.keys[i].text + ":\n";
    for (const Yaml& map : value.elements) {
      for (size_t k = 0; k < map.keys.size(); ++k)
        out += fmt::format("{}{}: {}\n", k == 0 ? "  - " : "    ", map.keys[k].text,
                           flow(map.elements[k]));
    }
  }
  return out;
}

/// Keeps the elements of a list of ids that `ids` holds.
void keep(Yaml* list, const std::set<std::string>& ids) {
  if (list == nullptr || list->kind != Kind::kList) return;
  std::erase_if(list->elements, [&](const Yaml& id) { return ids.count(id.text) == 0; });
}

std::set<std::string> ids_of(const Yaml& list) {
  std::set<std::string> ids;
  for (const Yaml& map : list.elements) ids.insert(text_at(map, "id"));
  return ids;
}

void drop_key(Yaml& map, std::string_view key) {
  for (size_t i = map.keys.size(); i-- > 0;) {
    if (map.keys[i].text != key) continue;
    map.keys.erase(map.keys.begin() + static_cast<long>(i));
    map.elements.erase(map.elements.begin() + static_cast<long>(i));
  }
}

double points_of(const Yaml& item) {
  const std::string text = text_at(item, "points");
  double points = 0;
  std::from_chars(text.data(), text.data() + text.size(), points);
  return points;
}

/// Leaves out what no public case judges, and returns its points.
double drop_hidden_items(Yaml& items, const std::set<std::string>& cases) {
  double hidden_points = 0;
  for (Yaml& item : items.elements) keep(item.find("cases"), cases);
  std::erase_if(items.elements, [&](const Yaml& item) {
    const Yaml* judged_by = item.find("cases");
    const bool hidden =
        judged_by != nullptr && judged_by->kind == Kind::kList && judged_by->elements.empty();
    if (hidden) hidden_points += points_of(item);
    return hidden;
  });
  const std::set<std::string> left = ids_of(items);
  for (Yaml& item : items.elements)
    for (const char* key : {"needs", "where_passed"}) keep(item.find(key), left);
  return hidden_points;
}

}  // namespace

Result<std::string> public_rubric(std::string_view text, std::string_view name,
                                  const Translation* translation) {
  if (const Result<Rubric> rubric = parse_rubric(text, name, {}, translation); !rubric)
    return rubric.error();
  Diagnostics errors(name, text);
  Yaml root = parse_yaml(text, errors);
  if (translation != nullptr) translate(root, *translation);
  Yaml* cases = root.find("cases");
  Yaml* items = root.find("items");
  std::erase_if(cases->elements,
                [](const Yaml& each) { return text_at(each, "visibility") != "public"; });
  const double hidden_points = drop_hidden_items(*items, ids_of(*cases));
  if (Yaml* const plots = root.find("plots"); plots != nullptr) {
    for (Yaml& plot : plots->elements) keep(plot.find("cases"), ids_of(*cases));
    std::erase_if(plots->elements, [](Yaml& plot) {
      const Yaml* const shown = plot.find("cases");
      return shown->kind == Kind::kList && shown->elements.empty();
    });
    if (plots->elements.empty()) drop_key(root, "plots");
  }
  // The staff's reasons, which may speak of hidden cases.
  for (Yaml& item : items->elements) drop_key(item, "leaves_out");
  if (cases->elements.empty() || items->elements.empty())
    return Error{
        fmt::format("{}: no public case judges any item, so students would have nothing "
                    "to test by; make one 'visibility: public'",
                    name)};
  return block(root) + fmt::format("hidden_points: {}\n", hidden_points);
}

std::string public_course(const Course& course, const std::string& language) {
  const Limits& limits = course.limits;
  return fmt::format(
      "language: {}\n"
      "devices: [{}]\n"
      "limits: {{wall_s: {}, memory_mb: {}, output_kb: {}, processes: {}, compile_s: {}, "
      "launch_instructions: {}}}\n",
      language, join(course.devices, ", "), limits.wall_s, limits.memory_mb, limits.output_kb,
      limits.processes, limits.compile_s, limits.launch_instructions);
}

}  // namespace warpgrade
