// SPDX-License-Identifier: MIT
#include "rubric/read_parts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "emulator/counters/metric_names.h"
#include "emulator/sentences/say.h"
#include "rubric/memory_counters.h"
#include "sentences/ids.h"

namespace warpgrade {
namespace {

constexpr size_t kMostFormulaBytes = 200;

std::string name_of(const ScopeCase& each) {
  return fmt::format("case '{}'{}", each.id, each.on_gpu ? " on a GPU" : "");
}

/// Reports the first case of the scope that cannot compute `expression`.
bool check_in_scope(const Expression& expression, const Scope& scope, long least, Place place,
                    Diagnostics& errors) {
  for (const ScopeCase& each : *scope) {
    const Result<long> value = expression.value(each.values);
    if (!value) {
      std::vector<std::string> names;
      for (const auto& [name, number] : each.values) names.push_back(name);
      errors.add(place, fmt::format("{}; {} has the numbers {}", value.error().message,
                                    name_of(each), names.empty() ? "(none)" : join(names, ", ")));
      return false;
    }
    if (*value < least) {
      errors.add(place, fmt::format("'{}' is {} in {}; it must be at least {}", expression.text(),
                                    *value, name_of(each), least));
      return false;
    }
  }
  return true;
}

Type<Tolerance> exact_type() {
  return {"exact",
          [](const Yaml& value, Diagnostics&) -> std::optional<Tolerance> {
            if (value.kind != Yaml::Kind::kScalar || value.text != "exact") return std::nullopt;
            return Exact{};
          },
          [] {
            return Json{{"const", "exact"}};
          },
          [](const Tolerance&) { return Json("exact"); }};
}

template <class T, class From>
Type<Tolerance> tolerance_of(const Type<From>& type) {
  return {type.what,
          [type](const Yaml& value, Diagnostics& errors) -> std::optional<Tolerance> {
            const std::optional<From> read = type.read(value, errors);
            return read ? std::optional<Tolerance>(T{*read}) : std::nullopt;
          },
          type.schema};
}

Type<Tolerance> tolerance_type(const Scope& scope) {
  const Type<Tolerance> exact = exact_type();
  const Type<Tolerance> bounded = one_key_type<Tolerance>(
      "a bound", "tolerance",
      {{"dot_product",
        "Relative error of a float dot product of so many terms, summed in any order: 8 * "
        "sqrt(terms) * 2^-24.",
        tolerance_of<DotProduct>(expression_type(scope))},
       {"relative", "The most that an element may be off, as a part of what is expected.",
        tolerance_of<Relative>(number_type(0, 1e30))},
       {"absolute", "The most that an element may be off.",
        tolerance_of<Absolute>(number_type(0, 1e30))}});
  return {"exact, {dot_product: <formula>}, {relative: <number>} or {absolute: <number>}",
          [exact, bounded](const Yaml& value, Diagnostics& errors) {
            return value.kind == Yaml::Kind::kMap ? bounded.read(value, errors)
                                                  : exact.read(value, errors);
          },
          [exact, bounded] {
            return Json{{"anyOf", Json::array({exact.schema(), bounded.schema()})}};
          },
          exact.write};
}

Type<Bound> bound_type(const Scope& scope) {
  const Type<double> number = number_type(0, 1e18);
  const Type<Expression> formula = expression_type(scope);
  return {"a number or a formula over the case's numbers",
          [number, formula](const Yaml& value, Diagnostics& errors) -> std::optional<Bound> {
            if (const auto read = number.read(value, errors)) return Bound(*read);
            const auto read = formula.read(value, errors);
            return read ? std::optional<Bound>(*read) : std::nullopt;
          },
          [number, formula] {
            return Json{{"anyOf", Json::array({number.schema(), formula.schema()})}};
          }};
}

/// What the emulated device counts: one of ours, or one of its own, most of which are ncu's.
bool is_emulated_counter(const std::string& name) {
  return contains(derived_counters(), name) || contains(emulator::metric_names(), name);
}

std::vector<std::string> all_counters() {
  std::vector<std::string> all = derived_counters();
  for (const std::vector<std::string>* more : {&hardware_counters(), &emulator::metric_names()})
    all.insert(all.end(), more->begin(), more->end());
  return all;
}

/// What to do about a name that no device has; empty where a list of our own names says it best.
std::string explain_counter(const std::string& name) {
  const std::string meant = nearest(name, all_counters());
  if (!meant.empty()) return fmt::format("no device counts '{}'; did you mean '{}'?", name, meant);
  if (name.find("__") == std::string::npos) return "";
  return fmt::format(
      "no device counts '{}'; `warpgrade run --metrics csv PROGRAM` shows the names of its "
      "counters",
      name);
}

/// A number as the key of a map.
Type<std::string> number_key_type() {
  const Type<double> number = number_type(-1e18, 1e18);
  return {number.what,
          [number](const Yaml& value, Diagnostics& errors) {
            return number.read(value, errors) ? std::optional(value.text) : std::nullopt;
          },
          [] {
            return Json{{"pattern", "^-?[0-9.]+$"}};
          }};
}

/// A map whose keys are read by `key` and whose values are texts.
Type<std::map<std::string, std::string>> words_type(const std::string& what,
                                                    const Type<std::string>& key) {
  using Words = std::map<std::string, std::string>;
  const Type<std::string> text = text_type();
  return {what,
          [key, text](const Yaml& map, Diagnostics& errors) -> std::optional<Words> {
            if (map.kind != Yaml::Kind::kMap || map.elements.empty()) return std::nullopt;
            Words words;
            for (size_t i = 0; i < map.elements.size(); ++i) {
              const auto name = read_as(key, map.keys[i], "this key", errors);
              const auto said = read_as(text, map.elements[i], "this text", errors);
              if (name && said) words[*name] = *said;
            }
            return words;
          },
          [key, text] {
            return Json{{"type", "object"},
                        {"minProperties", 1},
                        {"propertyNames", key.schema()},
                        {"additionalProperties", text.schema()}};
          },
          [](const Words& words) { return words.empty() ? Json() : Json(words); }};
}

Json emulated_counter_schema() {
  return {{"anyOf", Json::array({Json{{"enum", derived_counters()}},
                                 Json{{"enum", emulator::metric_names()}}})}};
}

Type<std::string> counter_name_type() {
  return {fmt::format("{}, or a counter by ncu's name; with `source: hardware` one of {}",
                      join(derived_counters(), ", "), join(hardware_counters(), ", ")),
          [](const Yaml& value, Diagnostics& errors) -> std::optional<std::string> {
            if (value.kind != Yaml::Kind::kScalar) return std::nullopt;
            if (contains(all_counters(), value.text)) return value.text;
            const std::string remedy = explain_counter(value.text);
            if (!remedy.empty()) errors.add(value.place, remedy);
            return std::nullopt;
          },
          [] {
            Json schema = emulated_counter_schema();
            schema["anyOf"].push_back({{"enum", hardware_counters()}});
            return schema;
          }};
}

/// Each source has counters of its own.
void demand_source(Fields& fields, const Metric& metric) {
  const bool hardware = metric.source == CounterSource::kHardware;
  const bool holds_here =
      metric.name.empty() ||
      (hardware ? contains(hardware_counters(), metric.name) : is_emulated_counter(metric.name));
  const Json of_hardware = {{"properties", {{"source", {{"const", "hardware"}}}}},
                            {"required", Json::array({"source"})}};
  Json names_it = of_hardware;
  names_it["properties"]["name"] = {{"enum", hardware_counters()}};
  const Json of_emulated = {{"not", of_hardware},
                            {"properties", {{"name", emulated_counter_schema()}}}};
  fields.demand({{"anyOf", Json::array({names_it, of_emulated})}}, holds_here, "name",
                hardware
                    ? fmt::format("'source: hardware' has no {}; it has {}", metric.name,
                                  join(hardware_counters(), ", "))
                    : fmt::format("only a GPU counts {}; add 'source: hardware', or take one of {}",
                                  metric.name, join(derived_counters(), ", ")));
}

void demand_memory_counter(Fields& fields, const Metric& metric) {
  const Json without_array = {{"not", {{"required", Json::array({"array"})}}}};
  const Json named = {{"properties", {{"name", {{"enum", memory_counters()}}}}}};
  fields.demand({{"anyOf", Json::array({without_array, named})}},
                metric.array.empty() || is_memory_counter(metric), "array",
                fmt::format("{} is not counted array by array; that are {}", metric.name,
                            join(memory_counters(), " and ")));
}

}  // namespace

Type<Expression> expression_type(const Scope& scope, long least) {
  return {"a formula over the case's numbers",
          [scope, least](const Yaml& value, Diagnostics& errors) -> std::optional<Expression> {
            if (value.kind != Yaml::Kind::kScalar) return std::nullopt;
            if (value.text.size() > kMostFormulaBytes) {
              errors.add(value.place,
                         fmt::format("a formula of more than {} characters", kMostFormulaBytes));
              return std::nullopt;
            }
            const Result<Expression> expression = Expression::parse(value.text);
            if (!expression) {
              errors.add(value.place, "not a formula: " + expression.error().message);
              return std::nullopt;
            }
            const bool computes = check_in_scope(*expression, scope, least, value.place, errors);
            return computes ? std::optional(*expression) : std::nullopt;
          },
          [least] {
            return Json{{"type", {"integer", "string"}},
                        {"minimum", least},
                        {"maxLength", kMostFormulaBytes},
                        {"pattern", "^[A-Za-z0-9_+*/(), -]+$"}};
          }};
}

Type<std::vector<Expression>> expressions_type(const Scope& scope) {
  const Type<Expression> one = expression_type(scope);
  const Type<std::vector<Expression>> many = nonempty_list_type(one);
  return {"a formula or a list of them",
          [one, many](const Yaml& value,
                      Diagnostics& errors) -> std::optional<std::vector<Expression>> {
            if (value.kind == Yaml::Kind::kList) return many.read(value, errors);
            const std::optional<Expression> expression = one.read(value, errors);
            return expression ? std::optional(std::vector{*expression}) : std::nullopt;
          },
          [one, many] {
            return Json{{"anyOf", Json::array({one.schema(), many.schema()})}};
          }};
}

Type<std::string> case_kind_type() {
  Choices<std::string> choices;
  for (const std::string& kind : case_kinds()) choices.emplace_back(kind, kind);
  return choice_type<std::string>(std::move(choices));
}

Type<std::map<std::string, std::string>> reasons_type() {
  return words_type("a map from kinds of cases to reasons", case_kind_type());
}

namespace {

/// The ids of all reasons and findings, and what several of them begin with.
std::vector<std::string> kinds_of_evidence() {
  std::vector<std::string> ids = evidence_ids();
  for (const auto& [id, text] : emulator::catalogue().all()) ids.push_back(id);
  std::set<std::string> all(ids.begin(), ids.end());
  for (const std::string& id : ids) all.insert(id.substr(0, id.find('.')));
  return {all.begin(), all.end()};
}

Type<std::string> evidence_type() {
  const std::vector<std::string> known = kinds_of_evidence();
  return {"the id of a reason or finding",
          [known](const Yaml& value, Diagnostics& errors) -> std::optional<std::string> {
            if (value.kind != Yaml::Kind::kScalar) return std::nullopt;
            if (contains(known, value.text)) return value.text;
            errors.add(value.place, unknown_word("reason or finding", value.text, known));
            return std::nullopt;
          },
          [known] {
            return Json{{"enum", known}};
          }};
}

}  // namespace

Type<std::vector<Hint>> hints_type() {
  const Type<std::string> one = text_type();
  const auto many = nonempty_list_type(map_type<Hint>("a hint", [](Fields& fields, Hint& hint) {
    fields.optional("fits", nonempty_list_type(evidence_type()), hint.fits,
                    "Ids of reasons and findings, as results have them under `reason`, `because` "
                    "and `findings`, or what such ids begin with: `pattern.shifted`, `race`. "
                    "Without it the hint fits every way to lose the item.");
    fields.required("text", text_type(), hint.text, "What the student reads.");
  }));
  return {"a text, or a list of hints",
          [one, many](const Yaml& value, Diagnostics& errors) -> std::optional<std::vector<Hint>> {
            if (value.kind == Yaml::Kind::kList) return many.read(value, errors);
            const std::optional<std::string> text = one.read(value, errors);
            return text ? std::optional(std::vector{Hint{{}, *text}}) : std::nullopt;
          },
          [one, many] {
            return Json{{"anyOf", Json::array({one.schema(), many.schema()})}};
          }};
}

Type<std::string> range_type() { return called("the name of an NVTX range", text_type()); }

Type<OutputRule> output_type(const Scope& scope) {
  return map_type<OutputRule>("an output", [scope](Fields& fields, OutputRule& output) {
    fields.required("array", identifier_type(), output.array,
                    "An array that the driver writes, by the name of its file under out/.");
    fields.optional("tolerance", tolerance_type(scope), output.tolerance,
                    "How far an element may be from what the oracle expects.");
    fields.optional("layout",
                    choice_type<Layout>({{"array", Layout::kArray}, {"matrix", Layout::kMatrix}}),
                    output.layout, "`matrix`: places are told as (row, column).");
    fields.optional(
        "computed_in", range_type(), output.computed_in,
        "The range whose kernels must have computed it: each element that came back was "
        "last written by one of them. All-zero outputs are exempt.");
    fields.optional(
        "judged_on",
        choice_type<JudgedOn>({{"any", JudgedOn::kAny}, {"emulated", JudgedOn::kEmulated}}),
        output.judged_on,
        "`emulated`: the emulated device's result alone is compared. It is for what a GPU cannot "
        "show: times that a program measures itself, as recording what it does takes time as well, "
        "and the choice between devices.");
    fields.optional("values", words_type("a map from numbers to words", number_key_type()),
                    output.values,
                    "What the array's numbers stand for, as students read it: "
                    "`{1: cudaSuccess, 2: the error of the launch}`.");
    fields.optional("elements", nonempty_list_type(text_type()), output.elements,
                    "What the array's elements are, the first one's name first, as students read "
                    "it.");
    fields.optional("made_from", nonempty_list_type(identifier_type()), output.made_from,
                    "Arrays that the driver writes, of which the oracle's `derived_outputs` makes "
                    "this one. It is for what has many right answers, as random numbers have.");
  });
}

Type<Metric> counter_type(const Scope& scope) {
  return map_type<Metric>("a metric", [scope](Fields& fields, Metric& metric) {
    fields.required("range", range_type(), metric.range, "The range whose launches are looked at.");
    fields.required("name", counter_name_type(), metric.name,
                    "The counter. One of ncu's is summed over the range's launches; `at_most` is "
                    "held against other counters of what does the same work, too, such as atomics "
                    "that store. Atomics per block and multiplications per thread leave out "
                    "launches that have none.");
    fields.optional("at_least", bound_type(scope), metric.at_least, "The least that passes.");
    fields.optional("at_most", bound_type(scope), metric.at_most,
                    "The most that passes. Further launches bring a mean down: the launch with the "
                    "largest must pass.");
    fields.optional("array", identifier_type(), metric.array,
                    "An array that the driver writes: counted is what happens to the memory that "
                    "it came from. With `atomic_updates` and `writing_threads` alone.");
    fields.optional("source",
                    choice_type<CounterSource>({{"emulated", CounterSource::kEmulated},
                                                {"hardware", CounterSource::kHardware}}),
                    metric.source,
                    "Who counts: the emulated device, or the counters of a GPU, without which the "
                    "item is pending.");
    demand_source(fields, metric);
    demand_memory_counter(fields, metric);
  });
}

Type<Metric> time_metric_type(const Scope& scope) {
  return map_type<Metric>("a metric", [scope](Fields& fields, Metric& metric) {
    fields.required("range", range_type(), metric.range,
                    "The range whose kernels are timed; their times are added up.");
    fields.optional("least_bytes", expression_type(scope, 1), metric.least_bytes,
                    "The fewest bytes that a right answer moves to and from the device's memory. "
                    "A time in which the device cannot move them is kept for a person to look at.");
    fields.optional("least_flop", expression_type(scope, 1), metric.least_flop,
                    "The fewest floating-point operations of a right answer, used in the same "
                    "way.");
    Choices<std::string> names;
    for (const std::string& name : time_metrics()) names.emplace_back(name, name);
    fields.choose("name", names, metric.name,
                  "`speedup`: the baseline's time by this one's. `time_ms`, `gb_per_s` and "
                  "`gflop_per_s` need a real GPU.",
                  [&](Fields& own, const std::string& name) {
                    if (name == "speedup")
                      own.required("over", name_type(), metric.over,
                                   "The baseline: a file of baselines/ without its ending, or "
                                   "`reference`, the model answer.");
                    if (name == "gb_per_s")
                      own.required("bytes", expression_type(scope), metric.work,
                                   "Bytes that one run of the range moves.");
                    if (name == "gflop_per_s")
                      own.required("flops", expression_type(scope), metric.work,
                                   "Floating-point operations of one run of the range.");
                  });
  });
}

}  // namespace warpgrade
