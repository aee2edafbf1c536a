// SPDX-License-Identifier: MIT
#include "emulator/memory/arena.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "testing/units.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kPage = 4096;

/// A line of /proc/self/status, in bytes.
size_t resident(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::stoul(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

TEST(Arena, CostsOnlyThePagesThatAreTouched) {
  const size_t before = resident("RssShmem");
  const Arena arena(1024 * kGiB);
  uint8_t* const block = arena.take(kGiB, 600 * kGiB);
  ASSERT_NE(block, nullptr);
  for (size_t i = 0; i < 600; ++i) block[i * kGiB] = 1;
  const size_t grown = resident("RssShmem") - before;
  EXPECT_GE(grown, 600 * kPage);
  EXPECT_LT(grown, 1200 * kPage);
}

TEST(Arena, GivesZerosAgainAndTheirPagesBack) {
  const Arena arena(kGiB);
  const size_t before = resident("RssShmem");
  uint8_t* const block = arena.take(0, 64 * kPage + 100);
  std::memset(block, 1, 64 * kPage + 100);
  arena.give_back(block, 0, 64 * kPage + 100, 0, kGiB);
  EXPECT_LE(resident("RssShmem"), before + 4 * kPage);
  const uint8_t* const again = arena.take(0, 64 * kPage + 100);
  EXPECT_TRUE(std::all_of(again, again + 64 * kPage + 100, [](uint8_t byte) { return byte == 0; }));
}

TEST(Arena, LeavesNeighboursOnTheSamePageAlone) {
  const Arena arena(kGiB);
  uint8_t* const left = arena.take(0, 100);
  uint8_t* const middle = arena.take(200, 2 * kPage);
  uint8_t* const right = arena.take(300 + 2 * kPage, 100);
  for (uint8_t* const block : {left, middle, right}) std::memset(block, 7, 100);
  arena.give_back(middle, 200, 2 * kPage, 100, 300 + 2 * kPage);
  EXPECT_EQ(left[99], 7);
  EXPECT_EQ(middle[0], 0);
  EXPECT_EQ(right[0], 7);
}

TEST(Arena, TellsTouchedPagesFromOthers) {
  const Arena arena(kGiB);
  uint8_t* const block = arena.take(0, 64 * kPage);
  block[10 * kPage] = 1;
  PageRun run = page_run(block, 64 * kPage);
  EXPECT_FALSE(run.touched);
  EXPECT_EQ(run.bytes, 10 * kPage);
  run = page_run(block + 10 * kPage + 5, 54 * kPage - 5);
  EXPECT_TRUE(run.touched);
  EXPECT_EQ(run.bytes, kPage - 5);
  const size_t before = resident("RssShmem");
  clear_touched(block, 64 * kPage);
  EXPECT_EQ(block[10 * kPage], 0);
  EXPECT_LE(resident("RssShmem"), before + kPage);
}

void limit(__rlimit_resource resource, size_t bytes) {
  const rlimit both{bytes, bytes};
  ::setrlimit(resource, &both);
}

TEST(ArenaDeathTest, TakesNothingFromTheLimitOfData) {
  const auto works = [] {
    limit(RLIMIT_DATA, kGiB);
    const Arena arena(1024 * kGiB);
    uint8_t* const block = arena.take(0, 15 * kGiB);
    if (block == nullptr) std::exit(1);
    block[14 * kGiB] = 1;
    std::exit(0);
  };
  EXPECT_EXIT(works(), testing::ExitedWithCode(0), "");
}

TEST(ArenaDeathTest, MapsBlockByBlockWhereAddressSpaceIsLimited) {
  const auto works = [] {
    limit(RLIMIT_AS, 8 * kGiB);
    const Arena arena(1024 * kGiB);
    uint8_t* const first = arena.take(0, kGiB);
    if (first == nullptr || arena.take(kGiB, 16 * kGiB) != nullptr) std::exit(1);
    first[kGiB - 1] = 1;
    arena.give_back(first, 0, kGiB, 0, kGiB);
    std::exit(0);
  };
  EXPECT_EXIT(works(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpgrade::emulator
