// SPDX-License-Identifier: MIT
#include "plan/words.h"

#include <gtest/gtest.h>

#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr const char* kCourse = R"(
devices: [T4]
limits: {wall_s: 20, memory_mb: 512}
late: {grace_minutes: 15, points_per_day: 10}
assignments:
  - {slug: sum, weight: 2, due: 2026-10-05 23:59 +02:00}
)";

constexpr const char* kRubric = R"(
assignment: sum
title: A sum
submission: sum.cu
limits: {wall_s: 5}
requires: {compute_capability: '>=7.0', binary: [sm_90, compute_75]}
cases:
  - {id: small, visibility: public, family: integers, args: {N: 17, mode: fast}, devices: [H100],
     order: 2}
  - {id: large, family: integers, args: {N: 1000}, on_gpu: {N: 4000000}}
items:
  - {id: sum, title: The sum is right, kind: correctness, points: 60, cases: all, needs: [kernel],
     outputs: [{array: total, computed_in: sum}, {array: parts, tolerance: {dot_product: N}, layout: matrix}]}
  - {id: kernel, title: By a kernel, kind: requirement, points: 30, cases: [large],
     rules: [{launches: {range: sum, at_least: 1}}, {block: {range: sum, x: [128, 256]}},
             {no_findings: {}}, {sanitizer: {tools: [memcheck, initcheck]}}, {on_device: {range: sum, array: total}},
             {on_device: {range: sum, array: parts, multiply_adds: N/2}},
             {launches: {range: parts, at_least: 2, at_most: 2}},
             {shared_memory: {range: sum, dynamic_bytes: 0, at_least_bytes: 4*N}},
             {shared_memory: {range: parts, static_bytes: [512, 1024]}}]}
  - {id: traffic, title: Moves little, kind: efficiency, points: 0, cases: [large],
     metric: {range: sum, name: dram_bytes, source: hardware, at_most: 5*N}}
  - {id: speed, title: Fast, kind: performance, points: 10, cases: [large], needs: [sum],
     metric: {range: sum, name: speedup, over: naive, least_bytes: 4*N, least_flop: N}, without_gpu: model,
     curve: {interpolation: log, points: [[1, 0], [4, 1]]}}
)";

Rubric sample() {
  const Result<Course> course = parse_course(kCourse, "course.yaml");
  EXPECT_TRUE(course.ok()) << course.error().message;
  const Result<Rubric> rubric = parse_rubric(kRubric, "sum.yaml", *course);
  EXPECT_TRUE(rubric.ok()) << rubric.error().message;
  return *rubric;
}

TEST(FormatSettings, TellsOfEachSettingWhereItComesFrom) {
  EXPECT_EQ(format_settings(sample()),
            R"(sum: A sum
Settings, and where they come from:
  devices                      T4                            course
  requires.compute_capability  >=7.0                         rubric
  requires.major               any                           default
  requires.binary              sm_90, compute_75             rubric
  limits.wall_s                5                             rubric
  limits.memory_mb             512                           course
  limits.output_kb             64                            default
  limits.processes             64                            default
  limits.compile_s             60                            default
  limits.launch_instructions   20000000                      default
  late.due                     2026-10-05 23:59 +02:00       course
  late.grace_minutes           15                            course
  late.points_per_day          10                            course
  late.curve                   none                          default
  late.extensions              0 extensions                  default
  weight                       2                             course
)");
}

TEST(FormatCases, SaysWhatEachRunIs) {
  EXPECT_EQ(format_cases(sample()),
            "Cases:\n"
            "  small (public): N=17 mode=fast, inputs integers, on H100, in order 2\n"
            "  large (hidden): N=1000, inputs integers, on T4\n"
            "      timed on a GPU with N=4000000\n");
}

TEST(FormatItems, SaysInWordsWhatEachIsJudgedBy) {
  EXPECT_EQ(format_items(sample()),
            R"(Items:
  sum (correctness, 60 points): The sum is right
      `total` equals what is expected exactly, and kernels of `sum` compute it
      `parts` is as exact as a float dot product of `N` terms
      Places in `parts` are told by row and column
      on every case
      only with kernel
  kernel (requirement, 30 points): By a kernel
      In `sum`, the number of launches is at least `1`
      In `sum`, each block has x = `128` or `256`
      The memory checker finds nothing
      On a GPU, compute-sanitizer's memcheck and initcheck find nothing
      In `sum`, kernels compute `total`
      In `sum`, kernels compute `parts` with at least `N/2` multiplications
      In `parts`, the number of launches is exactly `2`
      In `sum`, each block has `0` bytes of dynamic shared memory and at least `4*N` bytes of shared memory in all
      In `parts`, each block has `512` or `1024` bytes of static shared memory
      on large
  traffic (efficiency, 0 points): Moves little
      In `sum`, the number of `dram_bytes` is at most `5*N` by a GPU's counters
      on large
  speed (performance, 10 points): Fast
      The kernels of `sum` are timed beside the baseline `naive`
      The share of the points is 0 % at 1 and 100 % at 4, on a straight line over the logarithm between
      No device moves `4*N` bytes quicker than its memory can
      No device does `N` floating-point operations quicker than it can
      Without a GPU, the time model judges it
      on large
      only with sum
)");
}

/// Every sentence with all of a rule's values, for students who have nothing else.
TEST(DemandsOf, SayEachRuleWithItsValues) {
  const auto formula = [](const char* text) { return *Expression::parse(text); };
  const std::pair<Rule, std::string> kSentences[] = {
      {AllocationsRule{"a", "cudaMallocPitch", {{formula("4*N"), formula("M")}, {formula("8")}}},
       "In `a`, kernels touch only memory from `cudaMallocPitch`, which is asked for `4*N` x `M` "
       "and "
       "`8` bytes"},
      {CopiesRule{"a", "cudaMemcpy2D"},
       "In `a`, `cudaMemcpy2D` fills all that kernels read and reads back all that they write, "
       "whole "
       "and with the right pitches"},
      {PitchedParamsRule{"a", 8},
       "In `a`, kernels get a `cudaPitchedPtr` of each pitched allocation that they touch, with "
       "sizes "
       "in elements of 8 bytes"},
      {PitchedParamsRule{"a", 4, {{formula("4*N"), formula("M")}}},
       "In `a`, kernels get a `cudaPitchedPtr` of each allocation that they touch, with sizes in "
       "elements of 4 bytes"},
      {PaddingUntouchedRule{"a"}, "In `a`, no kernel reads or writes the padding of rows"},
      {DeviceRule{formula("8")},
       "Kernels run only on devices whose compute capability has the major number `8`"},
      {GridRule{"a", {formula("ceil_div(N, 32)")}, {}, {formula("1")}},
       "In `a`, each grid has x = `ceil_div(N, 32)` and z = `1`"},
      {BlockRule{"a", {formula("N")}, {}, {}, Kernels::kMultiplying},
       "In `a`, each block of a kernel that multiplies has x = `N`"},
      {BlockRule{"a", {formula("N")}, {}, {}, Kernels::kLast},
       "In `a`, each block of the kernel that is launched last has x = `N`"},
      {SharedMemoryRule{"a", {}, {formula("4*N")}, {}, {}, Kernels::kMultiplying},
       "In `a`, each block of a kernel that multiplies has `4*N` bytes of dynamic shared memory"},
      {CallsRule{"a", "cudaMemcpy", formula("1"), formula("2")},
       "In `a`, the number of successful calls of `cudaMemcpy` is at least `1` and at most `2`"},
      {FreedRule{"a"},
       "In `a`, the program releases every allocation, event, stream and other object that it "
       "makes"},
      {TimedByEventsRule{"a", "times", 2},
       "In `a`, two events enclose each launch, and `times[2]` holds the time between them"},
      {TimedByEventsRule{"a", "ms", 0, Between::kOneKernel},
       "In `a`, two events enclose each launch and nothing but launches of one kernel, and `ms[0]` "
       "holds the time between them"},
      {TimedByEventsRule{"a", "ms", 0, Between::kOneKernel, TimedElements::kEach},
       "In `a`, two events enclose each launch and nothing but launches of one kernel, and each "
       "element of `ms` holds the time between two events of its own"},
      {WarmedUpRule{"a"}, "In `a`, a kernel that events time runs once before the first of them"},
      {NoFindingsRule{{"race", "sync"}, "a"},
       "The race and sync checkers find nothing in kernels of `a`"},
      {FindingsRule{{"race", "memory"}, "a"},
       "In kernels of `a`, the race or memory checker finds a mistake"}};
  for (const auto& [rule, sentence] : kSentences) {
    EXPECT_EQ(describe(rule), sentence);
    for (const std::string& language : languages())
      EXPECT_EQ(describe(rule, language) == sentence, language == "en") << language;
  }
}

TEST(DemandsOf, SayEachMetricWithItsBounds) {
  const auto formula = [](const char* text) { return *Expression::parse(text); };
  const std::pair<Metric, std::string> kSentences[] = {
      {Metric{"a", "global_loads_per_warp", 1.5, 4., "", {}},
       "In `a`, the number of loads from global memory for each warp (`global_loads_per_warp`) is "
       "at least `1.5` and at most `4`"},
      {Metric{"a", "launch__thread_count", {}, formula("2*N"), "", {}},
       "In `a`, the number of `launch__thread_count` is at most `2*N`"},
      {Metric{"a", "launch__thread_count", {}, {}, "", {}},
       "In `a`, the number of `launch__thread_count` is counted"},
      {Metric{"a", "time_ms", {}, {}, "", {}}, "The kernels of `a` are timed in milliseconds"},
      {Metric{"a", "gb_per_s", {}, {}, "", formula("8*N")},
       "The kernels of `a` are timed for `8*N` bytes, in GB/s"},
      {Metric{"a", "gflop_per_s", {}, {}, "", formula("N")},
       "The kernels of `a` are timed for `N` floating-point operations, in GFLOP/s"}};
  for (const auto& [metric, sentence] : kSentences) {
    EXPECT_EQ(describe(metric), sentence);
    for (const std::string& language : languages())
      EXPECT_EQ(describe(metric, language) == sentence, language == "en") << language;
  }
}

TEST(DemandsOf, AreSaidInTheLanguageAskedFor) {
  const Item kernel = sample().items[1];
  const std::vector<std::string> demands = demands_of(kernel, "it");
  EXPECT_EQ(demands[0], "In `sum`, il numero di lanci è almeno `1`");
  EXPECT_EQ(demands[1], "In `sum`, ogni blocco ha x = `128` o `256`");
  EXPECT_EQ(demands_of(kernel, "none"), demands_of(kernel));
}

}  // namespace
}  // namespace warpgrade
