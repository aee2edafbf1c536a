// SPDX-License-Identifier: MIT
#include "plan/words.h"

#include <gtest/gtest.h>

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
  - {id: small, visibility: public, family: integers, args: {N: 17, mode: fast}, devices: [H100]}
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
            "  small (public): N=17 mode=fast, inputs integers, on H100\n"
            "  large (hidden): N=1000, inputs integers, on T4\n"
            "      timed on a GPU with N=4000000\n");
}

TEST(FormatItems, SaysInWordsWhatEachIsJudgedBy) {
  EXPECT_EQ(format_items(sample()),
            R"(Items:
  sum (correctness, 60 points): The sum is right
      total is right, exact, computed by kernels of 'sum'
      parts is right, as a float dot product of N terms, told by row and column
      on every case
      only with kernel
  kernel (requirement, 30 points): By a kernel
      'sum' launches kernels: at least 1
      in 'sum', blocks are 128 or 256 x anything x anything
      memory finds nothing
      on a GPU, compute-sanitizer's memcheck, initcheck find nothing
      in 'sum', kernels compute total
      in 'sum', kernels compute parts with at least N/2 multiplications
      'parts' launches kernels: exactly 2
      in 'sum', a block's bytes of shared memory are 0 dynamic, at least 4*N in all
      in 'parts', a block's bytes of shared memory are 512 or 1024 static
      on large
  traffic (efficiency, 0 points): Moves little
      dram_bytes in 'sum' by a GPU's counters at most 5*N
      on large
  speed (performance, 10 points): Fast
      speedup in 'sum' over 'naive'
      moves at least 4*N bytes
      computes at least N floating-point operations
      paid by the curve log (1: 0, 4: 1)
      without a GPU: by the time model
      on large
      only with sum
)");
}

}  // namespace
}  // namespace warpgrade
