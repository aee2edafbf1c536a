// SPDX-License-Identifier: MIT
#include "emulator/memory/device_heap.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

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

}  // namespace
}  // namespace warpgrade::emulator
