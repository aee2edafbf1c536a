// SPDX-License-Identifier: MIT
#include "pipeline/swapped_cases.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

using Ids = std::set<std::string>;

void add_case(Rubric& rubric, const std::string& id, std::vector<std::string> kinds) {
  rubric.cases.emplace_back();
  rubric.cases.back().id = id;
  rubric.cases.back().kinds = std::move(kinds);
}

/// Sums that "add" computes in some cases, one of them swapped; others say how often something is launched.
Rubric sums_rubric() {
  Rubric rubric;
  add_case(rubric, "whole", {"whole", "swapped"});
  add_case(rubric, "large", {"whole", "timed"});
  for (const char* const edge : {"edge-1", "edge-2", "edge-3"}) add_case(rubric, edge, {"edge"});
  add_case(rubric, "refused", {"refused"});
  rubric.items.resize(2);
  rubric.items[0].id = "sum";
  rubric.items[0].outputs = {{"C", Exact{}, Layout::kArray, "add"}};
  rubric.items[0].cases = {"whole", "large", "edge-1", "edge-2", "edge-3"};
  rubric.items[1].id = "once";
  rubric.items[1].rules = {LaunchesRule{"add", Expression(1), {}}};
  rubric.items[1].cases = {"refused"};
  return rubric;
}

TEST(SwappedCases, AreThoseOfTheKindAndOneMoreOfTheSameRange) {
  const Rubric rubric = sums_rubric();
  Ids by_luck;
  for (int key = 0; key < 50; ++key) {
    const Ids chosen = swapped_cases(rubric, std::to_string(key));
    EXPECT_EQ(chosen.size(), 2u) << key;
    EXPECT_TRUE(chosen.contains("whole")) << key;
    EXPECT_EQ(chosen, swapped_cases(rubric, std::to_string(key))) << "a key chooses once";
    by_luck.insert(chosen.begin(), chosen.end());
  }
  EXPECT_EQ(by_luck, (Ids{"whole", "edge-1", "edge-2", "edge-3"}));
  EXPECT_EQ(all_that_may_be_swapped(rubric), by_luck);
}

TEST(SwappedCases, AreNoneWhereTheStaffNamesNone) {
  Rubric rubric = sums_rubric();
  rubric.cases[0].kinds = {"whole"};
  EXPECT_EQ(swapped_cases(rubric, "key"), Ids{});
  EXPECT_EQ(all_that_may_be_swapped(rubric), Ids{});
}

TEST(SwappedCases, AreNoneOfARangeThatNoSwappedCaseIsAbout) {
  Rubric rubric = sums_rubric();
  rubric.items[0].cases = {"whole"};
  rubric.items.push_back(rubric.items[0]);
  rubric.items.back().id = "scaled";
  rubric.items.back().outputs = {{"D", Exact{}, Layout::kArray, "scale"}};
  rubric.items.back().cases = {"edge-1"};
  EXPECT_EQ(swapped_cases(rubric, "key"), Ids{"whole"});
}

TEST(SwappedCases, KnowWhoseOutputsAnItemAsksAbout) {
  Rubric rubric = sums_rubric();
  EXPECT_TRUE(asks_who_computes(rubric, "edge-1", "add"));
  EXPECT_FALSE(asks_who_computes(rubric, "refused", "add"));
  rubric.items[0].outputs[0].computed_in = "";
  EXPECT_FALSE(asks_who_computes(rubric, "edge-1", "add"));
  rubric.items[0].rules = {OnDeviceRule{"add", "C", {}}};
  EXPECT_TRUE(asks_who_computes(rubric, "edge-1", "add"));
}

}  // namespace
}  // namespace warpgrade
