// SPDX-License-Identifier: MIT
#include "plan/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kNameColumns = 28;
constexpr size_t kValueColumns = 28;

std::string list_of(const std::vector<Expression>& all) {
  std::vector<std::string> texts;
  for (const Expression& each : all) texts.push_back(each.text());
  return texts.empty() ? "anything" : join(texts, " or ");
}

std::string bounds(const std::optional<Expression>& least, const std::optional<Expression>& most) {
  if (least && most && least->text() == most->text()) return "exactly " + least->text();
  std::vector<std::string> parts;
  if (least) parts.push_back("at least " + least->text());
  if (most) parts.push_back("at most " + most->text());
  return join(parts, " and ");
}

std::string words(const AllocationsRule& rule) {
  std::vector<std::string> shapes;
  for (const AllocationShape& shape : rule.shapes)
    shapes.push_back(shape.height.text() == "1"
                         ? shape.width_bytes.text()
                         : shape.width_bytes.text() + " x " + shape.height.text());
  return fmt::format("in '{}', kernels touch only memory from {} of {} bytes", rule.range, rule.api,
                     join(shapes, ", "));
}

std::string words(const CopiesRule& rule) {
  return fmt::format("in '{}', only {} copies, whole and with the right pitches", rule.range,
                     rule.api);
}

std::string words(const PitchedParamsRule& rule) {
  return fmt::format("in '{}', kernels get a cudaPitchedPtr of {}-byte elements", rule.range,
                     rule.element_bytes);
}

std::string words(const PaddingUntouchedRule& rule) {
  return fmt::format("in '{}', no kernel touches the padding", rule.range);
}

std::string words(const DeviceRule& rule) {
  return fmt::format("kernels run only on devices of major capability {}", rule.major.text());
}

template <class Shape>
std::string shape_words(const Shape& rule, std::string_view noun) {
  return fmt::format("in '{}', {} are {} x {} x {}", rule.range, noun, list_of(rule.x),
                     list_of(rule.y), list_of(rule.z));
}

std::string words(const BlockRule& rule) { return shape_words(rule, "blocks"); }
std::string words(const GridRule& rule) { return shape_words(rule, "grids"); }

std::string words(const SharedMemoryRule& rule) {
  std::vector<std::string> parts;
  if (!rule.static_bytes.empty()) parts.push_back(list_of(rule.static_bytes) + " static");
  if (!rule.dynamic_bytes.empty()) parts.push_back(list_of(rule.dynamic_bytes) + " dynamic");
  const std::string sum = bounds(rule.at_least_bytes, rule.at_most_bytes);
  if (!sum.empty()) parts.push_back(sum + " in all");
  return fmt::format("in '{}', a block's bytes of shared memory are {}", rule.range,
                     join(parts, ", "));
}

std::string words(const CallsRule& rule) {
  return fmt::format("in '{}', {} succeeds {} times", rule.range, rule.api,
                     bounds(rule.at_least, rule.at_most));
}

std::string words(const FreedRule& rule) {
  return fmt::format("in '{}', all that is made is released", rule.range);
}

std::string words(const TimedByEventsRule& rule) {
  return fmt::format("in '{}', events time each launch{}, and {}[{}] holds the time", rule.range,
                     rule.between == Between::kLaunches ? " alone" : "", rule.time_array,
                     rule.index);
}

std::string words(const WarmedUpRule& rule) {
  return fmt::format("in '{}', a kernel that is timed runs once before", rule.range);
}

std::string words(const OnDeviceRule& rule) {
  const std::string work = bounds(rule.multiply_adds, std::nullopt);
  return fmt::format("in '{}', kernels compute {}{}", rule.range, rule.array,
                     work.empty() ? "" : fmt::format(" with {} multiplications", work));
}

std::string words(const LaunchesRule& rule) {
  return fmt::format("'{}' launches kernels: {}", rule.range, bounds(rule.at_least, rule.at_most));
}

std::string words(const NoFindingsRule& rule) {
  return fmt::format("{} {} nothing{}", join(rule.checkers, ", "),
                     rule.checkers.size() == 1 ? "finds" : "find",
                     rule.range.empty() ? "" : fmt::format(" in kernels of '{}'", rule.range));
}

std::string words(const FindingsRule& rule) {
  return fmt::format("one of {} finds something in kernels of '{}'", join(rule.checkers, ", "),
                     rule.range);
}

std::string words(const SanitizerRule& rule) {
  return fmt::format("on a GPU, compute-sanitizer's {} {} nothing", join(rule.tools, ", "),
                     rule.tools.size() == 1 ? "finds" : "find");
}

std::string words(const Exact&) { return "exact"; }
std::string words(const DotProduct& tolerance) {
  return fmt::format("as a float dot product of {} terms", tolerance.length.text());
}
std::string words(const Relative& tolerance) {
  return fmt::format("within {} of itself", tolerance.limit);
}
std::string words(const Absolute& tolerance) { return fmt::format("within {}", tolerance.limit); }

std::string words(const Bound& bound) {
  const double* number = std::get_if<double>(&bound);
  return number != nullptr ? fmt::format("{}", *number) : std::get<Expression>(bound).text();
}

std::string words(const Metric& metric) {
  std::string out = fmt::format("{} in '{}'", metric.name, metric.range);
  if (metric.source == CounterSource::kHardware) out += " by a GPU's counters";
  if (!metric.over.empty()) out += fmt::format(" over '{}'", metric.over);
  if (metric.work) out += fmt::format(" of {}", metric.work->text());
  if (metric.at_least) out += " at least " + words(*metric.at_least);
  if (metric.at_most) out += " at most " + words(*metric.at_most);
  return out;
}

std::string words(const OutputRule& output) {
  std::string out =
      fmt::format("{} is right, {}", output.array,
                  std::visit([](const auto& each) { return words(each); }, output.tolerance));
  if (output.layout == Layout::kMatrix) out += ", told by row and column";
  if (!output.computed_in.empty())
    out += fmt::format(", computed by kernels of '{}'", output.computed_in);
  if (output.judged_on == JudgedOn::kEmulated) out += ", on the emulated device";
  return out;
}

std::vector<std::string> demands(const Item& item) {
  std::vector<std::string> all;
  if (item.kind == ItemKind::kBuild) all.push_back("the program compiles");
  for (const OutputRule& output : item.outputs) all.push_back(words(output));
  for (const Rule& rule : item.rules)
    all.push_back(std::visit([](const auto& each) { return words(each); }, rule));
  if (item.metric) all.push_back(words(*item.metric));
  if (item.metric && item.metric->least_bytes)
    all.push_back("moves at least " + item.metric->least_bytes->text() + " bytes");
  if (item.metric && item.metric->least_flop)
    all.push_back("computes at least " + item.metric->least_flop->text() +
                  " floating-point operations");
  if (item.curve) all.push_back("paid by the curve " + to_string(*item.curve));
  if (item.kind == ItemKind::kPerformance)
    all.push_back(item.without_gpu == WithoutGpu::kModel ? "without a GPU: by the time model"
                                                         : "without a GPU: pending");
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
    out += fmt::format("  {} ({}): {}{}inputs {}, on {}\n", each.id, to_string(each.visibility),
                       args, args.empty() ? "" : ", ", each.family, join(each.devices, ", "));
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
    for (const std::string& demand : demands(item)) out += "      " + demand + '\n';
    if (item.cases.size() == rubric.cases.size()) {
      out += "      on every case\n";
    } else if (!item.cases.empty()) {
      out += fmt::format("      on {}\n", join(item.cases, ", "));
    }
    if (!item.needs.empty()) out += fmt::format("      only with {}\n", join(item.needs, ", "));
  }
  return out;
}

}  // namespace warpgrade
