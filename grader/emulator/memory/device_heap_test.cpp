// SPDX-License-Identifier: MIT
#include "emulator/memory/device_heap.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(DeviceHeap, FindsTheBlockOfAnAddress) {
  DeviceHeap heap(4096, 1 << 16);
  const uint64_t block = heap.take(24);
  ASSERT_TRUE(heap.block_at(block + 23).has_value());
  EXPECT_EQ(heap.block_at(block + 23)->begin, block);
  EXPECT_EQ(heap.block_at(block + 23)->bytes, 24u);
  EXPECT_FALSE(heap.block_at(block + 24).has_value());
  ASSERT_TRUE(heap.give_back(block));
  EXPECT_FALSE(heap.block_at(block).has_value());
}

TEST(DeviceHeap, TellsWhatNothingHasGivenBack) {
  DeviceHeap heap(4096, 1024);
  const uint64_t first = heap.take(100);
  heap.take(20);
  EXPECT_EQ(heap.taken().blocks, 2u);
  EXPECT_EQ(heap.taken().bytes, 120u);
  heap.give_back(first);
  EXPECT_EQ(heap.taken().blocks, 1u);
  EXPECT_EQ(heap.taken().bytes, 20u);
}

TEST(DeviceHeap, GivesAlignedBlocksThatDoNotOverlap) {
  DeviceHeap heap(4096, 256);
  const uint64_t first = heap.take(1), second = heap.take(17);
  EXPECT_EQ(first, 4096u);
  EXPECT_EQ(second, 4096u + 16);
  EXPECT_EQ(heap.take(32), 4096u + 48);
}

TEST(DeviceHeap, ReturnsNullWhenUsedUpAndForNothing) {
  DeviceHeap heap(4096, 64);
  EXPECT_EQ(heap.take(65), 0u);
  EXPECT_EQ(heap.take(SIZE_MAX), 0u);
  EXPECT_EQ(heap.take(0), 0u);
  EXPECT_NE(heap.take(64), 0u);
  EXPECT_EQ(heap.take(1), 0u);
}

TEST(DeviceHeap, MergesWhatIsFreed) {
  DeviceHeap heap(4096, 48);
  const uint64_t a = heap.take(16), b = heap.take(16), c = heap.take(16);
  EXPECT_TRUE(heap.give_back(a));
  EXPECT_TRUE(heap.give_back(c));
  EXPECT_EQ(heap.take(32), 0u);
  EXPECT_TRUE(heap.give_back(b));
  EXPECT_EQ(heap.take(48), a);
}

TEST(DeviceHeap, RefusesWhatIsNoTakenBlock) {
  DeviceHeap heap(4096, 64);
  const uint64_t block = heap.take(32);
  EXPECT_FALSE(heap.give_back(block + 16));
  EXPECT_TRUE(heap.give_back(block));
  EXPECT_FALSE(heap.give_back(block));
}

TEST(DeviceHeap, LaysBlocksApartWhereItHasRoom) {
  DeviceHeap heap(4096, 1024, 2048 + DeviceHeap::kMostGapBytes);
  const uint64_t small = heap.take(10), large = heap.take(512), last = heap.take(64);
  EXPECT_TRUE(heap.holds(small, 10));
  EXPECT_FALSE(heap.holds(small, 11));
  EXPECT_FALSE(heap.holds(small - 1, 1));
  EXPECT_GE(large - small, 32u);
  EXPECT_EQ(last - large, 512 + DeviceHeap::kMostGapBytes);
  EXPECT_EQ(heap.describe(small + 10),
            "where.right_past(allocation=allocation.in_kernel(bytes=10))");
  EXPECT_EQ(heap.describe(large - 1),
            "where.before(allocation=allocation.in_kernel(bytes=512), bytes=1)");
}

TEST(DeviceHeap, GivesAllThatMayBeTakenWhateverLiesBetween) {
  for (const size_t size : {16, 48, 256, 1024}) {
    DeviceHeap heap(4096, 6144, 12288);
    for (size_t taken = 0; taken < 6144 / size; ++taken) EXPECT_NE(heap.take(size), 0u) << size;
    EXPECT_EQ(heap.take(16), 0u) << size;
  }
}

TEST(DeviceHeap, GivesFreedBytesOutAsLateAsPossible) {
  DeviceHeap heap(4096, 256, 512);
  const uint64_t first = heap.take(64);
  EXPECT_TRUE(heap.give_back(first));
  EXPECT_EQ(heap.freed_bytes(first), 64u);
  EXPECT_EQ(heap.describe(first + 8),
            "where.freed(where=where.into(allocation=allocation.in_kernel(bytes=64), bytes=8))");
  EXPECT_NE(heap.take(64), first);
  EXPECT_NE(heap.take(64), 0u);
  EXPECT_NE(heap.take(64), 0u);
  EXPECT_NE(heap.take(64), 0u);
  EXPECT_EQ(heap.take(16), 0u);
  EXPECT_EQ(heap.freed_bytes(first), 0u);
}

}  // namespace
}  // namespace warpgrade::emulator
