// SPDX-License-Identifier: MIT
#include "emulator/model/make_work.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kBlocks = 1024;
constexpr double kSectors = 1 << 20, kRequests = kSectors / 4;

/// Loads of a launch whose sampled blocks found all that they loaded in the L1 cache.
FootprintTotals cached_loads() {
  FootprintTotals seen;
  seen.blocks = Footprint::kSamples;
  seen.load_sectors = 64 * seen.blocks;
  seen.load_requests = seen.load_wavefronts = seen.load_sectors / 4;
  seen.warp_sectors = seen.block_sectors = 1;
  seen.most_of_block.load_sectors = 64;
  return seen;
}

LaunchWork work_of(const FootprintTotals& seen) {
  Program program;
  program.opcodes = {"ld.global.f32"};
  CostProfile profile;
  profile.costs = {op_cost("ld.global.f32", false)};
  std::vector<ExecutionCount> counts(1);
  counts[0].warps = counts[0].requests = static_cast<uint64_t>(kRequests);
  counts[0].sectors = static_cast<uint64_t>(kSectors);
  const std::vector<RareCount> rare(1);
  return make_work({program, counts, rare}, profile, seen, WorkSpread(), kBlocks, 4);
}

TEST(MakeWork, TakesTheSampledBlocksForAllWhereTheyDoAsMuchAsAll) {
  FootprintTotals seen = cached_loads();
  seen.most_of_block.load_sectors = kSectors / kBlocks;
  const LaunchWork work = work_of(seen);
  EXPECT_DOUBLE_EQ(work.load_miss_sectors, 0);
  EXPECT_DOUBLE_EQ(work.load_wavefronts, kRequests);
  EXPECT_DOUBLE_EQ(work.read_bytes, 0);
}

TEST(MakeWork, TakesNoCacheToServeWhatBlocksUnlikeTheSampledOnesLoad) {
  const LaunchWork work = work_of(cached_loads());
  const double unlike = kSectors - 1.05 * 64 * kBlocks;
  EXPECT_NEAR(work.load_miss_sectors, unlike, 1);
  EXPECT_NEAR(work.load_warp_miss_sectors, unlike, 1);
  EXPECT_NEAR(work.read_bytes, 32 * unlike, 32);
  EXPECT_NEAR(work.load_miss_requests, unlike / 4, 1);
}

TEST(MakeWork, TakesNoCacheToServeWhatNoSampledBlockLoads) {
  const LaunchWork work = work_of({});
  EXPECT_DOUBLE_EQ(work.load_miss_sectors, kSectors);
  EXPECT_DOUBLE_EQ(work.load_wavefronts, kRequests);
  EXPECT_DOUBLE_EQ(work.read_bytes, 32 * kSectors);
}

}  // namespace
}  // namespace warpgrade::emulator
