// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/ranges.h"

#include <gtest/gtest.h>

#include <thread>

namespace warpgrade::emulator {
namespace {

TEST(Ranges, NameTheInnermost) {
  Ranges ranges;
  EXPECT_EQ(ranges.innermost(), "");
  EXPECT_EQ(ranges.push("outer"), 0);
  EXPECT_EQ(ranges.push("inner"), 1);
  EXPECT_EQ(ranges.innermost(), "inner");
  EXPECT_EQ(ranges.pop(), 1);
  EXPECT_EQ(ranges.innermost(), "outer");
}

TEST(Ranges, TellTheOutermostBesidesThoseOfAPrefix) {
  Ranges ranges;
  EXPECT_EQ(ranges.outermost_but("grader."), nullptr);
  ranges.push("grader.repetition:0");
  EXPECT_EQ(ranges.outermost_but("grader."), nullptr);
  ranges.push("device");
  ranges.push("inner");
  EXPECT_EQ(*ranges.outermost_but("grader."), "device");
}

TEST(Ranges, StartedOnesEndInAnyOrder) {
  Ranges ranges;
  ranges.start(1, "a");
  ranges.start(2, "b");
  ranges.end(1);
  EXPECT_EQ(ranges.innermost(), "b");
  ranges.end(2);
  EXPECT_EQ(ranges.innermost(), "");
}

TEST(Ranges, PopLeavesStartedOnesOpen) {
  Ranges ranges;
  ranges.push("pushed");
  ranges.start(1, "started");
  EXPECT_EQ(ranges.pop(), 0);
  EXPECT_EQ(ranges.innermost(), "started");
  EXPECT_LT(ranges.pop(), 0);
}

TEST(RangeOfCall, IsTheGradersWhateverTheThreadOpensOrCloses) {
  graders_ranges().push("graded");
  this_threads_ranges().push("own");
  this_threads_ranges().pop();
  EXPECT_EQ(range_of_call(true), "graded");
  this_threads_ranges().push("own");
  EXPECT_EQ(range_of_call(true), "graded");
  std::string elsewhere;
  std::thread([&] { elsewhere = range_of_call(true); }).join();
  EXPECT_EQ(elsewhere, "graded");
  graders_ranges().pop();
  EXPECT_EQ(range_of_call(true), "");
  EXPECT_EQ(range_of_call(false), "own");
  this_threads_ranges().pop();
}

TEST(GradersRanges, KnowThatTheirDomainWasMadeAgain) {
  GradersRanges ranges;
  ranges.make();
  EXPECT_FALSE(ranges.made_again());
  ranges.make();
  EXPECT_TRUE(ranges.made_again());
}

}  // namespace
}  // namespace warpgrade::emulator
