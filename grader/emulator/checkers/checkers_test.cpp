// SPDX-License-Identifier: MIT
#include "emulator/checkers/checkers.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(ParseCheckers, LeavesPaddingAndFencesOutOfAll) {
  const auto all = parse_checkers("all");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(*all, all_checkers());
  EXPECT_FALSE(all->padding);
  EXPECT_FALSE(all->fences);
  EXPECT_TRUE(parse_checkers("fences,all")->fences);
  EXPECT_TRUE(all->race);
}

TEST(ParseCheckers, AddsUpWhatIsNamed) {
  const auto some = parse_checkers("padding, all");
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->padding && some->init && some->api);
  EXPECT_EQ(*parse_checkers("none"), Checkers{});
}

TEST(ParseCheckers, NamesWhatThereIs) {
  EXPECT_EQ(parse_checkers("memory,rase").error().message,
            "rase: write names out of memory, padding, init, race, sync, api, fences, all, none");
}

}  // namespace
}  // namespace warpgrade::emulator
