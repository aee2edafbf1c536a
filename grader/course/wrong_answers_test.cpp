// SPDX-License-Identifier: MIT
#include "course/wrong_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "course/sample_course.h"

namespace warpgrade {
namespace {

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

NpyArray array_of(const Floats& values) { return make_npy<float>({values.size()}, values); }

CaseAnswers sample_answers() {
  return {{{"A", array_of({0.1F, 0.2F, 0.3F})}},
          {{"C", array_of({0.3F, 0.4F, 0.7F})}},
          {{"C", array_of({0.9F, 0.4F, 0.1F})}}};
}

Rubric rubric_with(const Tolerance& tolerance) {
  Rubric rubric = sample_course_rubric();
  rubric.items[1].outputs[0].tolerance = tolerance;
  return rubric;
}

CaseProof prove(const Tolerance& tolerance, const CaseAnswers& answers) {
  const Rubric rubric = rubric_with(tolerance);
  return prove_case(rubric, rubric.cases[0], answers);
}

TEST(ProveCase, RefusesEveryWrongAnswer) {
  const CaseProof proof = prove(Exact{}, sample_answers());
  EXPECT_EQ(proof.case_id, "small-3");
  EXPECT_EQ(proof.complaints, Strings{});
  for (const Reception reception : proof.receptions) EXPECT_EQ(reception, Reception::kRefused);
}

TEST(ProveCase, ComplainsAboutAToleranceThatTakesHalfPrecisionForRight) {
  const CaseProof proof = prove(Relative{0.01}, sample_answers());
  EXPECT_EQ(proof.of(WrongAnswer::kHalf), Reception::kAccepted);
  EXPECT_EQ(proof.of(WrongAnswer::kOtherSeed), Reception::kRefused);
  EXPECT_EQ(proof.complaints, Strings{"case small-3: product takes half precision for a right C"});
}

TEST(ProveCase, ComplainsAboutAToleranceThatTakesEverythingForRight) {
  const CaseProof proof = prove(Absolute{2}, sample_answers());
  EXPECT_EQ(proof.of(WrongAnswer::kZeros), Reception::kAccepted);
  EXPECT_EQ(proof.of(WrongAnswer::kPoison), Reception::kRefused);  // NaN
  EXPECT_EQ(proof.of(WrongAnswer::kInput), Reception::kAccepted);
  EXPECT_EQ(proof.complaints.size(), 4u);
}

TEST(ProveCase, SaysWhereAWrongAnswerIsTheRightOne) {
  CaseAnswers answers = sample_answers();
  answers.expected["C"] = answers.other_expected["C"] = array_of({1, 2, 3});
  const CaseProof proof = prove(Exact{}, answers);
  EXPECT_EQ(proof.of(WrongAnswer::kOtherSeed), Reception::kSame);
  EXPECT_EQ(proof.of(WrongAnswer::kHalf), Reception::kSame);
  EXPECT_EQ(proof.complaints, Strings{});
}

TEST(ProveCase, SaysWhereThereIsNoSuchAnswer) {
  CaseAnswers answers = sample_answers();
  answers.inputs["A"] = array_of({1, 2, 3, 4});
  answers.expected["C"] = make_npy<int32_t>({3}, {1, 2, 3});
  answers.other_expected.clear();
  const CaseProof proof = prove(Exact{}, answers);
  EXPECT_EQ(proof.of(WrongAnswer::kInput), Reception::kNone);
  EXPECT_EQ(proof.of(WrongAnswer::kOtherSeed), Reception::kNone);
  EXPECT_EQ(proof.of(WrongAnswer::kHalf), Reception::kNone);
}

TEST(ProveCase, WantsEveryCaseToRefuseZeros) {
  CaseAnswers answers = sample_answers();
  answers.expected["C"] = array_of({0, -0.0F, 0});
  EXPECT_EQ(prove(Exact{}, answers).complaints,
            Strings{"case small-3: the right answer is the same as zeros"});
  answers.expected["C"] = array_of({});
  EXPECT_EQ(prove(Exact{}, answers).complaints, Strings{});
}

TEST(ProveCase, ComplainsAboutAnOutputThatTheOracleDoesNotMake) {
  CaseAnswers answers = sample_answers();
  answers.expected.clear();
  EXPECT_EQ(prove(Exact{}, answers).complaints,
            Strings{"case small-3: product compares C, of which the oracle knows nothing here"});
}

TEST(IsCompared, AsksForOutputsNotForRulesOrCounters) {
  Rubric rubric = sample_course_rubric();
  EXPECT_TRUE(is_compared(rubric, "large-64"));
  rubric.items[1].cases = {"small-3"};
  EXPECT_FALSE(is_compared(rubric, "large-64"));
}

float half(float value) { return rounded_to_half(array_of({value})).as<float>()[0]; }

TEST(RoundedToHalf, RoundsAsTheFormatDoes) {
  EXPECT_EQ(half(1.0F), 1.0F);
  EXPECT_EQ(half(0.1F), 0.0999755859375F);
  EXPECT_EQ(half(-2049.0F), -2048.0F);  // halfway: to even
  EXPECT_EQ(half(2051.0F), 2052.0F);
  EXPECT_EQ(half(65519.0F), 65504.0F);
  EXPECT_EQ(half(65520.0F), std::numeric_limits<float>::infinity());
  EXPECT_EQ(half(0x1p-24F), 0x1p-24F);  // the least there is
  EXPECT_EQ(half(0x1p-26F), 0.0F);
  EXPECT_TRUE(std::isnan(half(std::numeric_limits<float>::quiet_NaN())));
}

TEST(RoundedToHalf, LeavesIntegersAlone) {
  const NpyArray integers = make_npy<int32_t>({2}, {2049, -1});
  EXPECT_EQ(rounded_to_half(integers), integers);
}

}  // namespace
}  // namespace warpgrade
