// SPDX-License-Identifier: MIT
#include "pipeline/told_findings.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

/// A case that is to go well, one that is to fail, and an item that demands a race in one range.
Rubric sample_rubric() {
  Rubric rubric;
  rubric.cases.resize(2);
  rubric.cases[0].id = "plain";
  rubric.cases[0].kinds = {"whole"};
  rubric.cases[1].id = "too-large";
  rubric.cases[1].kinds = {"refused"};
  rubric.items.resize(1);
  rubric.items[0].rules = {FindingsRule{{"race"}, "racy"}};
  return rubric;
}

/// The checkers whose findings are told, each of which found one thing in the range.
std::string told(const std::string& case_id, Outcome status, const std::string& range = "add") {
  Trace trace;
  trace.ranges.resize(1);
  for (const char* const checker : {"memory", "race", "api"}) {
    trace.findings.emplace_back().checker = checker;
    trace.findings.back().range = range;
  }
  std::string names;
  for (const Finding& each :
       told_findings(sample_rubric(), case_id, trace,
                     {{case_id, "sum", Outcome::kPassed}, {case_id, "ends", status}}))
    names += each.checker + ' ';
  return names;
}

TEST(ToldFindings, AreAllOfACaseThatLosesAnItem) {
  EXPECT_EQ(told("plain", Outcome::kFailed), "memory race api ");
  EXPECT_EQ(told("too-large", Outcome::kFailed), "memory race api ");
  EXPECT_EQ(told("too-large", Outcome::kPending), "memory race api ");
}

TEST(ToldFindings, LeaveOutErrorsOfCallsThatAPassedCaseAsksFor) {
  EXPECT_EQ(told("plain", Outcome::kPassed), "memory race ");
}

TEST(ToldFindings, LeaveOutAllOfAPassedCaseThatIsToFail) {
  EXPECT_EQ(told("too-large", Outcome::kPassed), "");
}

TEST(ToldFindings, LeaveOutWhatAnItemDemands) {
  EXPECT_EQ(told("plain", Outcome::kPassed, "racy"), "memory ");
}

TEST(ToldFindings, LeaveOutWhatTheDriverProvokesOutsideOfRanges) {
  EXPECT_EQ(told("plain", Outcome::kFailed, ""), "memory race ");
}

}  // namespace
}  // namespace warpgrade
