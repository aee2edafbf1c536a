// SPDX-License-Identifier: MIT
#include "emulator/counters/footprint.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kFootprintBase = 0x1000'0000;

Allocation memory() {
  Allocation allocation;
  allocation.begin = kFootprintBase;
  allocation.size = 1 << 20;
  return allocation;
}

AccessMemo lanes(const Allocation& allocation, uint64_t base, uint64_t stride) {
  std::array<uint64_t, 32> addresses;
  for (size_t lane = 0; lane < 32; ++lane) addresses[lane] = base + lane * stride;
  AccessMemo memo;
  memorise(memo, ~0u, addresses.data(), 4);
  memo.allocation = &allocation;
  return memo;
}

/// 32 lanes that read `stride` bytes apart, from `base` on.
void read(Footprint& footprint, uint32_t warp, const Allocation& allocation, uint64_t base,
          uint64_t stride) {
  footprint.load(warp, lanes(allocation, base, stride), base, 4);
}
void write(Footprint& footprint, const Allocation& allocation, uint64_t base, uint64_t stride) {
  footprint.store(0, lanes(allocation, base, stride), base, 4);
}

TEST(Footprint, CountsASectorOnceForAWarpThatReadsItAgain) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (int round = 0; round < 8; ++round)
    read(footprint, 0, allocation, kFootprintBase + 4u * static_cast<unsigned>(round), 4096 / 32);
  const FootprintTotals totals = footprint.totals();
  EXPECT_EQ(totals.load_sectors, 8u * 32);
  EXPECT_EQ(totals.warp_misses, 32u);
}

TEST(Footprint, CountsASectorAgainWhereTheCacheIsTooSmall) {
  const Allocation allocation = memory();
  Footprint footprint(16);
  for (int round = 0; round < 2; ++round) {
    for (unsigned part = 0; part < 16; ++part)
      read(footprint, 0, allocation, kFootprintBase + part * 1024, 32);
  }
  EXPECT_GT(footprint.totals().warp_misses, 16u * 32);
  EXPECT_EQ(footprint.totals().warp_sectors, 16u * 32);
}

TEST(Footprint, SharesSectorsBetweenTheWarpsOfABlock) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (uint32_t warp = 0; warp < 4; ++warp) read(footprint, warp, allocation, kFootprintBase, 4);
  EXPECT_EQ(footprint.totals().warp_sectors, 16u);
  EXPECT_EQ(footprint.totals().block_sectors, 4u);
}

TEST(Footprint, TakesAWavefrontForEachLaneOfOneBank) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  read(footprint, 0, allocation, kFootprintBase, 128);
  EXPECT_EQ(footprint.totals().load_wavefronts, 32u);
  read(footprint, 0, allocation, kFootprintBase, 4);
  EXPECT_EQ(footprint.totals().load_wavefronts, 33u);
}

TEST(Footprint, CountsWhatBlocksShareOnceForTheLaunch) {
  const Allocation allocation = memory();
  Footprint first(256), second(256);
  read(first, 0, allocation, kFootprintBase, 4);
  second.begin_block(1);
  read(second, 0, allocation, kFootprintBase, 4);
  read(second, 0, allocation, kFootprintBase + 4096, 4);
  first.merge(second);
  ASSERT_EQ(first.totals().uses.size(), 1u);
  EXPECT_EQ(first.totals().uses[0].by_blocks, 6u);
  EXPECT_EQ(first.totals().uses[0].granules, 4u);
  EXPECT_EQ(first.totals().blocks, 2u);
}

TEST(Footprint, TellsSectorsWrittenInPartFromThoseThatTheBlockHasRead) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  write(footprint, allocation, kFootprintBase, 32);
  EXPECT_EQ(footprint.totals().partial_sectors, 32u);
  read(footprint, 0, allocation, kFootprintBase + 65536, 32);
  write(footprint, allocation, kFootprintBase + 65536, 32);
  EXPECT_EQ(footprint.totals().partial_sectors, 32u);
  write(footprint, allocation, kFootprintBase + 131072, 4);
  EXPECT_EQ(footprint.totals().partial_sectors, 32u);
  EXPECT_EQ(footprint.totals().stored_bytes, 3u * 128);
}

/// The parts of a structure of three floats, which the lanes of a warp store one after another.
template <class Between>
FootprintTotals three_floats(Between between) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (unsigned part = 0; part < 3; ++part) {
    if (part != 0) between(footprint, allocation);
    write(footprint, allocation, kFootprintBase + 4 * part, 12);
  }
  return footprint.totals();
}

TEST(Footprint, MergesWhatAWarpStoresInASectorOneAfterAnother) {
  const FootprintTotals totals = three_floats([](Footprint&, const Allocation&) {});
  EXPECT_EQ(totals.store_sectors, 36u);
  EXPECT_EQ(totals.merged_sectors, 24u);
  EXPECT_EQ(totals.partial_sectors, 0u);
}

TEST(Footprint, MergesNothingAcrossAWait) {
  const FootprintTotals totals =
      three_floats([](Footprint& footprint, const Allocation&) { footprint.settle(0); });
  EXPECT_EQ(totals.merged_sectors, 0u);
  EXPECT_EQ(totals.partial_sectors, 36u);
  EXPECT_EQ(totals.partial_lines, 9u);
}

/// The parts of a structure of so many floats, which the lanes of a warp store one after another.
FootprintTotals floats_of_structure(unsigned parts) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (unsigned part = 0; part < parts; ++part)
    write(footprint, allocation, kFootprintBase + 4 * part, 4 * parts);
  return footprint.totals();
}

TEST(Footprint, MergesNoMoreThanTheL1CacheHoldsOfAWarp) {
  EXPECT_EQ(floats_of_structure(4).merged_sectors, 3u * 16);
  const FootprintTotals totals = floats_of_structure(8);
  EXPECT_EQ(totals.store_sectors, 8u * 32);
  EXPECT_EQ(totals.merged_sectors, 0u);
  EXPECT_EQ(totals.partial_sectors, 0u);  // The L2 cache puts the parts together.
}

TEST(Footprint, MergesNothingOfOtherWarps) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (uint32_t warp = 0; warp < 2; ++warp)
    footprint.store(warp, lanes(allocation, kFootprintBase, 8), kFootprintBase, 4);
  EXPECT_EQ(footprint.totals().merged_sectors, 0u);
  EXPECT_EQ(footprint.totals().partial_sectors, 16u);
}

TEST(Footprint, TakesAClockForEachWordThatALaneGets) {
  const Allocation allocation = memory();
  AccessMemo memo;
  const std::array<uint64_t, 32> same = [] {
    std::array<uint64_t, 32> all;
    all.fill(kFootprintBase);
    return all;
  }();
  memorise(memo, ~0u, same.data(), 16);
  memo.allocation = &allocation;
  Footprint footprint(256);
  footprint.load(0, memo, kFootprintBase, 16);
  EXPECT_EQ(footprint.totals().load_wavefronts, 4u);
  footprint.store(0, memo, kFootprintBase, 16);
  EXPECT_EQ(footprint.totals().store_wavefronts, 1u);
}

TEST(Footprint, ForgetsTheL1CacheWhereTheBlockLearnsWhatOthersWrote) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  read(footprint, 0, allocation, kFootprintBase, 4);
  footprint.acquire();
  read(footprint, 0, allocation, kFootprintBase, 4);
  EXPECT_EQ(footprint.totals().warp_misses, 8u);
  EXPECT_EQ(footprint.totals().warp_sectors, 4u);
}

/// Warps that go through `bytes` of constant memory twice, each lane at a line of its own.
FootprintTotals through_constants(uint64_t bytes) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t at = 0; at < bytes; at += 32 * 64) {
      const uint64_t base = kFootprintBase + at;
      footprint.constant(lanes(allocation, base, 64), base, 4);
    }
  }
  return footprint.totals();
}

TEST(Footprint, KnowsHowSmallTheConstantCacheIs) {
  EXPECT_EQ(through_constants(2 << 10).constant_addresses, 2u * 32);
  EXPECT_EQ(through_constants(2 << 10).constant_misses, 0u);
  EXPECT_EQ(through_constants(8 << 10).constant_misses, 2u * 4 * 32 - 52);  // 52 lines
  EXPECT_EQ(through_constants(8 << 10).load_sectors, 0u);
}

/// Two blocks that read 64 KB, the second one from its end to its begin where `turned`.
double order_of_two(bool turned) {
  const Allocation allocation = memory();
  Footprint first(256), second(256);
  second.begin_block(1);
  for (unsigned part = 0; part < 64; ++part) {
    read(first, 0, allocation, kFootprintBase + part * 1024, 32);
    read(second, 0, allocation, kFootprintBase + (turned ? 63 - part : part) * 1024, 32);
  }
  first.merge(second);
  return first.totals().read_in_order;
}

TEST(Footprint, TellsBlocksThatReadInOneOrderFromThoseThatDoNot) {
  EXPECT_DOUBLE_EQ(order_of_two(false), 1);
  EXPECT_LT(order_of_two(true), 0.1);
}

TEST(Footprint, TellsSectorsWithoutNeighboursFromThoseAtAStride) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  write(footprint, allocation, kFootprintBase, 4096);
  EXPECT_EQ(footprint.totals().uses[0].scattered, 0u);
  AccessMemo memo;
  std::array<uint64_t, 32> squares;
  for (size_t lane = 0; lane < 32; ++lane) squares[lane] = kFootprintBase + 512 * lane * lane;
  memorise(memo, ~0u, squares.data(), 4);
  memo.allocation = &allocation;
  footprint.store(0, memo, kFootprintBase, 4);
  EXPECT_EQ(footprint.totals().uses[0].scattered, 30u);
  footprint.atomic(0, ~0u, squares.data(), {});
  EXPECT_EQ(footprint.totals().atomic_scattered, 30u);
  EXPECT_EQ(footprint.totals().atomic_distinct_sectors, 32u);
}

TEST(Footprint, TellsHowMuchOfABlocksAtomicsOneWarpDoes) {
  std::array<uint64_t, 32> addresses;
  addresses.fill(kFootprintBase);
  Footprint footprint(256);
  for (int round = 0; round < 3; ++round) footprint.atomic(0, 1, addresses.data(), {});
  footprint.atomic(1, 1, addresses.data(), {});
  EXPECT_DOUBLE_EQ(footprint.totals().busiest_warp_atomics, 0.75);
}

TEST(Footprint, PutsAtomicsOnOneAddressBehindEachOther) {
  std::array<uint64_t, 32> same, apart;
  for (size_t lane = 0; lane < 32; ++lane) {
    same[lane] = kFootprintBase;
    apart[lane] = kFootprintBase + 128 * lane;
  }
  Footprint contended(256), merged(256), spread(256);
  contended.atomic(0, ~0u, same.data(), {});
  merged.atomic(0, ~0u, same.data(), {.repeat = 0});
  spread.atomic(0, ~0u, apart.data(), {});
  EXPECT_DOUBLE_EQ(merged.totals().atomic_operations, 1);
  EXPECT_DOUBLE_EQ(contended.totals().atomic_operations, 32);
  EXPECT_DOUBLE_EQ(spread.totals().atomic_operations, 32);
  EXPECT_EQ(contended.totals().atomic_span_lines, 1u);
  EXPECT_EQ(spread.totals().atomic_span_lines, 32u);
}

TEST(Footprint, LetsAdditionsToOneWordWaitForEachOtherAndNoOthers) {
  std::array<uint64_t, 32> pairs;
  for (size_t lane = 0; lane < 32; ++lane) pairs[lane] = kFootprintBase + 32 * (lane / 2);
  const AtomicTurns floats{.wait = 3.5};
  Footprint first(256), second(256);
  first.atomic(0, ~0u, pairs.data(), floats);
  EXPECT_DOUBLE_EQ(first.totals().atomic_operations, 32);
  EXPECT_DOUBLE_EQ(first.totals().hottest_word, 2 * 3.5);
  EXPECT_FALSE(first.totals().hottest_is_shared);
  second.begin_block(1);
  second.atomic(0, 1, pairs.data(), floats);
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.totals().hottest_word, 3 * 3.5);
  EXPECT_TRUE(first.totals().hottest_is_shared);
}

TEST(Footprint, LetsStoresOfManyBlocksToOnePlaceWaitForEachOther) {
  const Allocation allocation = memory();
  Footprint first(256), second(256);
  second.begin_block(1);
  for (Footprint* footprint : {&first, &second}) {
    write(*footprint, allocation, kFootprintBase, 0);
    footprint->settle(0);
    write(*footprint, allocation, kFootprintBase, 0);
    write(*footprint, allocation, kFootprintBase, 0);  // goes with the one before
  }
  const double two = first.totals().hottest_word;
  EXPECT_GT(two, 2);
  EXPECT_FALSE(first.totals().hottest_is_shared);
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.totals().hottest_word, 2 * two);
  EXPECT_TRUE(first.totals().hottest_is_shared);
}

TEST(Footprint, TellsRequestsThatMissedAndTheLinesThatTheyMissed) {
  const Allocation allocation = memory();
  Footprint footprint(256);
  for (int round = 0; round < 4; ++round) read(footprint, 0, allocation, kFootprintBase, 64);
  const FootprintTotals totals = footprint.totals();
  EXPECT_EQ(totals.load_requests, 4u);
  EXPECT_EQ(totals.miss_requests, 1u);
  EXPECT_EQ(totals.miss_lines, 16u);
}

TEST(Footprint, TellsWhatABlockTouchesAloneAndWhatAllSpan) {
  const Allocation allocation = memory();
  Footprint first(256), second(256);
  read(first, 0, allocation, kFootprintBase, 4);
  second.begin_block(1);
  read(second, 0, allocation, kFootprintBase, 4);
  read(second, 0, allocation, kFootprintBase + 4096, 4);
  first.merge(second);
  const FootprintTotals totals = first.totals();
  EXPECT_EQ(totals.uses[0].lone, 2u);
  EXPECT_EQ(totals.uses[0].low, kFootprintBase / 64);
  EXPECT_EQ(totals.uses[0].high, (kFootprintBase + 4096) / 64 + 1);
  EXPECT_FALSE(totals.uses[0].on_host);
}

TEST(Footprint, TellsMemoryThatLiesBehindTheBus) {
  Allocation allocation = memory();
  allocation.page_locked = true;
  Footprint first(256), second(256);
  write(second, allocation, kFootprintBase, 4);
  first.merge(second);
  EXPECT_TRUE(first.totals().uses[0].on_host);
}

TEST(Footprint, SamplesSixteenBlocksOfAnyGrid) {
  for (const uint64_t blocks : {1u, 16u, 17u, 100u, 65536u}) {
    std::array<int, Footprint::kSamples> seen{};
    uint64_t count = 0;
    for (uint64_t block = 0; block < blocks; ++block) {
      uint32_t sample = 0;
      if (!Footprint::is_sampled(block, blocks, 7, sample)) continue;
      ++count;
      ++seen[sample];
    }
    EXPECT_EQ(count, std::min<uint64_t>(blocks, Footprint::kSamples)) << blocks;
    for (uint64_t sample = 0; sample < count; ++sample) EXPECT_EQ(seen[sample], 1) << blocks;
  }
}

/// Reads one sector again and again, then others that no cache holds.
FootprintTotals work_behind_idle_reads(unsigned idle_sectors, unsigned worked_sectors,
                                       uint64_t key) {
  Allocation allocation = memory();
  allocation.size = uint64_t{1} << 30;
  Footprint footprint(256, key);
  for (unsigned i = 0; i < idle_sectors; ++i) read(footprint, 0, allocation, kFootprintBase, 0);
  for (unsigned i = 0; i < worked_sectors / 32; ++i)
    read(footprint, 0, allocation, kFootprintBase + (i + 1) * 1024, 32);
  return footprint.totals();
}

TEST(Footprint, SeesWorkBehindManyAccessesThatDoNone) {
  constexpr unsigned kIdle = Footprint::kMostRecorded, kWorked = 7 * kIdle;
  for (const uint64_t key : {1u, 2u, 3u}) {
    const FootprintTotals totals = work_behind_idle_reads(kIdle, kWorked, key);
    EXPECT_NEAR(static_cast<double>(totals.load_sectors), kIdle + kWorked, kIdle / 4) << key;
    EXPECT_NEAR(static_cast<double>(totals.warp_misses), kWorked, kIdle / 4) << key;
    ASSERT_EQ(totals.uses.size(), 1u);
    EXPECT_NEAR(static_cast<double>(totals.uses[0].granules), kWorked / 2, kIdle / 4) << key;
    EXPECT_EQ(totals.uses[0].lone, totals.uses[0].granules) << key;
  }
}

TEST(Footprint, MergesWhatStandsForMore) {
  Allocation allocation = memory();
  allocation.size = uint64_t{1} << 30;
  Footprint first(256, 5), second(256, 5);
  second.begin_block(1);
  for (unsigned i = 0; i < 4096; ++i) read(second, 0, allocation, kFootprintBase + i * 1024, 32);
  const FootprintTotals alone = second.totals();
  first.merge(second);
  EXPECT_EQ(first.totals().uses[0].granules, alone.uses[0].granules);
  EXPECT_EQ(first.totals().uses[0].lone, alone.uses[0].lone);
  EXPECT_EQ(first.totals().uses[0].by_blocks, alone.uses[0].by_blocks);
}

TEST(Footprint, SaysTheMostThatTheMeanBlockMayDo) {
  const Allocation allocation = memory();
  Footprint alike(256), unlike(256);
  for (uint32_t sample = 0; sample < Footprint::kSamples; ++sample) {
    alike.begin_block(sample);
    read(alike, 0, allocation, kFootprintBase, 32);
    unlike.begin_block(sample);
    if (sample == 0) read(unlike, 0, allocation, kFootprintBase, 32);
  }
  EXPECT_DOUBLE_EQ(alike.totals().most_of_block.load_sectors, 32);
  // One of 16 reads 32 sectors: the mean is 2, and its standard error 2.
  EXPECT_DOUBLE_EQ(unlike.totals().most_of_block.load_sectors, 2 + 3 * 2);
  EXPECT_DOUBLE_EQ(unlike.totals().most_of_block.store_sectors, 0);
}

TEST(Footprint, SamplesOtherBlocksUnderAnotherKey) {
  const auto sampled = [](uint64_t key) {
    std::vector<uint64_t> found;
    uint32_t sample = 0;
    for (uint64_t block = 0; block < 65536; ++block)
      if (Footprint::is_sampled(block, 65536, key, sample)) found.push_back(block);
    return found;
  };
  std::set<uint64_t> seen;
  for (uint64_t key = 1; key <= 50; ++key) {
    EXPECT_EQ(sampled(key), sampled(key));
    for (const uint64_t block : sampled(key)) seen.insert(block);
  }
  EXPECT_GT(seen.size(), 750u) << "of 800, if all are different";
}

}  // namespace
}  // namespace warpgrade::emulator
