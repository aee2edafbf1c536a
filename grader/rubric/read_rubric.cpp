// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.h"
#include "emulator/runtime/device_table.h"
#include "rubric/read_parts.h"
#include "rubric/rubric.h"
#include "rubric/schema.h"

namespace warpgrade {
namespace {

constexpr long kMostOfAnArgument = std::numeric_limits<int>::max();  // what a driver can take

constexpr size_t kMaxBytes = 256 << 10;
constexpr double kTotalPoints = 100;

Type<Limits> limits_type() {
  return {"a map of limits", [](const Yaml& value, Diagnostics& errors) -> std::optional<Limits> {
            Limits limits;
            Fields fields(value, "limits", errors);
            fields.optional("wall_s", integer_type(1, 3600), limits.wall_s);
            fields.optional("memory_mb", integer_type(16, 1 << 20), limits.memory_mb);
            fields.optional("output_kb", integer_type(1, 1 << 20), limits.output_kb);
            fields.optional("processes", integer_type(1, 4096), limits.processes);
            fields.optional("compile_s", integer_type(1, 3600), limits.compile_s);
            fields.optional("launch_instructions", integer_type(1, 2'000'000'000),
                            limits.launch_instructions);
            fields.finish();
            return limits;
          }};
}

Type<std::vector<Arg>> args_type() {
  return {"a map of the driver's arguments in order",
          [](const Yaml& map, Diagnostics& errors) -> std::optional<std::vector<Arg>> {
            if (map.kind != Yaml::Kind::kMap) return std::nullopt;
            std::vector<Arg> args;
            for (size_t i = 0; i < map.keys.size(); ++i) {
              const auto name =
                  read_as(identifier_type(), map.keys[i], "an argument's name", errors);
              const std::string subject = fmt::format("'{}'", map.keys[i].text);
              // Only then a word: 1.5 or 010 would reach the driver as text.
              const bool is_word = identifier_type().read(map.elements[i], errors).has_value();
              const Type<long> integer = {"a whole number or a word",
                                          integer_type(-kMostOfAnArgument, kMostOfAnArgument).read};
              if (is_word) {
                args.push_back({map.keys[i].text, map.elements[i].text});
              } else {
                // A wrong one still counts as there: formulas that name it are not wrong too.
                const auto number = read_as(integer, map.elements[i], subject, errors);
                args.push_back({map.keys[i].text, number.value_or(1)});
              }
            }
            return args;
          }};
}

Type<Visibility> visibility_type() {
  return choice_type<Visibility>(
      {{"public", Visibility::kPublic}, {"hidden", Visibility::kHidden}});
}

Type<ItemKind> kind_type() {
  return choice_type<ItemKind>({{"build", ItemKind::kBuild},
                                {"correctness", ItemKind::kCorrectness},
                                {"requirement", ItemKind::kRequirement},
                                {"efficiency", ItemKind::kEfficiency},
                                {"performance", ItemKind::kPerformance}});
}

Type<WithoutGpu> without_gpu_type() {
  return choice_type<WithoutGpu>(
      {{"model", WithoutGpu::kModel}, {"pending", WithoutGpu::kPending}});
}

/// "case 'small'", or "this case" where its id cannot be told.
std::string subject_of(std::string_view noun, const Yaml& map) {
  const Yaml* id = map.find("id");
  return id ? fmt::format("{} '{}'", noun, id->text) : fmt::format("this {}", noun);
}

/// A device that can be emulated.
Type<std::string> device_type() {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const emulator::DeviceModel& model : emulator::device_table())
    choices.emplace_back(model.name, model.name);
  return choice_type(std::move(choices));
}

class RubricReader {
 public:
  explicit RubricReader(Diagnostics& errors) : errors_(errors) {}

  Rubric read(const Yaml& root) {
    Fields fields(root, "the rubric", errors_);
    fields.required("assignment", name_type(), rubric_.assignment);
    fields.required("title", text_type(), rubric_.title);
    fields.required("submission", name_type(), rubric_.submission);
    fields.optional("limits", limits_type(), rubric_.limits);
    fields.optional("devices", nonempty_list_type(device_type()), rubric_.devices);
    fields.required("cases", list_of(&RubricReader::read_case), rubric_.cases);
    // Items are judged against the cases above, so only after them.
    fields.required("items", list_of(&RubricReader::read_item), rubric_.items);
    fields.optional("hidden_points", number_type(0, kTotalPoints), rubric_.hidden_points);
    fields.finish();
    if (const Yaml* items = root.find("items")) {
      check_points(*items);
      check_needs(*items);
      check_performance(*items);
    }
    return std::move(rubric_);
  }

 private:
  /// A list whose elements are always kept, mistakes and all: later elements may name them.
  template <class T>
  Type<std::vector<T>> list_of(T (RubricReader::*read)(const Yaml&)) {
    const auto element = [this, read](const Yaml& map, Diagnostics&) -> std::optional<T> {
      if (map.kind != Yaml::Kind::kMap) return std::nullopt;
      return (this->*read)(map);
    };
    return nonempty_list_type(Type<T>{"a map of 'key: value'", element});
  }

  void check_unique(std::set<std::string>& seen, const std::string& id, std::string_view noun,
                    const Yaml& map) {
    const Yaml* place = map.find("id");
    if (id.empty() || seen.insert(id).second) return;
    errors_.add(place->place,
                fmt::format("another {} is called '{}'; give this one an id of its own", noun, id));
  }

  Case read_case(const Yaml& map) {
    Case result;
    result.devices = rubric_.devices;
    Fields fields(map, subject_of("case", map), errors_);
    fields.required("id", name_type(), result.id);
    fields.optional("visibility", visibility_type(), result.visibility);
    fields.required("args", args_type(), result.args);
    fields.required("family", identifier_type(), result.family);
    fields.optional("devices", nonempty_list_type(device_type()), result.devices);
    fields.finish();
    check_unique(case_ids_, result.id, "case", map);
    return result;
  }

  Item read_item(const Yaml& map) {
    Item item;
    Fields fields(map, subject_of("item", map), errors_);
    fields.required("id", name_type(), item.id);
    fields.required("title", text_type(), item.title);
    fields.required("kind", kind_type(), item.kind);
    fields.required("points", number_type(0, kTotalPoints), item.points);
    fields.optional("needs", list_type(name_type()), item.needs);
    fields.optional("hint", text_type(), item.hint);
    const bool have_kind = map.find("kind") && kind_type().read(*map.find("kind"), errors_);
    if (have_kind) {
      read_judging(fields, item);
      fields.finish();  // Which keys belong depends on the kind.
    }
    check_unique(item_ids_, item.id, "item", map);
    return item;
  }

  void read_judging(Fields& fields, Item& item) {
    if (item.kind == ItemKind::kBuild) return;
    fields.required("cases", case_list(), item.cases);
    Scope scope;
    for (const std::string& id : item.cases) scope.push_back(rubric_.find_case(id));
    switch (item.kind) {
      case ItemKind::kBuild:
        break;
      case ItemKind::kCorrectness:
        fields.required("outputs", nonempty_list_type(output_type(scope)), item.outputs);
        break;
      case ItemKind::kRequirement:
        fields.required("rules", nonempty_list_type(rule_type(scope)), item.rules);
        break;
      case ItemKind::kEfficiency:
        fields.optional("curve", curve_type(), item.curve);
        fields.required("metric", counter_type(scope, !fields.has("curve")), item.metric);
        break;
      case ItemKind::kPerformance:
        fields.required("metric", time_metric_type(scope), item.metric);
        fields.required("curve", curve_type(), item.curve);
        fields.required("without_gpu", without_gpu_type(), item.without_gpu);
        break;
    }
  }

  /// `all`, or ids of cases of this rubric.
  Type<std::vector<std::string>> case_list() {
    return {
        "'all' or a list of case ids",
        [this](const Yaml& value, Diagnostics& errors) -> std::optional<std::vector<std::string>> {
          std::vector<std::string> ids;
          if (value.kind == Yaml::Kind::kScalar && value.text == "all") {
            for (const Case& each : rubric_.cases) ids.push_back(each.id);
            return ids;
          }
          if (value.kind != Yaml::Kind::kList || value.elements.empty()) return std::nullopt;
          for (const Yaml& id : value.elements) {
            if (check_known(id, "case", rubric_.cases, errors)) ids.push_back(id.text);
          }
          return ids;
        }};
  }

  template <class T>
  static bool check_known(const Yaml& id, std::string_view noun, const std::vector<T>& all,
                          Diagnostics& errors) {
    std::vector<std::string> ids;
    for (const T& each : all) ids.push_back(each.id);
    if (std::find(ids.begin(), ids.end(), id.text) != ids.end() && !id.text.empty()) return true;
    const std::string meant = nearest(id.text, ids);
    errors.add(id.place,
               fmt::format("there is no {} '{}'; {}", noun, id.text,
                           meant.empty() ? fmt::format("the {}s are {}", noun, join(ids, ", "))
                                         : fmt::format("did you mean '{}'?", meant)));
    return false;
  }

  void check_points(const Yaml& items) {
    double sum = rubric_.hidden_points;
    for (const Item& item : rubric_.items) sum += item.points;
    // Where an item's points were wrong, the sum says nothing more.
    if (std::abs(sum - kTotalPoints) < 1e-9 || !errors_.empty()) return;
    errors_.add(items.place,
                fmt::format("the items' points add up to {}; make it {}", sum, kTotalPoints));
  }

  void check_needs(const Yaml& items) {
    for (const Yaml& item : items.elements) {
      const Yaml* needs = item.find("needs");
      if (!needs) continue;
      bool known = true;
      for (const Yaml& id : needs->elements) {
        known = check_known(id, "item", rubric_.items, errors_) && known;
      }
      const Yaml* id = item.find("id");
      if (known && id && needs_itself(id->text)) {
        errors_.add(
            needs->place,
            fmt::format("item '{}' needs itself, by way of what it needs; remove one of these",
                        id->text));
      }
    }
  }

  /// No points for the speed of a wrong answer, and none by a time that nothing was measured against.
  void check_performance(const Yaml& items) {
    for (const Yaml& map : items.elements) {
      const Yaml* id = map.find("id");
      const Item* item = id == nullptr ? nullptr : rubric_.find_item(id->text);
      if (item == nullptr || item->kind != ItemKind::kPerformance) continue;
      const bool judged =
          std::any_of(item->needs.begin(), item->needs.end(), [this](const std::string& need) {
            const Item* other = rubric_.find_item(need);
            return other != nullptr && other->kind == ItemKind::kCorrectness;
          });
      if (!judged)
        errors_.add(map.place,
                    fmt::format("item '{}' would pay for the speed of a wrong answer; let it need "
                                "a correctness item",
                                item->id));
      const Yaml* without_gpu = map.find("without_gpu");
      const bool relative = item->metric && item->metric->name == "speedup";
      if (without_gpu != nullptr && item->without_gpu == WithoutGpu::kModel && !relative)
        errors_.add(without_gpu->place,
                    "a modelled time is only worth something beside another one; write 'pending', "
                    "or grade by 'speedup'");
    }
  }

  bool needs_itself(const std::string& id) const {
    std::set<std::string> seen;
    std::vector<std::string> open = {id};
    while (!open.empty()) {
      const Item* item = rubric_.find_item(open.back());
      open.pop_back();
      for (const std::string& need : item ? item->needs : std::vector<std::string>()) {
        if (need == id) return true;
        if (seen.insert(need).second) open.push_back(need);
      }
    }
    return false;
  }

  Diagnostics& errors_;
  Rubric rubric_;
  std::set<std::string> case_ids_, item_ids_;
};

/// An empty `slug` stands for any.
Result<Rubric> parse(std::string_view text, std::string_view name, const std::string& slug) {
  Diagnostics errors(name, text);
  if (trim(text).empty()) {
    errors.add({}, "the rubric is empty; begin with 'assignment:' and the assignment's name");
    return Error{errors.format()};
  }
  const Yaml root = parse_yaml(text, errors);
  Rubric rubric;
  if (errors.empty()) rubric = RubricReader(errors).read(root);
  const Yaml* assignment = root.find("assignment");
  if (errors.empty() && assignment != nullptr && !slug.empty() && rubric.assignment != slug)
    errors.add(assignment->place,
               fmt::format("the file is {}.yaml, so the assignment is '{}'", slug, slug));
  if (!errors.empty()) return Error{errors.format()};
  return rubric;
}

}  // namespace

Result<Rubric> parse_rubric(std::string_view text, std::string_view name) {
  return parse(text, name, "");
}

Result<Rubric> read_rubric(const Files& files, const fs::path& path) {
  const Result<std::string> text = files.read(path, kMaxBytes);
  if (!text) return Error{fmt::format("{}:1:1: error: {}\n", path.string(), text.error().message)};
  return parse(*text, path.string(), path.stem().string());
}

}  // namespace warpgrade
