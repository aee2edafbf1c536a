// SPDX-License-Identifier: MIT
#include "emulator/model/time_shares.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

/// A launch of three instructions: a load, an addition, a store.
struct Kernel {
  Program program;
  CostProfile profile;
  std::vector<ExecutionCount> counts = std::vector<ExecutionCount>(3);
  std::vector<RareCount> rare = std::vector<RareCount>(3);
  LaunchWork work;

  Kernel() {
    program.opcodes = {"ld.global.f32", "add.f32", "st.global.f32"};
    for (const auto& opcode : program.opcodes) profile.costs.push_back(op_cost(opcode, false));
    for (ExecutionCount& count : counts) count.warps = 1000;
    counts[0].sectors = 1000;
    counts[2].sectors = 3000;
    work.load_sectors = work.load_miss_sectors = 1000;
    work.store_sectors = 3000;
    work.read_bytes = 32 * 1000;
    work.written_bytes = 32 * 3000;
    BasicBlock block;
    block.end = 3;
    block.path.fixed = 30;
    block.path.global = 1;
    profile.blocks = {block};
  }

  std::vector<double> shares(std::vector<PipeTime> pipes) const {
    TimeEstimate estimate;
    estimate.pipes = std::move(pipes);
    estimate.load_clocks = 500;
    return time_shares({program, counts, rare}, profile, work, *find_device_model("H200"),
                       estimate);
  }
};

double sum(const std::vector<double>& shares) {
  double all = 0;
  for (const double share : shares) all += share;
  return all;
}

TEST(TimeShares, OfALaunchThatDramBoundsGoByTheBytesThatItMoves) {
  const std::vector<double> shares = Kernel().shares({{"dram", "", 1}});
  EXPECT_NEAR(shares[0], 0.25, 1e-9);
  EXPECT_EQ(shares[1], 0);
  EXPECT_NEAR(shares[2], 0.75, 1e-9);
}

TEST(TimeShares, OfALaunchThatWaitsGoByWhatItsWarpsWaitFor) {
  const std::vector<double> shares = Kernel().shares({{"latency", "", 1}});
  EXPECT_GT(shares[0], 0.9);
  EXPECT_GT(shares[1], 0);
  EXPECT_NEAR(sum(shares), 1, 1e-9);
}

TEST(TimeShares, AreThoseOfTheLongestPipeAndOfHardlyAnyOther) {
  const std::vector<double> shares = Kernel().shares({{"alu", "", 1}, {"dram", "", 0.5}});
  EXPECT_GT(shares[1], 0.99);
  EXPECT_NEAR(sum(shares), 1, 1e-9);
}

TEST(TimeShares, TakeWhatNoInstructionIsToBlameForOutOfTheSum) {
  const Kernel kernel;
  EXPECT_NEAR(sum(kernel.shares({{"blocks", "", 1}, {"dram", "", 1}})), 1, 1e-9);
  EXPECT_EQ(sum(kernel.shares({{"blocks", "", 1}})), 0);
}

TEST(TimeShares, AreNoughtOfALaunchThatTakesNoTime) { EXPECT_EQ(sum(Kernel().shares({})), 0); }

TEST(TimeShares, TellWhatOneWarpWaitsForOtherBlocksWhereItMeetsThem) {
  Kernel kernel;
  kernel.program.opcodes[0] = "ld.acquire.gpu.u32";
  kernel.profile.costs[0] = op_cost(kernel.program.opcodes[0], false);
  kernel.work.blocks = kernel.work.warps_per_block = 1;
  const double before = kernel.shares({{"latency", "", 1}})[0];
  kernel.work.path_alone.fixed = 1e9;
  EXPECT_LT(before, 0.99);
  EXPECT_GT(kernel.shares({{"latency", "", 1}})[0], 0.99);
}

}  // namespace
}  // namespace warpgrade::emulator
