// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "rubric/charge_once.h"
#include "rubric/check_devices.h"
#include "rubric/check_items.h"
#include "rubric/neighbours.h"
#include "rubric/read_args.h"
#include "rubric/read_course.h"
#include "rubric/read_parts.h"
#include "rubric/read_settings.h"
#include "rubric/rubric.h"
#include "rubric/schema.h"
#include "rubric/translation.h"

namespace warpgrade {
namespace {

Type<Visibility> visibility_type() {
  return choice_type<Visibility>(
      {{"public", Visibility::kPublic}, {"hidden", Visibility::kHidden}});
}

const Choices<ItemKind>& kinds() {
  static const Choices<ItemKind> kinds = {{"build", ItemKind::kBuild},
                                          {"correctness", ItemKind::kCorrectness},
                                          {"requirement", ItemKind::kRequirement},
                                          {"efficiency", ItemKind::kEfficiency},
                                          {"performance", ItemKind::kPerformance}};
  return kinds;
}

Type<WithoutGpu> without_gpu_type() {
  return choice_type<WithoutGpu>(
      {{"model", WithoutGpu::kModel}, {"pending", WithoutGpu::kPending}});
}

/// The schema of a map that has this key.
Json required(const std::string& key) { return {{"required", Json::array({key})}}; }

/// "case 'small'", or "this case" where its id cannot be told.
std::string subject_of(std::string_view noun, const Yaml& map) {
  const Yaml* id = map.find("id");
  return id ? fmt::format("{} '{}'", noun, id->text) : fmt::format("this {}", noun);
}

class RubricReader {
 public:
  RubricReader(const Course& course, Diagnostics& errors) : errors_(errors) {
    rubric_.limits = course.limits;
    rubric_.devices = course.devices;
    rubric_.late = course.late;
    rubric_.proof = course.proof;
    rubric_.origins = course.origins;
  }

  Rubric read(const Yaml& root, const Course& course) {
    take_course_entry(root, course);
    Fields fields(root, "the rubric", errors_);
    ask(fields);
    fields.finish();
    note_origins(root, SettingOrigin::kRubric, rubric_.origins);
    if (const Yaml* items = root.find("items")) check_items(rubric_, *items, errors_);
    check_devices(rubric_, root, errors_);
    return std::move(rubric_);
  }

  Json schema() {
    Fields fields;
    ask(fields);
    return fields.schema();
  }

 private:
  void ask(Fields& fields) {
    fields.required(
        "assignment", name_type(), rubric_.assignment,
        "The assignment's name: that of this file and of its folder under assignments/.");
    fields.required("title", text_type(), rubric_.title, "What a reader calls the assignment.");
    fields.required("submission", name_type(), rubric_.submission,
                    "The name of the one file that is handed in.");
    fields.optional("limits", limits_type(rubric_.limits), rubric_.limits,
                    "What one program may use. What is left out is as in course.yaml.");
    fields.optional("devices", devices_type(), rubric_.devices,
                    "The devices of the emulated machine, device 0 first; as in course.yaml where "
                    "it is left out.");
    fields.optional("requires", requires_type(), rubric_.required,
                    "What the real GPUs must be, and what code the program must carry.");
    fields.optional("late", late_type(rubric_.late), rubric_.late,
                    "What it costs to be late. What is left out is as in course.yaml.");
    fields.required("cases", list_of("case", &RubricReader::ask_case, &RubricReader::keep_case),
                    rubric_.cases, "The runs that the program is judged by.");
    // Items are judged against the cases above, so only after them.
    fields.required("items", list_of("item", &RubricReader::ask_item, &RubricReader::keep_item),
                    rubric_.items, "The lines of the grade. Their points add up to 100.");
    fields.optional(
        "plots", list_type(plot_type()), rubric_.plots,
        "Plots of the kernels over the public cases, for the student's page. They judge "
        "nothing.");
    fields.optional("hidden_points", number_type(0, kTotalPoints), rubric_.hidden_points,
                    "Points of items that are not handed out; `warpgrade handout` writes it.");
  }

  /// Due date and weight, which course.yaml keeps in its list of assignments.
  void take_course_entry(const Yaml& root, const Course& course) {
    const Yaml* name = root.find("assignment");
    const Course::Entry* entry = name == nullptr ? nullptr : course.find(name->text);
    if (entry == nullptr) return;
    rubric_.weight = entry->weight;
    rubric_.origins["weight"] = SettingOrigin::kCourse;
    if (entry->due) {
      rubric_.late.due = entry->due;
      rubric_.origins["late.due"] = SettingOrigin::kCourse;
    }
  }

  /// A list whose elements are always kept, mistakes and all: later elements may name them.
  template <class T>
  Type<std::vector<T>> list_of(std::string_view noun, void (RubricReader::*ask_one)(Fields&, T&),
                               void (RubricReader::*keep)(const Yaml&, const T&)) {
    const auto read = [=, this](const Yaml& map, Diagnostics& errors) -> std::optional<T> {
      if (map.kind != Yaml::Kind::kMap) return std::nullopt;
      T one;
      Fields fields(map, subject_of(noun, map), errors);
      (this->*ask_one)(fields, one);
      fields.finish();
      (this->*keep)(map, one);
      return one;
    };
    const auto schema = [=, this] {
      T one;
      Fields fields;
      (this->*ask_one)(fields, one);
      return fields.schema();
    };
    return nonempty_list_type(Type<T>{"a map of 'key: value'", read, schema});
  }

  void check_unique(std::map<std::string, int>& seen, const std::string& id, std::string_view noun,
                    const Yaml& map) {
    if (id.empty()) return;
    const Place place = map.find("id")->place;
    const auto [first, is_new] = seen.emplace(id, place.line);
    if (is_new) return;
    errors_.add(place,
                fmt::format("the {} of line {} is called '{}' too; give this one an id of its own",
                            noun, first->second, id));
  }

  void keep_case(const Yaml& map, const Case& one) {
    check_unique(case_ids_, one.id, "case", map);
    cases_.push_back({one.id, one.values()});
    if (!one.on_gpu.empty()) timed_.push_back({one.id, one.timed_on_gpu().values(), true});
  }

  void keep_item(const Yaml& map, const Item& one) { check_unique(item_ids_, one.id, "item", map); }

  void ask_case(Fields& fields, Case& one) {
    one.devices = rubric_.devices;
    fields.required("id", name_type(), one.id, "What items and messages call the case.");
    fields.optional(
        "visibility", visibility_type(), one.visibility,
        "`public`: students can run it. `hidden`: only the grader has it, and students read "
        "no more of it than what kind of failure it was.");
    fields.required("args", args_type(), one.args,
                    "The driver's arguments, in its order. Formulas name those that are numbers.");
    fields.required("family", identifier_type(), one.family,
                    "The kind of input data: a word for the assignment's oracle.");
    fields.optional(
        "devices", devices_type(), one.devices,
        "The devices of this run, device 0 first; the rubric's where it is left out. A case "
        "that names its own and is not timed is about them: it is not run on a GPU.");
    fields.optional(
        "order", integer_type(0, 1000), one.order,
        "The order in which the emulated device runs blocks, warps and lanes. 0: as they are "
        "numbered. 1: the last ones first. Others shuffle them. A result that is right under 0 "
        "alone leans on an order that no GPU promises. A GPU has its own.");
    fields.optional("on_gpu", on_gpu_type(one.args), one.on_gpu,
                    "Arguments that have other values where the case is timed on a GPU: larger "
                    "sizes, so that the time is long enough to measure. All others are as in "
                    "`args`.");
    fields.optional(
        "kinds", nonempty_list_type(case_kind_type()), one.kinds,
        "What the case is there for. `whole`: sizes are multiples of block and tile. `edge`: they "
        "cut one off. `single`: one element. `empty`: none. `gaps`: rows lie apart on the host. "
        "`values`: special data, such as zeros, ties or skew. `devices`: a machine of its own. "
        "`refused`: CUDA must refuse something. `timed`: large, for speed. `check` demands that "
        "every requirement is judged in each kind that the assignment has. `swapped` beside them: "
        "the case runs a second time, in which the emulated device holds other inputs than the "
        "host, of another seed. A result that kernels compute from what they read is right for "
        "those; one that the host computed is not, and then no item about that range earns "
        "anything. Chance runs one of the other cases about that range so, too, timed ones "
        "aside.");
  }

  void ask_item(Fields& fields, Item& item) {
    fields.required("id", name_type(), item.id, "What `needs` and results call the item.");
    fields.required("title", text_type(), item.title, "The line that students read.");
    fields.required(
        "points", number_type(0, kTotalPoints), item.points,
        "What it is worth. An item of 0 points is a condition for others. A requirement "
        "or efficiency of 0 points leaves out a case that a crash or a limit cuts off, "
        "where that costs points of another item and a further case shows that the "
        "condition holds.");
    fields.optional("needs", called("a list of item ids", list_type(name_type())), item.needs,
                    "Items that must have passed for this one to earn anything.");
    fields.optional("where_passed", called("a list of item ids", list_type(name_type())),
                    item.where_passed,
                    "Items whose failures cost nothing here: a case that one of them fails in, or "
                    "one that these need, is not counted. So a rule can be asked in every kind of "
                    "case, and one fault still costs once.");
    fields.optional(
        "hint", hints_type(), item.hints,
        "Told where the item is lost. A text fits every way to lose it. A list tells the "
        "first hint that fits the reason that the student reads, or none: better no hint than "
        "one that contradicts it.");
    fields.optional("leaves_out", reasons_type(), item.leaves_out,
                    "Kinds of cases that the item is not judged in, each with the reason: "
                    "`{edge: a cut-off tile needs no second barrier}`.");
    fields.choose("kind", kinds(), item.kind,
                  "What is judged: `build` that the program compiles, `correctness` its outputs, "
                  "`requirement` what it did, `efficiency` a counter, `performance` its time.",
                  [&](Fields& own, ItemKind kind) { ask_judging(own, kind, item); });
  }

  void ask_judging(Fields& fields, ItemKind kind, Item& item) {
    if (kind == ItemKind::kBuild) return;
    fields.required("cases", case_list(), item.cases,
                    "The cases it is judged by; each must pass. `all`: every one.");
    const Scope scope = scope_of(item);
    switch (kind) {
      case ItemKind::kBuild:
        break;
      case ItemKind::kCorrectness:
        fields.required("outputs", nonempty_list_type(output_type(scope)), item.outputs,
                        "The arrays that must be as the oracle expects.");
        break;
      case ItemKind::kRequirement:
        fields.required("rules", nonempty_list_type(rule_type(scope)), item.rules,
                        "What the record of the run must show; each rule must hold.");
        break;
      case ItemKind::kEfficiency:
        ask_efficiency(fields, scope, item);
        break;
      case ItemKind::kPerformance:
        ask_performance(fields, item);
        break;
    }
  }

  void ask_efficiency(Fields& fields, const Scope& scope, Item& item) {
    fields.required("metric", counter_type(scope), item.metric,
                    "The counter, with a bound where there is no curve.");
    fields.optional("curve", curve_type(), item.curve,
                    "From the counter's value to the fraction of the points that is earned.");
    const Json bounded = {
        {"properties", {{"metric", {{"anyOf", {required("at_least"), required("at_most")}}}}}}};
    const bool is_bounded = !item.metric || item.metric->at_least || item.metric->at_most;
    fields.demand({{"anyOf", {required("curve"), bounded}}}, is_bounded || item.curve, "metric",
                  "the metric has no bound; add 'at_most:' or 'at_least:' to it, or a curve to the "
                  "item");
  }

  void ask_performance(Fields& fields, Item& item) {
    fields.required("metric", time_metric_type(timed_scope_of(item)), item.metric,
                    "The number it is judged by.");
    fields.required("curve", curve_type(), item.curve,
                    "From that number to the fraction of the points that is earned.");
    fields.required("without_gpu", without_gpu_type(), item.without_gpu,
                    "On a machine without a GPU: `model` judges by the time model, against the "
                    "baseline under the same model; `pending` waits.");
    const Json pending = {{"properties", {{"without_gpu", {{"const", "pending"}}}}}};
    const Json speedup = {
        {"properties", {{"metric", {{"properties", {{"name", {{"const", "speedup"}}}}}}}}}};
    const bool is_relative = !item.metric || item.metric->name == "speedup";
    fields.demand({{"anyOf", {pending, speedup}}},
                  is_relative || item.without_gpu == WithoutGpu::kPending, "without_gpu",
                  "a modelled time is only worth something beside another one; write 'pending', or "
                  "grade by 'speedup'");
  }

  Type<Plot> plot_type() {
    return map_type<Plot>("a plot", [this](Fields& fields, Plot& plot) {
      fields.required(
          "shows",
          choice_type<Shown>({{"time", Shown::kTime},
                              {"bandwidth", Shown::kBandwidth},
                              {"sectors", Shown::kSectors}}),
          plot.shows,
          "`time`: the modelled time. `bandwidth`: the bytes that threads ask for in that time. "
          "`sectors`: of 32 bytes, for each request of a warp to global memory.");
      fields.required("cases", case_list(), plot.cases,
                      "The cases whose kernels it shows, of which hidden ones are left out. `all`: "
                      "every one.");
      fields.required("against", expression_type(scope_of(plot.cases)), plot.against,
                      "What runs from left to right, such as the number of elements.");
    });
  }

  Scope scope_of(const Item& item) const { return scope_of(item.cases); }

  /// The cases of these ids; none where this only describes.
  Scope scope_of(const std::vector<std::string>& ids) const {
    auto scope = std::make_shared<std::vector<ScopeCase>>();
    for (const std::string& id : ids) {
      const auto found = std::find_if(cases_.begin(), cases_.end(),
                                      [&](const ScopeCase& each) { return each.id == id; });
      if (found != cases_.end()) scope->push_back(*found);
    }
    return scope;
  }

  /// The same, and once more with the numbers that a GPU gets.
  Scope timed_scope_of(const Item& item) const {
    auto scope = std::make_shared<std::vector<ScopeCase>>(*scope_of(item));
    for (const ScopeCase& each : timed_) {
      if (std::find(item.cases.begin(), item.cases.end(), each.id) == item.cases.end()) continue;
      scope->push_back(each);
    }
    return scope;
  }

  /// `all`, or ids of cases of this rubric.
  Type<std::vector<std::string>> case_list() {
    const Type<std::vector<std::string>> names = nonempty_list_type(name_type());
    return {"'all' or a list of case ids",
            [this, names](const Yaml& value,
                          Diagnostics& errors) -> std::optional<std::vector<std::string>> {
              if (value.kind == Yaml::Kind::kScalar && value.text == "all") {
                std::vector<std::string> ids;
                for (const ScopeCase& each : cases_) ids.push_back(each.id);
                return ids;
              }
              std::optional<std::vector<std::string>> ids = names.read(value, errors);
              if (!ids) return std::nullopt;
              ids->clear();
              for (const Yaml& id : value.elements) {
                if (check_known(id, "case", ids_of(cases_), errors)) ids->push_back(id.text);
              }
              return ids;
            },
            [names] {
              return Json{{"anyOf", Json::array({Json{{"const", "all"}}, names.schema()})}};
            }};
  }

  Diagnostics& errors_;
  Rubric rubric_;
  std::vector<ScopeCase> cases_;
  std::vector<ScopeCase> timed_;  ///< Those that have other numbers on a GPU, with these.
  std::map<std::string, int> case_ids_, item_ids_;  ///< With the lines that they stand on.
};

/// An empty `slug` stands for any.
Rubric read_text(std::string_view text, const std::string& slug, const Course& course,
                 const Neighbours& neighbours, const Translation* translation,
                 Diagnostics& errors) {
  if (trim(text).empty()) {
    errors.add({}, "the rubric is empty; begin with 'assignment:' and the assignment's name");
    return {};
  }
  Yaml root = parse_yaml(text, errors);
  if (!errors.empty()) return {};
  if (translation != nullptr) translate(root, *translation);
  Rubric rubric = RubricReader(course, errors).read(root, course);
  charge_once(rubric);
  const Yaml* assignment = root.find("assignment");
  if (!errors.empty() || assignment == nullptr) return rubric;
  if (!slug.empty() && rubric.assignment != slug)
    errors.add(assignment->place,
               fmt::format("the file is {}.yaml, so the assignment is '{}'", slug, slug));
  if (rubric.assignment == kCourseName)
    errors.add(assignment->place,
               "no assignment can be called 'course', because course.yaml holds the settings of "
               "all; choose another name");
  if (errors.empty()) check_neighbours(root, neighbours, errors);
  return rubric;
}

/// A rubric lies in the folder rubrics/ of its course.
Neighbours neighbours_of(const Files& files, const fs::path& rubric) {
  return read_neighbours(files, rubric.parent_path().parent_path(), rubric.stem().string());
}

std::vector<Mistake> unreadable(const fs::path& path, const Error& error) {
  return {{path.string(), 1, 1, error.message, ""}};
}

}  // namespace

Result<Rubric> parse_rubric(std::string_view text, std::string_view name, const Course& course,
                            const Translation* translation) {
  Diagnostics errors(name, text);
  Rubric rubric = read_text(text, "", course, {}, translation, errors);
  if (!errors.empty()) return Error{errors.format()};
  return rubric;
}

Result<Rubric> read_rubric(const Files& files, const fs::path& path, const std::string& language) {
  const Result<Course> course = read_course(files, path.parent_path());
  if (!course) return course.error();
  const Result<std::string> text = files.read(path, kMaxYamlBytes);
  if (!text) return Error{format_text(unreadable(path, text.error()))};
  const auto translation = read_translation(files, path, language);
  if (!translation) return translation.error();
  Diagnostics errors(path.string(), *text);
  Rubric rubric = read_text(*text, path.stem().string(), *course, neighbours_of(files, path),
                            *translation ? &**translation : nullptr, errors);
  if (!errors.empty()) return Error{errors.format()};
  return rubric;
}

std::vector<Mistake> lint(const Files& files, const fs::path& path) {
  if (translated_rubric(path)) return lint_translation(files, path);
  const Result<std::string> text = files.read(path, kMaxYamlBytes);
  if (!text) return unreadable(path, text.error());
  Diagnostics errors(path.string(), *text);
  if (path.stem() == kCourseName) {
    check_course(*text, slugs_in(files, path.parent_path()), errors);
    return errors.mistakes();
  }
  // Mistakes in course.yaml are its own.
  const Result<Course> course = read_course(files, path.parent_path());
  read_text(*text, path.stem().string(), course ? *course : Course(), neighbours_of(files, path),
            nullptr, errors);
  return errors.mistakes();
}

std::string rubric_schema() {
  Diagnostics none("", "");
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "A rubric of Warpgrade"}};
  schema.update(RubricReader({}, none).schema());
  return schema.dump(2) + '\n';
}

}  // namespace warpgrade
