// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expression.h"
#include "base/files.h"
#include "base/result.h"
#include "rubric/curve.h"
#include "rubric/diagnostics.h"
#include "rubric/requires.h"
#include "rubric/settings.h"

namespace warpgrade {

enum class Visibility { kPublic, kHidden };

/// One argument of a case, in the order the driver takes them.
struct Arg {
  std::string name;
  std::variant<long, std::string> value;
};

/// One run of the program.
struct Case {
  std::string id;
  Visibility visibility = Visibility::kHidden;
  std::vector<Arg> args;
  std::string family;                ///< Kind of input data, a word for the oracle.
  std::vector<std::string> devices;  ///< Names of the emulated machine's devices in order; the
                                     ///< rubric's where not its own.
  std::vector<Arg> on_gpu = {};  ///< Replace arguments of the same names in timed runs on a GPU.
  long order = 0;  ///< In which the emulated device runs blocks, warps and lanes: exec/order.h.
  std::vector<std::string> kinds =
      {};  ///< Some of case_kinds(); `check` holds requirements to them.

  /// Positional words for the driver.
  std::vector<std::string> words() const;
  /// The integer arguments by name; words are absent.
  Expression::Values values() const;
  /// As it is timed on a GPU.
  Case timed_on_gpu() const;
};

/// The kinds of cases that an assignment may have: whole, edge, single, empty, gaps, values, devices,
/// refused, timed.
const std::vector<std::string>& case_kinds();

struct Exact {};
/// Relative 8 * sqrt(length) * 2^-24: the error of a float dot product of that many terms in any
/// order.
struct DotProduct {
  Expression length;
};
struct Relative {
  double limit;
};
struct Absolute {
  double limit;
};
using Tolerance = std::variant<Exact, DotProduct, Relative, Absolute>;

enum class Layout { kArray, kMatrix };  ///< kMatrix: places are told as (row, column).
enum class JudgedOn { kAny, kEmulated };

/// One array of the program that must equal the oracle's.
struct OutputRule {
  std::string array;
  Tolerance tolerance = Exact{};
  Layout layout = Layout::kArray;
  std::string computed_in = {};  ///< The range whose kernels must have computed it; may be empty.
  JudgedOn judged_on = JudgedOn::kAny;  ///< kEmulated: what a GPU gives is not looked at.
  std::map<std::string, std::string> values =
      {};  ///< Words for the array's numbers: "2" -> "the launch's error".
  std::vector<std::string> elements = {};  ///< Words for its elements, the first one's first.
  std::vector<std::string> made_from =
      {};  ///< Arrays of the program of which the oracle makes it; empty: the program writes it.
};

/// What one allocation asked for. `{size: n}` is width n, height 1.
struct AllocationShape {
  Expression width_bytes;
  Expression height{1};

  bool operator==(const AllocationShape&) const = default;
};

/// Every allocation that kernels of the range touch is made by `api`, and their requests are
/// exactly `shapes`, in any order.
struct AllocationsRule {
  std::string range;
  std::string api;
  std::vector<AllocationShape> shapes;

  bool operator==(const AllocationsRule&) const = default;
};

/// What kernels of the range read is filled, and what they write is read back, only through `api`,
/// whole and pitch-true.
struct CopiesRule {
  std::string range;
  std::string api;

  bool operator==(const CopiesRule&) const = default;
};

/// Kernels get a cudaPitchedPtr that describes each pitched allocation they touch, sizes in
/// elements. Where `shapes` says what allocations without padding hold, these too.
struct PitchedParamsRule {
  std::string range;
  int element_bytes = 4;
  std::vector<AllocationShape> shapes{};

  bool operator==(const PitchedParamsRule&) const = default;
};

/// No launch reads or writes the padding of rows.
struct PaddingUntouchedRule {
  std::string range;

  bool operator==(const PaddingUntouchedRule&) const = default;
};

/// Launches happen on devices of this major compute capability, and only there.
struct DeviceRule {
  Expression major;

  bool operator==(const DeviceRule&) const = default;
};

/// Which launches of a range a rule looks at. A kernel that merely sets or adds up some numbers
/// multiplies nothing.
enum class Kernels { kAll, kMultiplying, kLast };

/// The launches' block shape: each extent is one of its values; no values = anything.
struct BlockRule {
  std::string range;
  std::vector<Expression> x, y, z;
  Kernels kernels = Kernels::kAll;

  bool operator==(const BlockRule&) const = default;
};

/// The same of the launches' grids.
struct GridRule {
  std::string range;
  std::vector<Expression> x, y, z;

  bool operator==(const GridRule&) const = default;
};

/// Bytes of shared memory for each block of each launch: one of the values; no values = anything.
/// The bounds are for the sum of both kinds.
struct SharedMemoryRule {
  std::string range;
  std::vector<Expression> static_bytes, dynamic_bytes;
  std::optional<Expression> at_least_bytes, at_most_bytes;
  Kernels kernels = Kernels::kAll;

  bool operator==(const SharedMemoryRule&) const = default;
};

/// Number of successful calls of `api`, or its Async form, in the range.
struct CallsRule {
  std::string range;
  std::string api;
  std::optional<Expression> at_least, at_most;

  bool operator==(const CallsRule&) const = default;
};

/// Memory, events and streams that the range makes are given back in it, and nothing else is.
struct FreedRule {
  std::string range;
  /// The memory checker of some item charges the range for giving back what is not there, which costs once.
  bool refusals_cost_elsewhere = false;

  bool operator==(const FreedRule&) const = default;
};

/// What may be called between two events that time a kernel.
enum class Between { kNoCopies, kLaunches, kOneKernel };

/// Which elements of an array hold times of events: the one that `index` names, or each one that of two
/// events of its own.
enum class TimedElements { kOne, kEach };

/// Which launches the events must enclose: those that do most of the range's work, or those that do as much as its
/// last launch, where another rule says what that one does.
enum class TimedLaunches { kHeaviest, kLikeLast };
enum class TimeOf { kAllOrOne, kOne };

/// Each launch lies between two events, and `time_array`[index] holds the time that CUDA told
/// between them.
struct TimedByEventsRule {
  std::string range;
  std::string time_array = "times";
  int index = 0;
  /// kLaunches: launches and what belongs to them alone. kOneKernel: these, and all of one kernel.
  Between between = Between::kNoCopies;
  TimedElements elements = TimedElements::kOne;
  TimedLaunches timed = TimedLaunches::kHeaviest;
  TimeOf of = TimeOf::kAllOrOne;

  bool operator==(const TimedByEventsRule&) const = default;
};

/// A kernel that events time ran once before the first of these events.
struct WarmedUpRule {
  std::string range;

  bool operator==(const WarmedUpRule&) const = default;
};

/// The result was computed by kernels: enough multiplications, and its bytes came from the device.
struct OnDeviceRule {
  std::string range;
  std::string array;
  std::optional<Expression> multiply_adds;

  bool operator==(const OnDeviceRule&) const = default;
};

/// Number of launches in the range.
struct LaunchesRule {
  std::string range;
  std::optional<Expression> at_least, at_most;

  bool operator==(const LaunchesRule&) const = default;
};

/// None of these checkers found anything, where a range is named: about the kernels launched in it.
struct NoFindingsRule {
  std::vector<std::string> checkers = {"memory"};
  std::string range;

  bool operator==(const NoFindingsRule&) const = default;
};

/// Some of these checkers found something about the kernels launched in the range: for a
/// demonstration of what goes wrong.
struct FindingsRule {
  std::vector<std::string> checkers;
  std::string range;

  bool operator==(const FindingsRule&) const = default;
};

/// What `on` names: what threads leave in shared memory for each other, __constant__ variables, or what atomics change.
enum class Means { kSharedMemory, kConstantMemory, kAtomics };
enum class Dependents { kHalf, kAll };

/// The array is another one where the kernels of the range have to do without these means.
struct DependsOnRule {
  std::string range;
  std::string array;
  Means on = Means::kSharedMemory;
  Dependents elements = Dependents::kHalf;

  bool operator==(const DependsOnRule&) const = default;
};

/// These tools of compute-sanitizer ran the program on a GPU and found nothing.
struct SanitizerRule {
  std::vector<std::string> tools;

  bool operator==(const SanitizerRule&) const = default;
};

using Rule = std::variant<AllocationsRule, CopiesRule, PitchedParamsRule, PaddingUntouchedRule,
                          DeviceRule, BlockRule, GridRule, SharedMemoryRule, CallsRule, FreedRule,
                          TimedByEventsRule, WarmedUpRule, OnDeviceRule, LaunchesRule,
                          NoFindingsRule, FindingsRule, DependsOnRule, SanitizerRule>;

/// A number, or a formula over the case's.
using Bound = std::variant<double, Expression>;

/// Who counts: the emulated device, or a GPU's own counters.
enum class CounterSource { kEmulated, kHardware };

/// One number about the range's launches, perhaps held against bounds: a counter (an ncu name, summed,
/// or one of derived_counters(); of the hardware, one of hardware_counters()) or, in performance
/// items, one of time_metrics().
struct Metric {
  std::string range;
  std::string name;
  std::optional<Bound> at_least, at_most;
  std::string over;                ///< `speedup`: the baseline; "reference" is the model answer.
  std::optional<Expression> work;  ///< `gb_per_s`: bytes; `gflop_per_s`: floating-point operations.
  CounterSource source = CounterSource::kEmulated;  ///< kEfficiency only.
  /// The least that a right answer moves and computes; quicker than a device can is not believed.
  std::optional<Expression> least_bytes = {}, least_flop = {};
  /// A counter of memory_counters(): the output on whose memory it is counted; empty: on all memory.
  std::string array = {};

  bool operator==(const Metric&) const = default;
};

/// Numbers that counters and launch shapes give together, such as sectors_per_global_load.
const std::vector<std::string>& derived_counters();

/// Our stable names for what the counters of every kind of GPU can tell.
const std::vector<std::string>& hardware_counters();

/// compute-sanitizer's tools: memcheck, racecheck, initcheck, synccheck.
const std::vector<std::string>& sanitizer_tools();

/// Which numbers a performance item may be about: time_ms, speedup, gb_per_s, gflop_per_s.
const std::vector<std::string>& time_metrics();

enum class ItemKind { kBuild, kCorrectness, kRequirement, kEfficiency, kPerformance };

/// What a performance item is worth where no GPU is: kModel, by the time model; kPending, not yet.
enum class WithoutGpu { kModel, kPending };

/// What a lost item tells besides its reason.
struct Hint {
  /// Ids of reasons and findings, or what such ids begin with ("race"); empty: it fits every way to lose.
  std::vector<std::string> fits = {};
  std::string text;

  bool fits_one_of(const std::vector<std::string>& ids) const;
  bool operator==(const Hint&) const = default;
};

/// One line of the grade.
struct Item {
  std::string id;
  std::string title;
  ItemKind kind = ItemKind::kCorrectness;
  double points = 0;
  std::vector<std::string> needs;  ///< Items that must have passed for this one to earn anything.
  /// Items; a case that one of them, or one that these need, fails in costs nothing here.
  std::vector<std::string> where_passed = {};
  std::vector<std::string> cases;   ///< Case ids, `all` spelled out; empty for a build item.
  std::vector<OutputRule> outputs;  ///< kCorrectness only.
  std::vector<Rule> rules;          ///< kRequirement only.
  std::optional<Metric> metric;     ///< kEfficiency and kPerformance, and always there.
  std::optional<Curve> curve;       ///< The same; kEfficiency may do without.
  WithoutGpu without_gpu = WithoutGpu::kModel;  ///< kPerformance only.
  std::vector<Hint> hints = {};  ///< The first that fits is shown when the item is lost.
  /// Kinds of cases that it is not judged in, each with the reason.
  std::map<std::string, std::string> leaves_out = {};

  bool is_judged_by(std::string_view case_id) const;
};

/// What a plot shows of each kernel.
enum class Shown { kTime, kBandwidth, kSectors };

/// A plot of each kernel over public cases, for the student's page. It judges nothing.
struct Plot {
  Shown shows = Shown::kTime;
  Expression against;              ///< What runs from left to right, of a case's arguments.
  std::vector<std::string> cases;  ///< Case ids, `all` spelled out.
};

struct Rubric {
  std::string assignment;
  std::string title;
  std::string submission;  ///< Name of the one file handed in.
  Limits limits;
  std::vector<std::string> devices;
  Requires required;  ///< Key `requires`.
  LatePolicy late;
  ProofPolicy proof;  ///< That of the course.
  double weight = 1;  ///< The assignment's weight in the course.
  Origins origins;    ///< Where limits, devices, late and weight come from.
  std::vector<Case> cases;
  std::vector<Item> items;
  std::vector<Plot> plots;
  double hidden_points = 0;  ///< The points of items that a student's rubric leaves out.

  /// nullptr where there is none.
  const Case* find_case(std::string_view id) const;
  const Item* find_item(std::string_view id) const;
};

/// Which cases to grade by: the student's view leaves hidden ones out.
struct Selection {
  bool hidden = true;
  std::vector<std::string> case_ids = {};  ///< Empty = all.
};

/// The rubric without the cases that are not selected, and without the items that have none left.
Rubric select(Rubric rubric, const Selection& selection);

std::string_view to_string(ItemKind kind);
std::string_view to_string(Visibility visibility);

struct Translation;

/// Reads a rubric strictly, over the settings of `course.yaml` in the same folder, if one is there.
/// The Error's message is the whole list of mistakes, each as
/// `name:line:column: error: ...` with the source line, a caret and what to write instead, ready to
/// print. Titles and hints are in the language where the assignment has a translation into it.
Result<Rubric> read_rubric(const Files& files, const fs::path& path,
                           const std::string& language = "");

/// The same for text already in memory; `name` stands in for the path.
Result<Rubric> parse_rubric(std::string_view text, std::string_view name, const Course& course = {},
                            const Translation* translation = nullptr);

/// The mistakes of one file, which is a rubric or `course.yaml`.
std::vector<Mistake> lint(const Files& files, const fs::path& path);

/// The JSON Schema of rubrics, made from what the reader reads by.
std::string rubric_schema();

}  // namespace warpgrade
