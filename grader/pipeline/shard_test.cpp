// SPDX-License-Identifier: MIT
#include "pipeline/shard.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Shard, HoldsEachStudentExactlyOnce) {
  for (const int count : {1, 2, 3, 8, 64}) {
    for (int student = 0; student < 500; ++student) {
      int holders = 0;
      for (int index = 1; index <= count; ++index)
        holders += Shard{index, count}.holds(fmt::format("s{:04}", student)) ? 1 : 0;
      ASSERT_EQ(holders, 1) << student << " of " << count;
    }
  }
}

TEST(Shard, GivesEachShardItsPartOfAClassWithNumbersForNames) {
  constexpr int kStudents = 4000, kCount = 8;
  for (int index = 1; index <= kCount; ++index) {
    int held = 0;
    for (int student = 0; student < kStudents; ++student)
      held += Shard{index, kCount}.holds(fmt::format("s{:06}", student)) ? 1 : 0;
    EXPECT_NEAR(held, kStudents / kCount, 100) << index;
  }
}

TEST(Shard, IsTheSameOnEveryMachine) {
  // A later version must not move them: shards of one class may run different versions.
  std::string shards;
  for (const char* student : {"ann", "bob", "carol", "dan", "eve"}) {
    for (int index = 1; index <= 4; ++index)
      if (Shard{index, 4}.holds(student)) shards += std::to_string(index);
  }
  EXPECT_EQ(shards, "14333");
}

TEST(Shard, IsReadFromItsPlaceAndTheirNumber) {
  EXPECT_EQ(Shard::parse("1/1"), (Shard{1, 1}));
  EXPECT_EQ(Shard::parse("3/8"), (Shard{3, 8}));
  for (const char* wrong : {"", "1", "0/4", "5/4", "-1/4", "1/0", "1/4/2", "a/b", "1/ 4", "1/4 ",
                            "1/4x", "99999999999999999999/1", "1/100001"})
    EXPECT_EQ(Shard::parse(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace warpgrade
