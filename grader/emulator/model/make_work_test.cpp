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

LaunchWork work_of(const FootprintTotals& seen, const L1Caches& caches = {}) {
  Program program;
  program.opcodes = {"ld.global.f32"};
  CostProfile profile;
  profile.costs = {op_cost("ld.global.f32", false)};
  std::vector<ExecutionCount> counts(1);
  counts[0].warps = counts[0].requests = static_cast<uint64_t>(kRequests);
  counts[0].sectors = static_cast<uint64_t>(kSectors);
  const std::vector<RareCount> rare(1);
  return make_work({program, counts, rare}, profile, seen, WorkSpread(), kBlocks, 4, caches);
}

/// Loads of a launch whose blocks read the same 64 KB.
FootprintTotals shared_table() {
  FootprintTotals seen = cached_loads();
  AllocationUse use;
  use.bytes = 64 << 10;
  use.granules = 1024;
  use.by_blocks = 1024 * seen.blocks;
  use.high = 1023;
  use.low = 0;
  use.block_sectors = use.misses = use.miss_lines = use.miss_requests = 2048 * seen.blocks;
  seen.load_sectors = seen.warp_misses = seen.warp_sectors = seen.block_sectors = use.misses;
  seen.miss_lines = seen.miss_requests = seen.load_requests = use.misses;
  seen.most_of_block.load_sectors = kSectors / kBlocks;
  seen.uses = {use};
  return seen;
}

TEST(MakeWork, FetchesWhatAllBlocksReadOnceForAMultiprocessorWhereItsCacheHoldsIt) {
  const LaunchWork work = work_of(shared_table(), {132, 128 << 10});
  const double once = 132 * 2048;
  EXPECT_NEAR(work.load_miss_sectors, once, 1);
  EXPECT_NEAR(work.load_miss_lines, once, 1);
  EXPECT_NEAR(work.load_served_requests / work.load_requests, 1 - once / kSectors, 1e-6);
  EXPECT_NEAR(work.block_read_bytes, 132 * (64 << 10), 1);
}

TEST(MakeWork, FetchesWhatAllBlocksReadForEachOfThemWhereNoCacheHoldsIt) {
  const LaunchWork work = work_of(shared_table(), {132, 32 << 10});
  EXPECT_DOUBLE_EQ(work.load_miss_sectors, kSectors);
  EXPECT_DOUBLE_EQ(work.load_served_requests, 0);
}

TEST(MakeWork, WaitsForTheOneWarpOfABlockThatDoesItsAtomics) {
  Program program;
  program.opcodes = {"atom.global.add.u32"};
  CostProfile profile;
  profile.costs = {op_cost(program.opcodes[0], false)};
  BasicBlock block;
  block.end = 1;
  block.path.atomic = 1;
  profile.blocks = {block};
  std::vector<ExecutionCount> counts(1);
  counts[0].warps = kBlocks;
  const std::vector<RareCount> rare(1);
  const auto path = [&](double busiest_warp_atomics) {
    FootprintTotals seen;
    seen.busiest_warp_atomics = busiest_warp_atomics;
    const LaunchWork work =
        make_work({program, counts, rare}, profile, seen, WorkSpread(), kBlocks, 8);
    return work.path.atomic + work.path_alone.atomic;
  };
  EXPECT_DOUBLE_EQ(path(0.125), 0.125);
  EXPECT_DOUBLE_EQ(path(1), 1);
}

TEST(MakeWork, CountsWhatLiesInTheSharedMemoryOfOtherBlocks) {
  RareCount count;
  count.far_lines = 2;
  count.far_sectors = 5;
  LaunchWork work;
  add_far(work, OpKind::global_load, count);
  add_far(work, OpKind::shared_store, count);
  add_far(work, OpKind::shared_atomic, count);
  EXPECT_DOUBLE_EQ(work.far_load_lines, 2);
  EXPECT_DOUBLE_EQ(work.far_load_sectors, 5);
  EXPECT_DOUBLE_EQ(work.far_store_sectors, 5);
  EXPECT_DOUBLE_EQ(work.far_atomic_sectors, 5);
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
