// SPDX-License-Identifier: MIT
#include "plan/words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "rubric/memory_counters.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kNameColumns = 28;
constexpr size_t kValueColumns = 28;

using Names = std::vector<std::string>;

/// A name or a formula, as Markdown sets it apart.
std::string code(std::string_view text) { return fmt::format("`{}`", text); }
std::string code(const Expression& formula) { return code(formula.text()); }
std::string code(double number) { return code(fmt::format("{}", number)); }
std::string code(const Bound& bound) {
  return std::visit([](const auto& each) { return code(each); }, bound);
}

std::string code(const AllocationShape& shape) {
  const std::string width = code(shape.width_bytes);
  return shape.height == Expression(1) ? width : width + " x " + code(shape.height);
}

/// Says in one language what is demanded.
class Demands {
 public:
  explicit Demands(const std::string& language) : language_(language) {}

  std::string operator()(const AllocationsRule& rule) const {
    Names sizes;
    for (const AllocationShape& shape : rule.shapes) sizes.push_back(code(shape));
    const Filling range("range", code(rule.range)), api("api", code(rule.api));
    if (sizes.empty()) return say("demand.no_allocations", {range, api});
    return say("demand.allocations", {range, api, {"sizes", list(sizes, "list.and")}});
  }

  std::string operator()(const CopiesRule& rule) const {
    return say("demand.copies", {{"range", code(rule.range)}, {"api", code(rule.api)}});
  }

  std::string operator()(const PitchedParamsRule& rule) const {
    return say(rule.shapes.empty() ? "demand.pitched_pointers" : "demand.pointers",
               {{"range", code(rule.range)}, {"bytes", rule.element_bytes}});
  }

  std::string operator()(const PaddingUntouchedRule& rule) const {
    return say("demand.padding", {{"range", code(rule.range)}});
  }

  std::string operator()(const DeviceRule& rule) const {
    return say("demand.device", {{"major", code(rule.major)}});
  }

  std::string operator()(const BlockRule& rule) const {
    return say_of_blocks(rule.range, rule.kernels, extents(rule));
  }

  std::string operator()(const GridRule& rule) const {
    return say("demand.grid",
               {{"range", code(rule.range)}, {"has", list(extents(rule), "list.and")}});
  }

  std::string operator()(const SharedMemoryRule& rule) const {
    Names sizes;
    if (!rule.static_bytes.empty())
      sizes.push_back(say("demand.static_bytes", {{"bytes", one_of(rule.static_bytes)}}));
    if (!rule.dynamic_bytes.empty())
      sizes.push_back(say("demand.dynamic_bytes", {{"bytes", one_of(rule.dynamic_bytes)}}));
    if (rule.at_least_bytes || rule.at_most_bytes)
      sizes.push_back(say("demand.shared_bytes",
                          {{"bounds", bounds(rule.at_least_bytes, rule.at_most_bytes)}}));
    return say_of_blocks(rule.range, rule.kernels, sizes);
  }

  std::string operator()(const CallsRule& rule) const {
    return say("demand.calls", {{"range", code(rule.range)},
                                {"api", code(rule.api)},
                                {"bounds", bounds(rule.at_least, rule.at_most)}});
  }

  std::string operator()(const FreedRule& rule) const {
    return say("demand.freed", {{"range", code(rule.range)}});
  }

  std::string operator()(const TimedByEventsRule& rule) const {
    const std::string time =
        rule.elements == TimedElements::kEach
            ? say(rule.of == TimeOf::kOne ? "demand.own_times_of_one" : "demand.own_times",
                  {{"array", code(rule.time_array)}})
            : say("demand.time_between",
                  {{"place", code(fmt::format("{}[{}]", rule.time_array, rule.index))}});
    return say("demand.timed_by_events",
               {{"range", code(rule.range)}, {"launches", enclosed(rule.between)}, {"time", time}});
  }

  std::string operator()(const WarmedUpRule& rule) const {
    return say("demand.warmed_up", {{"range", code(rule.range)}});
  }

  std::string operator()(const OnDeviceRule& rule) const {
    const Filling range("range", code(rule.range)), array("array", code(rule.array));
    const bool needs_work = rule.multiply_adds && *rule.multiply_adds != Expression(0);
    if (!needs_work) return say("demand.computed", {range, array});
    return say("demand.multiplied", {range, array, {"least", code(*rule.multiply_adds)}});
  }

  std::string operator()(const LaunchesRule& rule) const {
    return say("demand.launches",
               {{"range", code(rule.range)}, {"bounds", bounds(rule.at_least, rule.at_most)}});
  }

  std::string operator()(const NoFindingsRule& rule) const {
    const bool is_one = rule.checkers.size() == 1;
    const Filling names("checkers", checkers(rule.checkers, "list.and"));
    if (rule.range.empty())
      return say(is_one ? "demand.checker_silent" : "demand.checkers_silent", {names});
    return say(is_one ? "demand.checker_silent_in" : "demand.checkers_silent_in",
               {names, {"range", code(rule.range)}});
  }

  std::string operator()(const FindingsRule& rule) const {
    return say("demand.checker_finds",
               {{"range", code(rule.range)}, {"checkers", checkers(rule.checkers, "list.or")}});
  }

  std::string operator()(const DependsOnRule& rule) const {
    const char* const id = rule.on == Means::kSharedMemory     ? "demand.depends_shared"
                           : rule.on == Means::kConstantMemory ? "demand.depends_constant"
                                                               : "demand.depends_atomics";
    return say(id, {{"range", code(rule.range)}, {"array", code(rule.array)}});
  }

  std::string operator()(const SanitizerRule& rule) const {
    return say(rule.tools.size() == 1 ? "demand.tool_silent" : "demand.tools_silent",
               {{"tools", list(rule.tools, "list.and")}});
  }

  std::string operator()(const Metric& metric) const {
    const Filling range("range", code(metric.range));
    if (metric.name == "speedup")
      return say("demand.speedup", {range, {"baseline", code(metric.over)}});
    if (metric.name == "time_ms") return say("demand.time", {range});
    if (metric.work)
      return say(metric.name == "gb_per_s" ? "demand.gb_per_s" : "demand.gflop_per_s",
                 {range, {"work", code(*metric.work)}});
    const std::string what = say_of_counter(metric);
    return metric.source == CounterSource::kHardware ? say("demand.by_hardware", {{"what", what}})
                                                     : what;
  }

  std::string operator()(const OutputRule& output) const {
    const std::string what = say_of_result(output);
    return output.computed_in.empty()
               ? what
               : say("demand.computed_in", {{"what", what}, {"range", code(output.computed_in)}});
  }

  std::string operator()(const Curve& curve) const {
    Names points;
    for (const CurvePoint& point : curve.points)
      points.push_back(say("demand.share", {{"percent", fmt::format("{:g}", 100 * point.fraction)},
                                            {"value", fmt::format("{:g}", point.x)}}));
    const std::string id = curve.interpolation == Interpolation::kStep     ? "demand.curve_step"
                           : curve.interpolation == Interpolation::kLinear ? "demand.curve_linear"
                                                                           : "demand.curve_log";
    return say(id, {{"points", list(points, "list.and")}});
  }

 private:
  std::string say(const std::string& id, std::initializer_list<Filling> fillings = {}) const {
    return say_in(language_, id, fillings).text;
  }

  /// "a, b or c"; the id names the word before the last.
  std::string list(const Names& all, const std::string& id) const {
    if (all.size() < 2) return join(all, "");
    const Names before(all.begin(), all.end() - 1);
    return say(id, {{"before", join(before, ", ")}, {"last", all.back()}});
  }

  std::string one_of(const std::vector<Expression>& all) const {
    Names texts;
    for (const Expression& each : all) texts.push_back(code(each));
    return list(texts, "list.or");
  }

  /// One of the two is there.
  template <class Value>
  std::string bounds(const std::optional<Value>& least, const std::optional<Value>& most) const {
    if (!most) return say("demand.at_least", {{"value", code(*least)}});
    if (!least) return say("demand.at_most", {{"value", code(*most)}});
    if (*least == *most) return say("demand.exactly", {{"value", code(*least)}});
    return say("demand.between", {{"least", code(*least)}, {"most", code(*most)}});
  }

  /// "x = `8`" for each direction of a block or a grid that is demanded.
  template <class Shape>
  Names extents(const Shape& rule) const {
    Names all;
    for (const auto& [name, values] :
         {std::pair("x", &rule.x), std::pair("y", &rule.y), std::pair("z", &rule.z)}) {
      if (!values->empty()) all.push_back(fmt::format("{} = {}", name, one_of(*values)));
    }
    return all;
  }

  std::string say_of_blocks(const std::string& range, Kernels kernels, const Names& all) const {
    return say(kernels == Kernels::kMultiplying ? "demand.multiplying_block"
               : kernels == Kernels::kLast      ? "demand.last_kernels_block"
                                                : "demand.block",
               {{"range", code(range)}, {"has", list(all, "list.and")}});
  }

  std::string enclosed(Between between) const {
    if (between == Between::kLaunches) return say("demand.only_launches");
    return say(between == Between::kOneKernel ? "demand.only_one_kernel" : "demand.each_launch");
  }

  std::string checkers(const Names& names, const std::string& id) const {
    Names words;
    for (const std::string& name : names) words.push_back(say("checker." + name));
    return list(words, id);
  }

  std::string say_of_counter(const Metric& metric) const {
    const Filling range("range", code(metric.range)), number("number", number_of(metric));
    if (!metric.at_least && !metric.at_most) return say("demand.counted", {range, number});
    return say("demand.number",
               {range, number, {"bounds", bounds(metric.at_least, metric.at_most)}});
  }

  /// What a counter counts, and its name; the name alone where that says it.
  std::string number_of(const Metric& metric) const {
    if (!is_memory_counter(metric) || metric.array.empty()) return number_of(metric.name);
    return say("demand.number_on",
               {{"number", number_of(metric.name)}, {"array", code(metric.array)}});
  }

  std::string number_of(const std::string& name) const {
    const std::string id = "counted." + name;
    const Filling counter("counter", code(name));
    return has_sentence(id) ? say("demand.number_of", {{"things", say(id)}, counter})
                            : say("demand.value_of", {counter});
  }

  std::string say_of_result(const OutputRule& output) const {
    const Filling array("array", code(output.array));
    if (const auto* product = std::get_if<DotProduct>(&output.tolerance))
      return say("demand.dot_product", {array, {"terms", code(product->length)}});
    if (const auto* relative = std::get_if<Relative>(&output.tolerance))
      return say("demand.relative", {array, {"limit", code(relative->limit)}});
    if (const auto* absolute = std::get_if<Absolute>(&output.tolerance))
      return say("demand.absolute", {array, {"limit", code(absolute->limit)}});
    return say("demand.exact", {array});
  }

  const std::string language_;
};

/// What only the staff is told.
Names settings_of(const Item& item) {
  Names all;
  for (const OutputRule& output : item.outputs) {
    if (output.layout == Layout::kMatrix)
      all.push_back(fmt::format("Places in {} are told by row and column", code(output.array)));
    if (output.judged_on == JudgedOn::kEmulated)
      all.push_back(fmt::format("Only the emulated device judges {}", code(output.array)));
  }
  if (item.metric && item.metric->least_bytes)
    all.push_back(fmt::format("No device moves {} bytes quicker than its memory can",
                              code(*item.metric->least_bytes)));
  if (item.metric && item.metric->least_flop)
    all.push_back(fmt::format("No device does {} floating-point operations quicker than it can",
                              code(*item.metric->least_flop)));
  if (item.kind == ItemKind::kPerformance)
    all.push_back(item.without_gpu == WithoutGpu::kModel ? "Without a GPU, the time model judges it"
                                                         : "Without a GPU, it is pending");
  return all;
}

/// "N=4 M=8"
std::string values_of(const std::vector<Arg>& args) {
  std::vector<std::string> words;
  for (const Arg& arg : args)
    words.push_back(std::visit(
        [&](const auto& value) { return fmt::format("{}={}", arg.name, value); }, arg.value));
  return join(words, " ");
}

/// The settings as lines of name, value and origin.
class Settings {
 public:
  explicit Settings(const Origins& origins) : origins_(origins) {}

  std::string text;

  template <class T>
  void add(const std::string& name, const T& value) {
    const auto found = origins_.find(name);
    text += fmt::format(
        "  {:<{}} {:<{}}  {}\n", name, kNameColumns, fmt::format("{}", value), kValueColumns,
        to_string(found == origins_.end() ? SettingOrigin::kDefault : found->second));
  }

 private:
  const Origins& origins_;
};

}  // namespace

std::string describe(const Rule& rule, const std::string& language) {
  return std::visit(Demands(language), rule);
}

std::string describe(const Metric& metric, const std::string& language) {
  return Demands(language)(metric);
}

std::vector<std::string> demands_of(const Item& item, const std::string& language) {
  const Demands words(language);
  Names all;
  if (item.kind == ItemKind::kBuild) all.push_back(say_in(language, "demand.builds").text);
  for (const OutputRule& output : item.outputs) all.push_back(words(output));
  for (const Rule& rule : item.rules) all.push_back(std::visit(words, rule));
  if (item.metric) all.push_back(words(*item.metric));
  if (item.curve) all.push_back(words(*item.curve));
  return all;
}

std::string format_settings(const Rubric& rubric) {
  Settings settings(rubric.origins);
  const Limits& limits = rubric.limits;
  settings.add("devices", join(rubric.devices, ", "));
  const Requires& required = rubric.required;
  const std::string& capability = required.compute_capability;
  settings.add("requires.compute_capability", capability.empty() ? "any" : capability);
  settings.add("requires.major", required.major ? std::to_string(*required.major) : "any");
  settings.add("requires.binary", required.binary.empty() ? "any" : join(required.binary, ", "));
  settings.add("limits.wall_s", limits.wall_s);
  settings.add("limits.memory_mb", limits.memory_mb);
  settings.add("limits.output_kb", limits.output_kb);
  settings.add("limits.processes", limits.processes);
  settings.add("limits.compile_s", limits.compile_s);
  settings.add("limits.launch_instructions", limits.launch_instructions);
  const LatePolicy& late = rubric.late;
  settings.add("late.due", late.due ? late.due->format() : "none");
  settings.add("late.grace_minutes", late.grace_minutes);
  settings.add("late.points_per_day", late.points_per_day);
  settings.add("late.curve", late.curve ? to_string(*late.curve) : "none");
  settings.add("late.extensions", counted(static_cast<long>(late.extensions.size()), "extension"));
  settings.add("weight", rubric.weight);
  return fmt::format("{}: {}\nSettings, and where they come from:\n{}", rubric.assignment,
                     rubric.title, settings.text);
}

std::string format_cases(const Rubric& rubric) {
  std::string out = "Cases:\n";
  for (const Case& each : rubric.cases) {
    const std::string args = values_of(each.args);
    out += fmt::format("  {} ({}): {}{}inputs {}, on {}{}\n", each.id, to_string(each.visibility),
                       args, args.empty() ? "" : ", ", each.family, join(each.devices, ", "),
                       each.order == 0 ? "" : fmt::format(", in order {}", each.order));
    if (!each.on_gpu.empty())
      out += fmt::format("      timed on a GPU with {}\n", values_of(each.on_gpu));
  }
  return out;
}

std::string format_items(const Rubric& rubric) {
  std::string out = "Items:\n";
  for (const Item& item : rubric.items) {
    out += fmt::format("  {} ({}, {}): {}\n", item.id, to_string(item.kind),
                       item.points == 1 ? "1 point" : fmt::format("{} points", item.points),
                       item.title);
    for (const std::string& demand : demands_of(item)) out += "      " + demand + '\n';
    for (const std::string& setting : settings_of(item)) out += "      " + setting + '\n';
    if (item.cases.size() == rubric.cases.size()) {
      out += "      on every case\n";
    } else if (!item.cases.empty()) {
      out += fmt::format("      on {}\n", join(item.cases, ", "));
    }
    if (!item.needs.empty()) out += fmt::format("      only with {}\n", join(item.needs, ", "));
    if (!item.where_passed.empty())
      out += fmt::format("      only in cases that pass {}\n", join(item.where_passed, ", "));
  }
  return out;
}

}  // namespace warpgrade
