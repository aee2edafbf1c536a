// SPDX-License-Identifier: MIT
#include "rubric/read_parts.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr long kMost = std::numeric_limits<int>::max();

/// Reports the first case of the scope that cannot compute `expression`.
bool check_in_scope(const Expression& expression, const Scope& scope, long least, Place place,
                    Diagnostics& errors) {
  for (const Case* each : scope) {
    const Expression::Values values = each->values();
    const Result<long> value = expression.value(values);
    if (!value) {
      std::vector<std::string> names;
      for (const auto& [name, number] : values) names.push_back(name);
      errors.add(place, fmt::format("{}; case '{}' has the numbers {}", value.error().message,
                                    each->id, names.empty() ? "(none)" : join(names, ", ")));
      return false;
    }
    if (*value < least) {
      errors.add(place, fmt::format("'{}' is {} in case '{}'; it must be at least {}",
                                    expression.text(), *value, each->id, least));
      return false;
    }
  }
  return true;
}

/// A map that `read` takes from its fields.
template <class T, class F>
Type<T> map_type(std::string subject, F read) {
  return {"a map", [subject, read](const Yaml& value, Diagnostics& errors) -> std::optional<T> {
            const size_t known = errors.count();
            Fields fields(value, subject, errors);
            T into;
            read(fields, into);
            fields.finish();
            return errors.count() == known ? std::optional<T>(std::move(into)) : std::nullopt;
          }};
}

/// One expression, or a list of them.
Type<std::vector<Expression>> expressions_type(const Scope& scope) {
  const Type<Expression> one = expression_type(scope);
  const Type<std::vector<Expression>> many = list_type(one);
  return {"a formula or a list of them",
          [one, many](const Yaml& value,
                      Diagnostics& errors) -> std::optional<std::vector<Expression>> {
            if (value.kind == Yaml::Kind::kList) return many.read(value, errors);
            const std::optional<Expression> expression = one.read(value, errors);
            return expression ? std::optional(std::vector{*expression}) : std::nullopt;
          }};
}

Type<Tolerance> tolerance_type(const Scope& scope) {
  const std::string what =
      "exact, {dot_product: <formula>}, {relative: <number>} or {absolute: <number>}";
  return {what, [scope](const Yaml& value, Diagnostics& errors) -> std::optional<Tolerance> {
            if (value.kind == Yaml::Kind::kScalar && value.text == "exact") return Exact{};
            if (value.kind != Yaml::Kind::kMap || value.elements.size() != 1) return std::nullopt;
            const std::string& key = value.keys[0].text;
            const Yaml& bound = value.elements[0];
            const std::string subject = fmt::format("'{}'", key);
            if (key == "dot_product") {
              const auto length = read_as(expression_type(scope), bound, subject, errors);
              return length ? std::optional<Tolerance>(DotProduct{*length}) : std::nullopt;
            }
            if (key != "relative" && key != "absolute") return std::nullopt;
            const auto limit = read_as(number_type(0, 1e30), bound, subject, errors);
            if (!limit) return std::nullopt;
            return key == "relative" ? Tolerance(Relative{*limit}) : Tolerance(Absolute{*limit});
          }};
}

Type<AllocationShape> shape_type(const Scope& scope) {
  return map_type<AllocationShape>("a shape", [scope](Fields& fields, AllocationShape& shape) {
    const Type<Expression> extent = expression_type(scope, 1);
    if (fields.has("size")) {
      fields.required("size", extent, shape.width_bytes);
    } else {
      fields.required("width", extent, shape.width_bytes);
      fields.required("height", extent, shape.height);
    }
  });
}

void read(Fields& fields, const Scope& scope, AllocationsRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.required("api", identifier_type(), rule.api);
  fields.required("shapes", list_type(shape_type(scope)), rule.shapes);
}

void read(Fields& fields, const Scope&, CopiesRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.required("api", identifier_type(), rule.api);
}

void read(Fields& fields, const Scope&, PitchedParamsRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.optional("element_bytes", integer_type(1, 16), rule.element_bytes);
}

void read(Fields& fields, const Scope&, PaddingUntouchedRule& rule) {
  fields.required("range", text_type(), rule.range);
}

void read(Fields& fields, const Scope& scope, DeviceRule& rule) {
  fields.required("major", expression_type(scope), rule.major);
}

void read(Fields& fields, const Scope& scope, BlockRule& rule) {
  const Type<std::vector<Expression>> extent = expressions_type(scope);
  fields.required("range", text_type(), rule.range);
  fields.optional("x", extent, rule.x);
  fields.optional("y", extent, rule.y);
  fields.optional("z", extent, rule.z);
}

void read(Fields& fields, const Scope& scope, GridRule& rule) {
  const Type<std::vector<Expression>> extent = expressions_type(scope);
  fields.required("range", text_type(), rule.range);
  fields.optional("x", extent, rule.x);
  fields.optional("y", extent, rule.y);
  fields.optional("z", extent, rule.z);
}

void read(Fields& fields, const Scope& scope, SharedMemoryRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.optional("static_bytes", expressions_type(scope), rule.static_bytes);
  fields.optional("dynamic_bytes", expressions_type(scope), rule.dynamic_bytes);
  fields.optional("at_least_bytes", expression_type(scope), rule.at_least_bytes);
  fields.optional("at_most_bytes", expression_type(scope), rule.at_most_bytes);
}

void read(Fields& fields, const Scope& scope, CallsRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.required("api", identifier_type(), rule.api);
  fields.optional("at_least", expression_type(scope), rule.at_least);
  fields.optional("at_most", expression_type(scope), rule.at_most);
}

void read(Fields& fields, const Scope&, FreedRule& rule) {
  fields.required("range", text_type(), rule.range);
}

void read(Fields& fields, const Scope&, TimedByEventsRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.optional("time_array", identifier_type(), rule.time_array);
  fields.optional("index", integer_type(0, kMost), rule.index);
}

void read(Fields& fields, const Scope& scope, OnDeviceRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.required("array", identifier_type(), rule.array);
  fields.required("multiply_adds", expression_type(scope), rule.multiply_adds);
}

void read(Fields& fields, const Scope& scope, LaunchesRule& rule) {
  fields.required("range", text_type(), rule.range);
  fields.optional("at_least", expression_type(scope), rule.at_least);
  fields.optional("at_most", expression_type(scope), rule.at_most);
}

void read(Fields& fields, const Scope&, NoFindingsRule& rule) {
  fields.optional("checkers", list_type(identifier_type()), rule.checkers);
  fields.optional("range", text_type(), rule.range);
}

void read(Fields& fields, const Scope&, FindingsRule& rule) {
  fields.required("checkers", list_type(identifier_type()), rule.checkers);
  fields.required("range", text_type(), rule.range);
}

template <class T>
Type<Rule> rule_of(const std::string& name, const Scope& scope) {
  const auto fill = [scope](Fields& fields, Rule& rule) { read(fields, scope, rule.emplace<T>()); };
  return map_type<Rule>(fmt::format("rule '{}'", name), fill);
}

/// Every rule by the name that rubrics call it.
std::map<std::string, Type<Rule>> rule_types(const Scope& scope) {
  std::map<std::string, Type<Rule>> types;
  const auto add = [&](const std::string& name, auto of) { types[name] = of(name, scope); };
  add("allocations", rule_of<AllocationsRule>);
  add("copies", rule_of<CopiesRule>);
  add("pitched_params", rule_of<PitchedParamsRule>);
  add("padding_untouched", rule_of<PaddingUntouchedRule>);
  add("device", rule_of<DeviceRule>);
  add("block", rule_of<BlockRule>);
  add("grid", rule_of<GridRule>);
  add("shared_memory", rule_of<SharedMemoryRule>);
  add("calls", rule_of<CallsRule>);
  add("freed", rule_of<FreedRule>);
  add("timed_by_events", rule_of<TimedByEventsRule>);
  add("on_device", rule_of<OnDeviceRule>);
  add("launches", rule_of<LaunchesRule>);
  add("no_findings", rule_of<NoFindingsRule>);
  add("findings", rule_of<FindingsRule>);
  return types;
}

}  // namespace

Type<Expression> expression_type(const Scope& scope, long least) {
  return {"a formula over the case's numbers",
          [scope, least](const Yaml& value, Diagnostics& errors) -> std::optional<Expression> {
            if (value.kind != Yaml::Kind::kScalar) return std::nullopt;
            const Result<Expression> expression = Expression::parse(value.text);
            if (!expression) {
              errors.add(value.place, "not a formula: " + expression.error().message);
              return std::nullopt;
            }
            const bool computes = check_in_scope(*expression, scope, least, value.place, errors);
            return computes ? std::optional(*expression) : std::nullopt;
          }};
}

Type<OutputRule> output_type(const Scope& scope) {
  return map_type<OutputRule>("an output", [scope](Fields& fields, OutputRule& output) {
    fields.required("array", identifier_type(), output.array);
    fields.optional("tolerance", tolerance_type(scope), output.tolerance);
    fields.optional("layout",
                    choice_type<Layout>({{"array", Layout::kArray}, {"matrix", Layout::kMatrix}}),
                    output.layout);
  });
}

Type<Rule> rule_type(const Scope& scope) {
  return {
      "a rule, written '<name>: {<its fields>}'",
      [types = rule_types(scope)](const Yaml& value, Diagnostics& errors) -> std::optional<Rule> {
        if (value.kind != Yaml::Kind::kMap || value.elements.size() != 1) return std::nullopt;
        const Yaml& key = value.keys[0];
        if (const auto type = types.find(key.text); type != types.end()) {
          return type->second.read(value.elements[0], errors);
        }
        std::vector<std::string> names;
        for (const auto& [name, type] : types) names.push_back(name);
        const std::string meant = nearest(key.text, names);
        errors.add(key.place,
                   fmt::format("unknown rule '{}'; {}", key.text,
                               meant.empty() ? "the rules are " + join(names, ", ")
                                             : fmt::format("did you mean '{}'?", meant)));
        return std::nullopt;
      }};
}

namespace {

Type<Bound> bound_type(const Scope& scope) {
  const Type<double> number = number_type(0, 1e18);
  const Type<Expression> formula = expression_type(scope);
  return {"a number or a formula over the case's numbers",
          [number, formula](const Yaml& value, Diagnostics& errors) -> std::optional<Bound> {
            if (const auto read = number.read(value, errors)) return Bound(*read);
            const auto read = formula.read(value, errors);
            return read ? std::optional<Bound>(*read) : std::nullopt;
          }};
}

/// One of ours, or one of ncu's, which all have a double underscore.
Type<std::string> counter_name_type() {
  const std::string what =
      fmt::format("{}, or a counter by ncu's name", join(derived_counters(), ", "));
  return {what, [](const Yaml& value, Diagnostics&) -> std::optional<std::string> {
            const std::vector<std::string>& ours = derived_counters();
            const bool known = std::find(ours.begin(), ours.end(), value.text) != ours.end() ||
                               value.text.find("__") != std::string::npos;
            return value.kind == Yaml::Kind::kScalar && known ? std::optional(value.text)
                                                              : std::nullopt;
          }};
}

Type<CurvePoint> curve_point_type() {
  return {"a pair [number, fraction from 0 to 1]",
          [](const Yaml& value, Diagnostics& errors) -> std::optional<CurvePoint> {
            if (value.kind != Yaml::Kind::kList || value.elements.size() != 2) return std::nullopt;
            const auto x = number_type(0, 1e18).read(value.elements[0], errors);
            const auto fraction = number_type(0, 1).read(value.elements[1], errors);
            return x && fraction ? std::optional(CurvePoint{*x, *fraction}) : std::nullopt;
          }};
}

/// What is wrong with a curve's points, or empty.
std::string curve_mistake(const Curve& curve) {
  const std::vector<CurvePoint>& points = curve.points;
  if (points.size() < 2) return "a curve needs at least two points";
  if (curve.interpolation == Interpolation::kLog && points[0].x <= 0)
    return "a log curve cannot begin at 0; begin it above";
  bool rises = false, falls = false;
  for (size_t i = 1; i < points.size(); ++i) {
    if (points[i].x <= points[i - 1].x) return "the first numbers of the points must rise";
    rises = rises || points[i].fraction > points[i - 1].fraction;
    falls = falls || points[i].fraction < points[i - 1].fraction;
  }
  if (rises == falls) return "the fractions must rise from point to point, or fall";
  return "";
}

}  // namespace

Type<Curve> curve_type() {
  const Type<Curve> fields_type = map_type<Curve>("a curve", [](Fields& fields, Curve& curve) {
    fields.required("interpolation",
                    choice_type<Interpolation>({{"step", Interpolation::kStep},
                                                {"linear", Interpolation::kLinear},
                                                {"log", Interpolation::kLog}}),
                    curve.interpolation);
    fields.required("points", nonempty_list_type(curve_point_type()), curve.points);
  });
  return {"a map of 'interpolation' and 'points'",
          [fields_type](const Yaml& value, Diagnostics& errors) -> std::optional<Curve> {
            std::optional<Curve> curve = fields_type.read(value, errors);
            const std::string mistake = curve ? curve_mistake(*curve) : "";
            if (mistake.empty()) return curve;
            const Yaml* points = value.find("points");
            errors.add(points != nullptr ? points->place : value.place, mistake);
            return std::nullopt;
          }};
}

Type<Metric> counter_type(const Scope& scope, bool bounded) {
  return map_type<Metric>("a metric", [scope, bounded](Fields& fields, Metric& metric) {
    fields.required("range", text_type(), metric.range);
    fields.required("name", counter_name_type(), metric.name);
    if (bounded && !fields.has("at_most")) {
      fields.required("at_least", bound_type(scope), metric.at_least);
    } else {
      fields.optional("at_least", bound_type(scope), metric.at_least);
    }
    fields.optional("at_most", bound_type(scope), metric.at_most);
  });
}

Type<Metric> time_metric_type(const Scope& scope) {
  return map_type<Metric>("a metric", [scope](Fields& fields, Metric& metric) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& name : time_metrics()) names.emplace_back(name, name);
    fields.required("range", text_type(), metric.range);
    fields.required("name", choice_type(std::move(names)), metric.name);
    if (metric.name == "speedup") fields.required("over", name_type(), metric.over);
    if (metric.name == "gb_per_s") fields.required("bytes", expression_type(scope), metric.work);
    if (metric.name == "gflop_per_s") fields.required("flops", expression_type(scope), metric.work);
  });
}

}  // namespace warpgrade
