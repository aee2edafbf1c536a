// SPDX-License-Identifier: MIT
#include "pipeline/driver_ranges.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Trace that_opens(const std::vector<std::string>& names) {
  Trace trace;
  for (const std::string& name : names) {
    trace.ranges.push_back({0, name, true});
    trace.ranges.push_back({0, name, false});
  }
  return trace;
}

TEST(DriverRanges, ARangeThatTheDriverDoesNotOpenDoubtsAllThatAreJudged) {
  const RangeCounts driver = count_ranges(that_opens({"dense", "padded", "padded"}));
  const auto doubts = [&](const std::vector<std::string>& names) {
    return doubts_of_ranges("edges", that_opens(names), driver, {"dense", "padded"});
  };
  EXPECT_TRUE(doubts({"dense", "padded", "padded"}).empty());
  EXPECT_TRUE(doubts({"padded"}).empty()) << "a program that ends early opens fewer";
  EXPECT_TRUE(doubts({"warpgrade.case:1", "dense"}).empty());
  ASSERT_EQ(doubts({"dense", "dense"}).size(), 2u);
  EXPECT_EQ(doubts({"dense", "dense"})[1].range, "padded");
  EXPECT_EQ(doubts({"dense", "dense"})[0].why.key(),
            "waits.extra_range(range=dense, times=2, wanted=1)");
  EXPECT_EQ(doubts({"an event"})[0].why.key(),
            "waits.extra_range(range=an event, times=1, wanted=0)");
}

TEST(DriverRanges, AnOutputThatTheDriverDoesNotWriteCountsWhateverItsSize) {
  Trace model, small, twice;
  model.outputs = {{1, "fresh"}};
  small.outputs = {{1, "fresh", "00"}};
  twice.outputs = {{1, "fresh", "00"}, {2, "fresh"}};
  const RangeCounts driver = count_ranges(model);
  EXPECT_TRUE(doubts_of_ranges("lab", small, driver, {"allocate"}).empty());
  EXPECT_EQ(doubts_of_ranges("lab", twice, driver, {"allocate"}).size(), 1u);
}

}  // namespace
}  // namespace warpgrade
