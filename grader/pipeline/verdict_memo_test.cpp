// SPDX-License-Identifier: MIT
#include "pipeline/verdict_memo.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

CaseVerdict verdict(Outcome outcome) {
  return {.case_id = "small", .item_id = "sum", .status = outcome};
}

TEST(VerdictMemo, KnowsARunOfTheSameProgramOnTheSameInputs) {
  VerdictMemo memo;
  memo.keep("source", "small", "inputs", {verdict(Outcome::kFailed)});
  const auto known = memo.find("source", "small", "inputs");
  ASSERT_TRUE(known.has_value());
  ASSERT_EQ(known->size(), 1u);
  EXPECT_EQ(known->front().status, Outcome::kFailed);
  EXPECT_FALSE(memo.find("source", "small", "others"));
  EXPECT_FALSE(memo.find("source", "large", "inputs"));
  EXPECT_FALSE(memo.find("another", "small", "inputs"));
}

TEST(VerdictMemo, KeepsTheLastInputsAndNoFailureOfTheMachine) {
  VerdictMemo memo;
  memo.keep("source", "small", "first", {verdict(Outcome::kFailed)});
  memo.keep("source", "small", "second", {verdict(Outcome::kPassed)});
  EXPECT_FALSE(memo.find("source", "small", "first"));
  EXPECT_TRUE(memo.find("source", "small", "second"));
  memo.keep("source", "large", "first", {verdict(Outcome::kSystemError)});
  EXPECT_FALSE(memo.find("source", "large", "first"));
}

}  // namespace
}  // namespace warpgrade
