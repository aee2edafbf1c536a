// SPDX-License-Identifier: MIT
#include "emulator/model/work_spread.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

LaunchWork told(const WorkSpread& spread, double blocks, double warps) {
  LaunchWork work;
  work.blocks = blocks;
  work.warps_per_block = warps;
  spread.tell(work);
  return work;
}

TEST(WorkSpread, TellsLongWarpsOfABlockFromLongWarpsOfTheLaunch) {
  WorkSpread spread(4);
  spread.note(0, 10, 20);
  spread.note(1, 30, 60);
  const LaunchWork work = told(spread, 2, 2);
  EXPECT_DOUBLE_EQ(work.warp_imbalance, 1);
  EXPECT_DOUBLE_EQ(work.working_blocks, 80.0 * 80 / (20 * 20 + 60 * 60));
  EXPECT_DOUBLE_EQ(work.longest_warp, 1.2);
}

TEST(WorkSpread, GivesBlocksToMultiprocessorsInTurn) {
  WorkSpread first(2), second(2);
  first.note(0, 5, 5);
  first.note(1, 1, 1);
  second.note(2, 5, 5);
  second.note(3, 1, 1);
  first.merge(second);
  EXPECT_DOUBLE_EQ(told(first, 4, 1).busiest_share, 10.0 / 12);
  EXPECT_DOUBLE_EQ(told(first, 4, 1).longest_warp, 5 * (12.0 * 12 / 52) / 12);
}

TEST(WorkSpread, CountsBlocksThatDoNextToNothingForNextToNothing) {
  WorkSpread spread(4);
  for (uint64_t block = 0; block < 160; ++block) {
    const uint64_t instructions = block % 16 == 0 ? 1000 : 1;
    spread.note(block, instructions, instructions);
  }
  const LaunchWork work = told(spread, 160, 1);
  EXPECT_NEAR(work.working_blocks, 10, 0.5);
  EXPECT_NEAR(work.longest_warp, 1, 0.05);
}

TEST(WorkSpread, TellsNothingOfALaunchWithoutInstructions) {
  EXPECT_DOUBLE_EQ(told(WorkSpread(4), 1, 1).busiest_share, 0);
}

}  // namespace
}  // namespace warpgrade::emulator
