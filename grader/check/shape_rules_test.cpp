// SPDX-License-Identifier: MIT
#include "check/shape_rules.h"

#include <gtest/gtest.h>

#include "check/sample_trace.h"

namespace warpgrade {
namespace {

TEST(BlockRule, SeesAnotherShape) {
  const BlockRule rule{"padded", {Expression(8), Expression(16)}, {formula("height")}, {}};
  EXPECT_EQ(breach(rule, SampleProgram().facts), "");
  SampleProgram program;
  program.launch().block = {32, 16, 1};
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=x, kernel=product, shape=32 x 16 x 1, wanted=8 or 16)");
  program.launch().block = {16, 8, 1};
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=y, kernel=product, shape=16 x 8 x 1, wanted=16)");
}

TEST(BlockRule, SeesKernelsThatAFaultEndedBesideOneThatSucceeded) {
  const BlockRule rule{"padded", {Expression(16)}, {}, {}};
  SampleProgram program;
  KernelLaunch faulted = program.launch();
  faulted.block = {1, 1, 1};
  faulted.result = 719;
  program.facts.trace.launches.push_back(faulted);
  EXPECT_EQ(breach(rule, program.facts), "") << "CUDA refused it";
  program.facts.trace.launches.back().has_faulted = true;
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=x, kernel=product, shape=1 x 1 x 1, wanted=16)");
}

TEST(BlockRule, LeavesKernelsAloneThatMultiplyNothingWhereTheRubricSaysSo) {
  BlockRule rule{"padded", {formula("height")}, {}, {}, Kernels::kMultiplying};
  SampleProgram program;
  KernelLaunch adding = program.launch();
  adding.block = {32, 1, 1};
  adding.metrics.clear();
  program.facts.trace.launches.push_back(adding);
  program.launch().metrics["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"] = 1;
  EXPECT_EQ(breach(rule, program.facts), "");
  program.launch().block = {32, 1, 1};
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=x, kernel=product, shape=32 x 1 x 1, wanted=16)");
  program.launch().block = {16, 16, 1};
  rule.kernels = Kernels::kAll;
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=x, kernel=product, shape=32 x 1 x 1, wanted=16)");
  rule.range = "dense";
  rule.kernels = Kernels::kMultiplying;
  EXPECT_EQ(breach(rule, program.facts), "launch.none(range=dense)");
}

TEST(BlockRule, LooksAtTheKernelThatIsLaunchedLastWhereTheRubricSaysSo) {
  const BlockRule rule{"padded", {formula("height")}, {}, {}, Kernels::kLast};
  SampleProgram program;
  KernelLaunch clearing = program.launch();
  clearing.kernel = "clear";
  clearing.block = {32, 1, 1};
  auto& launches = program.facts.trace.launches;
  launches.insert(launches.begin(), clearing);
  EXPECT_EQ(breach(rule, program.facts), "");
  launches.push_back(clearing);
  EXPECT_EQ(breach(rule, program.facts),
            "shape.block(axis=x, kernel=clear, shape=32 x 1 x 1, wanted=16)");
}

TEST(GridRule, SeesAnotherShape) {
  const GridRule rule{"padded", {formula("ceil_div(K, 16)")}, {formula("ceil_div(M, height)")}, {}};
  EXPECT_EQ(breach(rule, SampleProgram().facts), "");
  SampleProgram program;
  program.launch().grid = {5, 2, 1};
  EXPECT_EQ(breach(rule, program.facts),
            "shape.grid(axis=y, kernel=product, shape=5 x 2 x 1, wanted=3)");
  EXPECT_EQ(breach(GridRule{"dense", {}, {}, {}}, program.facts), "launch.none(range=dense)");
}

TEST(SharedMemoryRule, TellsStaticFromDynamic) {
  SampleProgram program;
  program.launch().dynamic_shared_bytes = 8192;
  const SharedMemoryRule dynamic{"padded", {Expression(0)}, {formula("2*32*32*4")}, {}, {}};
  EXPECT_EQ(breach(dynamic, program.facts), "");
  program.launch().static_shared_bytes = 8192;
  program.launch().dynamic_shared_bytes = 0;
  EXPECT_EQ(breach(dynamic, program.facts), "shared.static(bytes=8192, kernel=product, wanted=0)");
}

TEST(SharedMemoryRule, LeavesKernelsAloneThatMultiplyNothingWhereTheRubricSaysSo) {
  SharedMemoryRule rule{"padded", {}, {Expression(64)}, {}, {}, Kernels::kMultiplying};
  SampleProgram program;
  program.launch().metrics.clear();
  program.launch().dynamic_shared_bytes = 0;
  EXPECT_EQ(breach(rule, program.facts), "");
  program.launch().metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 1;
  EXPECT_EQ(breach(rule, program.facts), "shared.dynamic(bytes=0, kernel=product, wanted=64)");
}

TEST(SharedMemoryRule, BoundsTheSumOfBothKinds) {
  SampleProgram program;
  program.launch().static_shared_bytes = 100;
  program.launch().dynamic_shared_bytes = 28;
  const auto within = [](long least, long most) {
    return SharedMemoryRule{"padded", {}, {}, Expression(least), Expression(most)};
  };
  EXPECT_EQ(breach(within(128, 128), program.facts), "");
  EXPECT_EQ(breach(within(129, 200), program.facts),
            "shared.too_little(bytes=128, kernel=product, wanted=129)");
  EXPECT_EQ(breach(within(0, 127), program.facts),
            "shared.too_much(bytes=128, kernel=product, wanted=127)");
}

}  // namespace
}  // namespace warpgrade
