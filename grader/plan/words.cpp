// SPDX-License-Identifier: MIT
#include "plan/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kNameColumns = 28;
constexpr size_t kValueColumns = 28;

using Names = std::vector<std::string>;

/// A name or a formula, as Markdown sets it apart.
std::string code(std::string_view text) { return fmt::format("`{}`", text); }
std::string code(const Expression& formula) { return code(formula.text()); }

/// "a, b or c"
std::string enumerate(const Names& all, std::string_view last) {
  if (all.size() < 2) return join(all, "");
  const Names before(all.begin(), all.end() - 1);
  return fmt::format("{} {} {}", join(before, ", "), last, all.back());
}

std::string one_of(const std::vector<Expression>& all) {
  Names texts;
  for (const Expression& each : all) texts.push_back(code(each));
  return enumerate(texts, "or");
}

std::string bounds(const std::optional<Expression>& least, const std::optional<Expression>& most) {
  if (least && most && *least == *most) return "exactly " + code(*least);
  Names parts;
  if (least) parts.push_back("at least " + code(*least));
  if (most) parts.push_back("at most " + code(*most));
  return join(parts, " and ");
}

std::string words(const AllocationsRule& rule) {
  Names shapes;
  for (const AllocationShape& shape : rule.shapes)
    shapes.push_back(shape.height == Expression(1)
                         ? code(shape.width_bytes)
                         : code(shape.width_bytes) + " x " + code(shape.height));
  return fmt::format("In {}, kernels touch only memory from {}, which is asked for {} bytes",
                     code(rule.range), code(rule.api),
                     shapes.empty() ? "no" : enumerate(shapes, "and"));
}

std::string words(const CopiesRule& rule) {
  return fmt::format(
      "In {}, {} fills all that kernels read and reads back all that they write, whole and with "
      "the "
      "right pitches",
      code(rule.range), code(rule.api));
}

std::string words(const PitchedParamsRule& rule) {
  return fmt::format(
      "In {}, kernels get a `cudaPitchedPtr` of each {}allocation that they touch, with sizes in "
      "elements of {} bytes",
      code(rule.range), rule.shapes.empty() ? "pitched " : "", rule.element_bytes);
}

std::string words(const PaddingUntouchedRule& rule) {
  return fmt::format("In {}, no kernel reads or writes the padding of rows", code(rule.range));
}

std::string words(const DeviceRule& rule) {
  return fmt::format("Kernels run only on devices whose compute capability has the major number {}",
                     code(rule.major));
}

std::string_view block_of(Kernels kernels) {
  return kernels == Kernels::kMultiplying ? "block of a kernel that multiplies" : "block";
}

template <class Shape>
std::string shape_words(const Shape& rule, std::string_view noun) {
  Names extents;
  for (const auto& [name, values] :
       {std::pair("x", &rule.x), std::pair("y", &rule.y), std::pair("z", &rule.z)}) {
    if (!values->empty()) extents.push_back(fmt::format("{} = {}", name, one_of(*values)));
  }
  return fmt::format("In {}, each {} has {}", code(rule.range), noun, enumerate(extents, "and"));
}

std::string words(const BlockRule& rule) { return shape_words(rule, block_of(rule.kernels)); }
std::string words(const GridRule& rule) { return shape_words(rule, "grid"); }

std::string words(const SharedMemoryRule& rule) {
  Names parts;
  if (!rule.static_bytes.empty())
    parts.push_back(one_of(rule.static_bytes) + " bytes of static shared memory");
  if (!rule.dynamic_bytes.empty())
    parts.push_back(one_of(rule.dynamic_bytes) + " bytes of dynamic shared memory");
  const std::string sum = bounds(rule.at_least_bytes, rule.at_most_bytes);
  if (!sum.empty()) parts.push_back(sum + " bytes of shared memory in all");
  return fmt::format("In {}, each {} has {}", code(rule.range), block_of(rule.kernels),
                     enumerate(parts, "and"));
}

std::string words(const CallsRule& rule) {
  return fmt::format("In {}, the number of successful calls of {} is {}", code(rule.range),
                     code(rule.api), bounds(rule.at_least, rule.at_most));
}

std::string words(const FreedRule& rule) {
  return fmt::format("In {}, the program releases every allocation, event and stream that it makes",
                     code(rule.range));
}

std::string_view between_words(Between between) {
  if (between == Between::kLaunches) return " and nothing but launches";
  return between == Between::kOneKernel ? " and nothing but launches of one kernel" : "";
}

std::string words(const TimedByEventsRule& rule) {
  const std::string told =
      rule.elements == TimedElements::kEach
          ? fmt::format("each element of {} holds the time between two events of its own",
                        code(rule.time_array))
          : fmt::format("{} holds the time between them",
                        code(fmt::format("{}[{}]", rule.time_array, rule.index)));
  return fmt::format("In {}, two events enclose each launch{}, and {}", code(rule.range),
                     between_words(rule.between), told);
}

std::string words(const WarmedUpRule& rule) {
  return fmt::format("In {}, a kernel that events time runs once before the first of them",
                     code(rule.range));
}

std::string words(const OnDeviceRule& rule) {
  const bool needs_work = rule.multiply_adds && *rule.multiply_adds != Expression(0);
  const std::string work = needs_work ? bounds(rule.multiply_adds, std::nullopt) : "";
  return fmt::format("In {}, kernels compute {}{}", code(rule.range), code(rule.array),
                     work.empty() ? "" : fmt::format(" with {} multiplications", work));
}

std::string words(const LaunchesRule& rule) {
  return fmt::format("In {}, the number of launches is {}", code(rule.range),
                     bounds(rule.at_least, rule.at_most));
}

std::string checkers(const Names& names, std::string_view last) {
  return fmt::format("the {} checker{}", enumerate(names, last), names.size() == 1 ? "" : "s");
}

std::string words(const NoFindingsRule& rule) {
  std::string text = checkers(rule.checkers, "and");
  text[0] = 'T';
  return fmt::format("{} {} nothing{}", text, rule.checkers.size() == 1 ? "finds" : "find",
                     rule.range.empty() ? "" : " in kernels of " + code(rule.range));
}

std::string words(const FindingsRule& rule) {
  return fmt::format("In kernels of {}, {} finds a mistake", code(rule.range),
                     fmt::format("the {} checker", enumerate(rule.checkers, "or")));
}

std::string words(const SanitizerRule& rule) {
  return fmt::format("On a GPU, compute-sanitizer's {} {} nothing", enumerate(rule.tools, "and"),
                     rule.tools.size() == 1 ? "finds" : "find");
}

std::string words(const Exact&) { return "equals what is expected exactly"; }
std::string words(const DotProduct& tolerance) {
  return fmt::format("is as exact as a float dot product of {} terms", code(tolerance.length));
}
std::string words(const Relative& tolerance) {
  return fmt::format("is off by at most {} of each element",
                     code(fmt::format("{}", tolerance.limit)));
}
std::string words(const Absolute& tolerance) {
  return fmt::format("is off by at most {} in each element",
                     code(fmt::format("{}", tolerance.limit)));
}

std::string words(const Bound& bound) {
  const double* number = std::get_if<double>(&bound);
  return code(number != nullptr ? fmt::format("{}", *number) : std::get<Expression>(bound).text());
}

/// A counter's name after what it counts, where that is not what its name says.
std::string counter_words(const std::string& name) {
  static const std::map<std::string, std::string> known = {
      {"sectors_per_global_load", "32-byte sectors for each load of a warp from global memory"},
      {"sectors_per_global_store", "32-byte sectors for each store of a warp to global memory"},
      {"global_loads_per_warp", "loads from global memory for each warp"},
      {"global_stores_per_warp", "stores to global memory for each warp"},
      {"shared_load_conflicts", "bank conflicts of loads from shared memory"},
      {"shared_store_conflicts", "bank conflicts of stores to shared memory"},
      {"global_atomics_per_block", "atomic operations on global memory for each block"},
      {"shared_atomics_per_block", "atomic operations on shared memory for each block"},
      {"multiplications_per_thread", "multiplications for each thread"},
      {"floating_point_additions", "additions and multiply-adds of all threads"},
      {"different_launches", "launches that differ in their kernel or its arguments"},
      {"addresses_per_constant_load",
       "different addresses for each load of a warp from constant "
       "memory"}};
  const auto found = known.find(name);
  return found == known.end() ? code(name) : fmt::format("{} ({})", found->second, code(name));
}

std::string bound_words(const Metric& metric) {
  Names parts;
  if (metric.at_least) parts.push_back("at least " + words(*metric.at_least));
  if (metric.at_most) parts.push_back("at most " + words(*metric.at_most));
  return parts.empty() ? "counted" : join(parts, " and ");
}

std::string words(const Metric& metric) {
  if (metric.name == "speedup")
    return fmt::format("The kernels of {} are timed beside the baseline {}", code(metric.range),
                       code(metric.over));
  if (metric.name == "time_ms")
    return fmt::format("The kernels of {} are timed in milliseconds", code(metric.range));
  if (metric.work)
    return fmt::format(
        "The kernels of {} are timed for {} {}", code(metric.range), code(*metric.work),
        metric.name == "gb_per_s" ? "bytes, in GB/s" : "floating-point operations, in GFLOP/s");
  const bool hardware = metric.source == CounterSource::kHardware;
  return fmt::format("In {}, the number of {} is {}{}", code(metric.range),
                     counter_words(metric.name), bound_words(metric),
                     hardware ? " by a GPU's counters" : "");
}

std::string words(const OutputRule& output) {
  std::string out =
      fmt::format("{} {}", code(output.array),
                  std::visit([](const auto& each) { return words(each); }, output.tolerance));
  if (!output.computed_in.empty())
    out += fmt::format(", and kernels of {} compute it", code(output.computed_in));
  return out;
}

std::string words(const Curve& curve) {
  Names points;
  for (const CurvePoint& point : curve.points)
    points.push_back(fmt::format("{:g} % at {:g}", 100 * point.fraction, point.x));
  constexpr std::pair<Interpolation, const char*> kWays[] = {
      {Interpolation::kStep, "in steps"},
      {Interpolation::kLinear, "on a straight line between"},
      {Interpolation::kLog, "on a straight line over the logarithm between"}};
  const auto* way = std::find_if(std::begin(kWays), std::end(kWays), [&](const auto& each) {
    return each.first == curve.interpolation;
  });
  return fmt::format("The share of the points is {}, {}", enumerate(points, "and"), way->second);
}

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

std::string describe(const Rule& rule) {
  return std::visit([](const auto& each) { return words(each); }, rule);
}

std::string describe(const Metric& metric) { return words(metric); }

std::vector<std::string> demands_of(const Item& item) {
  Names all;
  if (item.kind == ItemKind::kBuild) all.emplace_back("The program compiles");
  for (const OutputRule& output : item.outputs) all.push_back(words(output));
  for (const Rule& rule : item.rules) all.push_back(describe(rule));
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
