// SPDX-License-Identifier: MIT
#include "emulator/exec/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace warpgrade::emulator {
namespace {

std::vector<uint64_t> arranged(uint64_t order, uint64_t count) {
  const Permutation permutation(order, 7, count);
  std::vector<uint64_t> all;
  for (uint64_t index = 0; index < count; ++index) all.push_back(permutation(index));
  return all;
}

TEST(Permutation, LeavesTheNaturalOrderAndReversesIt) {
  EXPECT_EQ(arranged(kNaturalOrder, 4), (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(arranged(kReversedOrder, 4), (std::vector<uint64_t>{3, 2, 1, 0}));
}

TEST(Permutation, VisitsEachNumberOnceUnderEveryOrder) {
  for (uint64_t order = 0; order < 20; ++order) {
    for (const uint64_t count : {1, 2, 3, 6, 32, 97, 1000}) {
      const std::vector<uint64_t> all = arranged(order, count);
      EXPECT_EQ(std::set<uint64_t>(all.begin(), all.end()).size(), count);
      EXPECT_LT(*std::max_element(all.begin(), all.end()), count);
    }
  }
}

TEST(Permutation, IsTheSameEveryTimeAndDiffersBetweenOrders) {
  EXPECT_EQ(arranged(2, 100), arranged(2, 100));
  EXPECT_NE(arranged(2, 100), arranged(3, 100));
}

}  // namespace
}  // namespace warpgrade::emulator
