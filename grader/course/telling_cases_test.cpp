// SPDX-License-Identifier: MIT
#include "course/telling_cases.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

ItemResult lost_item(const std::string& id, std::vector<std::string> cases) {
  ItemResult item;
  item.id = id;
  item.status = Outcome::kFailed;
  item.lost_in = std::move(cases);
  return item;
}

TEST(TellingCases, AreFewThatShowEveryLoss) {
  SubmissionResult result;
  result.items = {lost_item("a", {"first", "edge"}), lost_item("b", {"edge", "large"}),
                  lost_item("c", {"single"})};
  EXPECT_EQ(telling_cases(result, {}), (std::set<std::string>{"edge", "single"}));
}

TEST(TellingCases, AreShortOnesWhereALongOneShowsLittleMore) {
  SubmissionResult result;
  result.items = {lost_item("a", {"edge", "large"}), lost_item("b", {"large", "single"})};
  EXPECT_EQ(telling_cases(result, {{"edge", 20}, {"large", 5000}, {"single", 20}}),
            (std::set<std::string>{"edge", "single"}));
}

TEST(TellingCases, LeaveOutWhatIsLostThroughAnotherItem) {
  SubmissionResult result;
  result.items = {lost_item("a", {"first"}), lost_item("b", {"large"})};
  result.items[1].cause = "a";
  EXPECT_EQ(telling_cases(result, {}), std::set<std::string>{"first"});
}

TEST(TellingCases, AreNoneWhereNothingIsLostInACase) {
  SubmissionResult result;
  result.items = {lost_item("builds", {})};
  EXPECT_EQ(telling_cases(result, {}), std::set<std::string>{});
}

}  // namespace
}  // namespace warpgrade
