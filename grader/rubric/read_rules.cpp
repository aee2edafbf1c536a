// SPDX-License-Identifier: MIT
// The rules of requirements: what each takes, and what it demands.
#include <algorithm>
#include <limits>

#include "base/text.h"
#include "emulator/runtime/call_names.h"
#include "rubric/read_parts.h"

namespace warpgrade {
namespace {

constexpr long kMost = std::numeric_limits<int>::max();

void ask_range(Fields& fields, std::string& range) {
  fields.required("range", range_type(), range, "The range that is looked at.");
}

/// Whether some call begins with what stands before the `*`.
bool names_several(const std::vector<std::string>& known, const std::string& name) {
  const std::string begin = name.substr(0, name.size() - 1);
  const auto found = std::lower_bound(known.begin(), known.end(), begin);
  return name.ends_with('*') && found != known.end() && found->starts_with(begin);
}

/// A function of the CUDA Runtime API; where `several`, also all whose names begin alike: `cudaMemcpy*`.
Type<std::string> call_type(bool several) {
  const std::vector<std::string>& known = emulator::call_names();
  return {"a call of the CUDA Runtime API",
          [&known, several](const Yaml& value, Diagnostics& errors) -> std::optional<std::string> {
            if (value.kind != Yaml::Kind::kScalar) return std::nullopt;
            if (std::binary_search(known.begin(), known.end(), value.text)) return value.text;
            if (several && names_several(known, value.text)) return value.text;
            const std::string meant = nearest(value.text, known);
            errors.add(value.place,
                       fmt::format("CUDA has no call '{}'; {}", value.text,
                                   meant.empty() ? "write a function of the CUDA Runtime API, such "
                                                   "as cudaMemcpy"
                                                 : fmt::format("did you mean '{}'?", meant)));
            return std::nullopt;
          },
          [several] {
            return Json{{"type", "string"},
                        {"pattern", several ? "^cuda[A-Za-z0-9_]+[*]?$" : "^cuda[A-Za-z0-9_]+$"}};
          }};
}

void ask_api(Fields& fields, std::string& api, std::string_view about) {
  fields.required("api", call_type(false), api, about);
}

Type<AllocationShape> shape_type(const Scope& scope) {
  return map_type<AllocationShape>("a shape", [scope](Fields& fields, AllocationShape& shape) {
    const Type<Expression> extent = expression_type(scope, 1);
    std::optional<Expression> size, width, height;
    fields.optional("size", extent, size, "Bytes of an allocation without rows.");
    fields.optional("width", extent, width, "Or: bytes of a row.");
    fields.optional("height", extent, height, "Rows.");
    fields.exactly_one({{"size"}, {"width", "height"}});
    shape.width_bytes = size.value_or(width.value_or(Expression(1)));
    shape.height = height.value_or(Expression(1));
  });
}

void ask(Fields& fields, const Scope& scope, AllocationsRule& rule) {
  ask_range(fields, rule.range);
  ask_api(fields, rule.api, "The call that makes them, such as cudaMallocPitch.");
  fields.required("shapes", list_type(shape_type(scope)), rule.shapes,
                  "What each asks for, in any order.");
}

void ask(Fields& fields, const Scope&, CopiesRule& rule) {
  ask_range(fields, rule.range);
  ask_api(fields, rule.api,
          "The call that copies, such as cudaMemcpy2D; its Async form counts too.");
}

void ask(Fields& fields, const Scope& scope, PitchedParamsRule& rule) {
  ask_range(fields, rule.range);
  fields.optional("element_bytes", integer_type(1, 16), rule.element_bytes, "Bytes of an element.");
  fields.optional("shapes", list_type(shape_type(scope)), rule.shapes,
                  "The rows of what lies without padding, in any order. With them, each allocation "
                  "by cudaMalloc that kernels touch has a cudaPitchedPtr too.");
}

void ask(Fields& fields, const Scope&, PaddingUntouchedRule& rule) {
  ask_range(fields, rule.range);
}

void ask(Fields& fields, const Scope& scope, DeviceRule& rule) {
  fields.required("major", expression_type(scope), rule.major,
                  "The major number of the compute capability.");
}

template <class Shape>
void ask_extents(Fields& fields, const Scope& scope, Shape& rule, std::string_view noun) {
  ask_range(fields, rule.range);
  const Type<std::vector<Expression>> extent = expressions_type(scope);
  for (const auto& [key, into] : {std::pair("x", &rule.x), {"y", &rule.y}, {"z", &rule.z}}) {
    fields.optional(key, extent, *into,
                    fmt::format("Extent of the {} in {}: one of these. Anything, where it is left "
                                "out.",
                                noun, key));
  }
  fields.at_least_one({"x", "y", "z"});
}

void ask_kernels(Fields& fields, Kernels& kernels) {
  fields.optional(
      "kernels",
      choice_type<Kernels>({{"all", Kernels::kAll},
                            {"multiplying", Kernels::kMultiplying},
                            {"last", Kernels::kLast}}),
      kernels,
      "The kernels that are looked at. `multiplying`: those that multiply floating-point numbers, "
      "and "
      "not those that merely set or add up some. Where nobody counts multiplications, on a GPU, "
      "none. `last`: each launch of the kernel that the range launches last.");
}

void ask(Fields& fields, const Scope& scope, BlockRule& rule) {
  ask_extents(fields, scope, rule, "block");
  ask_kernels(fields, rule.kernels);
}

void ask(Fields& fields, const Scope& scope, GridRule& rule) {
  ask_extents(fields, scope, rule, "grid");
}

void ask(Fields& fields, const Scope& scope, SharedMemoryRule& rule) {
  ask_range(fields, rule.range);
  fields.optional("static_bytes", expressions_type(scope), rule.static_bytes,
                  "Bytes that the kernel declares with a size: one of these.");
  fields.optional("dynamic_bytes", expressions_type(scope), rule.dynamic_bytes,
                  "Bytes that the launch asks for: one of these.");
  fields.optional("at_least_bytes", expression_type(scope), rule.at_least_bytes,
                  "The least that both together may be.");
  fields.optional("at_most_bytes", expression_type(scope), rule.at_most_bytes,
                  "The most that both together may be.");
  ask_kernels(fields, rule.kernels);
  fields.at_least_one({"static_bytes", "dynamic_bytes", "at_least_bytes", "at_most_bytes"});
}

template <class Counted>
void ask_count(Fields& fields, const Scope& scope, Counted& rule) {
  fields.optional("at_least", expression_type(scope), rule.at_least, "The least number of them.");
  fields.optional("at_most", expression_type(scope), rule.at_most, "The most of them.");
  fields.at_least_one({"at_least", "at_most"});
}

void ask(Fields& fields, const Scope& scope, CallsRule& rule) {
  ask_range(fields, rule.range);
  fields.required(
      "api", call_type(true), rule.api,
      "The call that is counted; its Async form counts too, and a graph's node that does the "
      "same. `cudaMemcpy*` counts every copy, whether a call, a graph or a kernel asks for it.");
  ask_count(fields, scope, rule);
}

void ask(Fields& fields, const Scope&, FreedRule& rule) { ask_range(fields, rule.range); }

void ask(Fields& fields, const Scope&, TimedByEventsRule& rule) {
  ask_range(fields, rule.range);
  fields.optional("time_array", identifier_type(), rule.time_array,
                  "The output that holds the time.");
  fields.optional("index", integer_type(0, kMost), rule.index, "Its element with the time.");
  fields.optional(
      "between",
      choice_type<Between>({{"no_copies", Between::kNoCopies},
                            {"launches", Between::kLaunches},
                            {"one_kernel", Between::kOneKernel}}),
      rule.between,
      "What the program may call between the two events. `no_copies`: anything but copies and "
      "fills. `launches`: launches, the recording of events, and cudaGetLastError. `one_kernel`: "
      "the same, "
      "and all launches are of one kernel.");
  fields.optional(
      "elements",
      choice_type<TimedElements>({{"one", TimedElements::kOne}, {"each", TimedElements::kEach}}),
      rule.elements,
      "`each`: every element of the array holds the time between two events of its own, which no "
      "other element tells; `index` is not looked at.");
  fields.optional(
      "timed",
      choice_type<TimedLaunches>(
          {{"heaviest", TimedLaunches::kHeaviest}, {"like_last", TimedLaunches::kLikeLast}}),
      rule.timed,
      "The launches that the events enclose. `heaviest`: those that do most in the range. "
      "`like_last`: those that do as much as its last launch, so that a warm-up may do more; "
      "another item asks what the last launch does.");
  fields.optional("of",
                  choice_type<TimeOf>({{"all_or_one", TimeOf::kAllOrOne}, {"one", TimeOf::kOne}}),
                  rule.of,
                  "Which time the output holds where two events enclose several launches: that of "
                  "all together or of one, or only of one.");
}

void ask(Fields& fields, const Scope&, WarmedUpRule& rule) { ask_range(fields, rule.range); }

void ask(Fields& fields, const Scope& scope, OnDeviceRule& rule) {
  ask_range(fields, rule.range);
  fields.required("array", identifier_type(), rule.array, "The output that kernels must compute.");
  fields.optional("multiply_adds", expression_type(scope), rule.multiply_adds,
                  "The least number of multiplications, or of fused multiply-adds, that they do. "
                  "Left out where the task needs none.");
}

void ask(Fields& fields, const Scope& scope, LaunchesRule& rule) {
  ask_range(fields, rule.range);
  ask_count(fields, scope, rule);
}

Type<std::vector<std::string>> checkers_type(const std::string& another = "") {
  Choices<std::string> names;
  for (const char* name : {"memory", "init", "race", "sync", "api", "padding"})
    names.emplace_back(name, name);
  if (!another.empty()) names.emplace_back(another, another);
  return nonempty_list_type(choice_type(std::move(names)));
}

void ask(Fields& fields, const Scope&, FindingsRule& rule) {
  ask_range(fields, rule.range);
  fields.required("checkers", checkers_type(), rule.checkers,
                  "The checkers of which one must find something.");
}

void ask(Fields& fields, const Scope&, NoFindingsRule& rule) {
  fields.optional(
      "checkers", checkers_type("fences"), rule.checkers,
      "The checkers that must find nothing. With `fences`, `race` takes an atomic operation or a "
      "volatile load to order what follows only where it has an order of its own (acquire) or a "
      "fence or barrier behind it, in all that is judged by the item's cases.");
  fields.optional("range", range_type(), rule.range,
                  "Only what is found in kernels that this range launches.");
}

void ask(Fields& fields, const Scope&, DependsOnRule& rule) {
  ask_range(fields, rule.range);
  fields.required("array", identifier_type(), rule.array, "The output that must become another.");
  fields.required(
      "on",
      choice_type(Choices<Means>{{"shared_memory", Means::kSharedMemory},
                                 {"constant_memory", Means::kConstantMemory},
                                 {"atomics", Means::kAtomics}}),
      rule.on,
      "What the kernels have to do without. `shared_memory` holds zeros whatever threads store, "
      "`constant_memory` holds zeros, `atomics` change nothing.");
  fields.optional(
      "elements",
      choice_type(Choices<Dependents>{{"half", Dependents::kHalf}, {"all", Dependents::kAll}}),
      rule.elements, "How many of the output's elements that are not 0 must become others.");
}

void ask(Fields& fields, const Scope&, SanitizerRule& rule) {
  Choices<std::string> names;
  for (const std::string& tool : sanitizer_tools()) names.emplace_back(tool, tool);
  fields.required("tools", nonempty_list_type(choice_type(std::move(names))), rule.tools,
                  "The tools of compute-sanitizer that run the program and must find nothing.");
}

template <class T>
Alternative<Rule> rule_of(const std::string& name, const Scope& scope, std::string about) {
  const auto fill = [scope](Fields& fields, Rule& rule) { ask(fields, scope, rule.emplace<T>()); };
  return {name, std::move(about), map_type<Rule>(fmt::format("rule '{}'", name), fill)};
}

}  // namespace

Type<Rule> rule_type(const Scope& scope) {
  return one_key_type<Rule>(
      "a rule, written '<name>: {<its fields>}'", "rule",
      {rule_of<AllocationsRule>("allocations", scope,
                                "Every allocation that kernels of the range touch is made by this "
                                "call, and these are what was asked for."),
       rule_of<CopiesRule>("copies", scope,
                           "What kernels of the range read is filled, and what they write is read "
                           "back, only by this call: whole, and with the right pitches."),
       rule_of<PitchedParamsRule>("pitched_params", scope,
                                  "Kernels get a cudaPitchedPtr that describes each pitched "
                                  "allocation they touch, sizes in elements."),
       rule_of<PaddingUntouchedRule>("padding_untouched", scope,
                                     "No kernel reads or writes the padding of rows."),
       rule_of<DeviceRule>("device", scope,
                           "Kernels run on devices of this compute capability, and only there."),
       rule_of<BlockRule>("block", scope, "The shape of each launch's blocks."),
       rule_of<GridRule>("grid", scope, "The shape of each launch's grid."),
       rule_of<SharedMemoryRule>("shared_memory", scope,
                                 "The shared memory that a block of each launch has."),
       rule_of<CallsRule>("calls", scope, "How often a call succeeds in the range."),
       rule_of<FreedRule>("freed", scope,
                          "Every allocation, event and stream that the range makes is released in "
                          "it, and once only."),
       rule_of<TimedByEventsRule>("timed_by_events", scope,
                                  "Each launch lies between two events, and an output holds the "
                                  "time that CUDA told between them."),
       rule_of<WarmedUpRule>("warmed_up", scope,
                             "A kernel that events time ran once before the first of them."),
       rule_of<OnDeviceRule>(
           "on_device", scope,
           "The result was computed by kernels: they multiplied often enough, and "
           "each of its elements was last written by one of them."),
       rule_of<LaunchesRule>("launches", scope, "How many kernels the range launches."),
       rule_of<NoFindingsRule>("no_findings", scope, "These checkers found nothing."),
       rule_of<FindingsRule>("findings", scope,
                             "One of these checkers found something in a kernel that the range "
                             "launches: for a demonstration of what goes wrong."),
       rule_of<DependsOnRule>("depends_on", scope,
                              "In a run in which the kernels of the range have to do without "
                              "something, the output's elements that are not 0, or half of them, "
                              "become others: kernels use it for the result."),
       rule_of<SanitizerRule>("sanitizer", scope,
                              "On a GPU, compute-sanitizer finds nothing. Without one the item is "
                              "pending.")});
}

}  // namespace warpgrade
