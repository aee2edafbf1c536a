// SPDX-License-Identifier: MIT
#include "emulator/memory/origins.h"

#include <gtest/gtest.h>

#include <set>

namespace warpgrade::emulator {
namespace {

TEST(Origins, KeepTheNumberOfAKernelInItsRange) {
  Origins origins;
  const OriginId sum = origins.of_kernel("sum", "reduce");
  EXPECT_EQ(origins.of_kernel("sum", "reduce"), sum);
  EXPECT_NE(origins.of_kernel("other", "reduce"), sum);
  EXPECT_EQ(origins[sum].kind, OriginKind::kernel);
  EXPECT_EQ(origins[sum].range, "sum");
  EXPECT_EQ(origins[sum].kernel, "reduce");
  EXPECT_EQ(origins[Origins::kHost].kind, OriginKind::host);
  EXPECT_EQ(origins[Origins::kFill].kind, OriginKind::fill);
  EXPECT_EQ(origins[Origins::kNothing].kind, OriginKind::nothing);
}

TEST(Origins, KeepTheRangeOfMoreKernelsThanThereAreNumbers) {
  Origins origins;
  std::set<OriginId> seen;
  for (int kernel = 0; kernel < 1000; ++kernel)
    seen.insert(origins.of_kernel(kernel % 2 == 0 ? "even" : "odd", std::to_string(kernel)));
  EXPECT_LE(seen.size(), 253u);
  for (int kernel = 0; kernel < 1000; ++kernel) {
    const std::string range = kernel % 2 == 0 ? "even" : "odd";
    EXPECT_EQ(origins[origins.of_kernel(range, std::to_string(kernel))].range, range);
  }
}

TEST(Origins, GiveRangesWithoutEndOneNumberOfNoRange) {
  Origins origins;
  for (int range = 0; range < 1000; ++range) origins.of_kernel(std::to_string(range), "k");
  const Origin& last = origins[origins.of_kernel("one more", "k")];
  EXPECT_EQ(last.kind, OriginKind::kernel);
  EXPECT_EQ(last.range, "");
  EXPECT_EQ(origins[origins.of_kernel("0", "k")].range, "0") << "early numbers keep their meaning";
}

TEST(OriginRuns, JoinNeighboursOfOneOrigin) {
  OriginRuns runs;
  runs.add(3, 1);
  runs.add(0, 2);
  runs.add(4, 1);
  std::vector<OriginId> each(100, 1);
  each[40] = 7;
  for (size_t i = 77; i < 100; ++i) each[i] = 9;
  runs.add_each(each.data(), each.size());
  const std::vector<OriginRun> wanted = {{47, 1}, {1, 7}, {36, 1}, {23, 9}};
  EXPECT_EQ(runs.runs(), wanted);
}

}  // namespace
}  // namespace warpgrade::emulator
