// SPDX-License-Identifier: MIT
#include "observe/injection/touches.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpgrade::injection {
namespace {

std::string bytes_of(std::initializer_list<uint64_t> words) {
  std::string bytes;
  for (const uint64_t word : words) bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  return bytes;
}

/// Two rows of 12 bytes, 16 apart.
Snapshot two_rows() {
  Snapshot snapshot;
  snapshot.memory = {0x1000, 16, 12, 2, true};
  snapshot.before.assign(32, 0xFF);
  snapshot.after = snapshot.before;
  return snapshot;
}

TEST(LiveAllocations, KnowWhatHoldsAnAddressUntilItIsFreed) {
  LiveAllocations live;
  live.note("cudaMalloc", {{"ptr", 0x1000}, {"size", 100}});
  EXPECT_EQ(live.holding(0x1000 + 99)->ptr, 0x1000u);
  EXPECT_FALSE(live.holding(0x1000 + 100));
  EXPECT_FALSE(live.holding(0xFFF));
  live.note("cudaFree", {{"ptr", 0x1000}});
  EXPECT_FALSE(live.holding(0x1000));
}

TEST(LiveAllocations, CountTheRowsOfAllSlices) {
  LiveAllocations live;
  const auto made =
      live.note("cudaMalloc3D",
                {{"ptr", 0x1000}, {"pitch", 512}, {"width", 400}, {"height", 3}, {"depth", 4}});
  EXPECT_EQ(made->rows, 12u);
  EXPECT_EQ(made->bytes(), 512u * 12);
  EXPECT_TRUE(made->on_device);
}

TEST(LiveAllocations, TellDeviceMemoryFromManagedAndPageLocked) {
  LiveAllocations live;
  EXPECT_TRUE(live.note("cudaMallocAsync", {{"ptr", 0x1000}, {"size", 8}})->on_device);
  EXPECT_FALSE(live.note("cudaMallocManaged", {{"ptr", 0x2000}, {"size", 8}})->on_device);
  EXPECT_FALSE(live.note("cudaHostAlloc", {{"ptr", 0x3000}, {"size", 8}})->on_device);
  EXPECT_FALSE(live.note("cudaMallocArray", {{"ptr", 0x4000}, {"width", 8}}));
  EXPECT_FALSE(live.note("cudaMalloc", {{"ptr", 0}, {"size", 0}}));
  live.forget_device_memory();
  EXPECT_FALSE(live.holding(0x1000));
  EXPECT_TRUE(live.holding(0x2000));
}

TEST(ReachableFrom, FindsPointersInsideOfStructsAndEachAllocationOnce) {
  LiveAllocations live;
  live.note("cudaMalloc", {{"ptr", 0x1000}, {"size", 64}});
  live.note("cudaMalloc", {{"ptr", 0x2000}, {"size", 64}});
  live.note("cudaMalloc", {{"ptr", 0x3000}, {"size", 64}});
  const auto found =
      reachable_from({bytes_of({7, 0x2000}), bytes_of({0x1010}), bytes_of({0x2020}), "abc"}, live);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ptr, 0x2000u);
  EXPECT_EQ(found[1].ptr, 0x1000u);
}

TEST(TouchOf, TakesUnchangedMemoryForRead) {
  EXPECT_EQ(
      touch_of(two_rows()).dump(),
      R"({"ptr":4096,"read":true,"written":false,"padding_read":false,"padding_written":false})");
}

TEST(TouchOf, SeesAStoreToTheLastByteOfARow) {
  Snapshot snapshot = two_rows();
  snapshot.after[16 + 11] = 0;
  EXPECT_EQ(
      touch_of(snapshot).dump(),
      R"({"ptr":4096,"read":false,"written":true,"padding_read":false,"padding_written":false})");
}

TEST(TouchOf, TellsAStoreToThePaddingFromOneToTheRow) {
  Snapshot snapshot = two_rows();
  snapshot.after[12] = 0;
  EXPECT_EQ(
      touch_of(snapshot).dump(),
      R"({"ptr":4096,"read":true,"written":false,"padding_read":false,"padding_written":true})");
}

}  // namespace
}  // namespace warpgrade::injection
