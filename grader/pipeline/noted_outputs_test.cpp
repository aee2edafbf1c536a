// SPDX-License-Identifier: MIT
#include "pipeline/noted_outputs.h"

#include <gtest/gtest.h>

#include "base/npy.h"

namespace warpgrade {
namespace {

struct NotedRun {
  RunStep step;
  RunResult run;
  Trace trace;

  NotedRun() {
    run.process.ending = Ending::kExited;
    run.outputs = {{"accepted", make_npy<int32_t>({2}, {1, 0})}};
    trace.source = "emulated";
    trace.outputs = {{1, "accepted", "ffffffffffffffff"}, {2, "accepted", "0100000000000000"}};
  }
  size_t count() const { return changed_outputs(step, run, trace).size(); }
};

TEST(NotedOutputs, AreAsTheDriverNotedThemLast) {
  NotedRun run;
  EXPECT_EQ(run.count(), 0u);
  run.run.outputs.at("accepted") = make_npy<int32_t>({2}, {1, 1});
  ASSERT_EQ(run.count(), 1u);
  const Finding finding = changed_outputs(run.step, run.run, run.trace)[0];
  EXPECT_EQ(finding.checker, "harness");
  EXPECT_EQ(finding.message, "it wrote over the driver's output \"accepted\"");
}

TEST(NotedOutputs, AreAllThatTheDriverWrites) {
  NotedRun run;
  run.trace.outputs.clear();
  EXPECT_EQ(run.count(), 1u) << "a file that the driver has not written";
  run.step.derived = {{"accepted", {"C"}}};
  EXPECT_EQ(run.count(), 0u) << "the oracle made it";
}

TEST(NotedOutputs, AreLargeOnesThatTheDriverSaysThatItWrites) {
  NotedRun run;
  run.trace.outputs = {{1, "C"}};
  run.run.outputs = {{"C", make_npy<int32_t>({300}, std::vector<int32_t>(300))}};
  EXPECT_EQ(run.count(), 0u);
  run.run.outputs = {{"C", make_npy<int32_t>({0}, {})}};
  EXPECT_EQ(run.count(), 1u) << "a small file in the place of the driver's";
  run.run.outputs = {{"D", make_npy<int32_t>({300}, std::vector<int32_t>(300))}};
  EXPECT_EQ(run.count(), 1u) << "a file that the driver has not written";
}

TEST(NotedOutputs, AreUnknownOnGpus) {
  NotedRun on_gpu;
  on_gpu.trace.outputs.clear();
  on_gpu.trace.source = "gpu";
  EXPECT_EQ(on_gpu.count(), 0u);
}

}  // namespace
}  // namespace warpgrade
