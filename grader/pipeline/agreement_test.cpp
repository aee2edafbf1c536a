// SPDX-License-Identifier: MIT
#include "pipeline/agreement.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Rubric rubric_of_kind(ItemKind kind) {
  Rubric rubric;
  rubric.items.resize(1);
  rubric.items[0].id = "item";
  rubric.items[0].kind = kind;
  return rubric;
}

Agreed agreed(ItemKind kind, Outcome emulated, Outcome gpu) {
  return agree(rubric_of_kind(kind), {{"case", "item", emulated, {"test", {}, "here"}}},
               {{"case", "item", gpu, {"test", {}, "there"}}}, "NVIDIA H100");
}

TEST(Agree, IsSilentWhereBothSayTheSame) {
  for (const Outcome outcome : {Outcome::kPassed, Outcome::kFailed}) {
    const Agreed both = agreed(ItemKind::kRequirement, outcome, outcome);
    EXPECT_EQ(both.verdicts.at(0).message.text, "here");
    EXPECT_TRUE(both.disagreements.empty());
  }
}

TEST(Agree, TakesNoAnswerForRightThatIsWrongOnTheGpu) {
  const Agreed both = agreed(ItemKind::kCorrectness, Outcome::kPassed, Outcome::kFailed);
  EXPECT_EQ(both.verdicts.at(0).status, Outcome::kFailed);
  EXPECT_EQ(both.verdicts.at(0).message.text, "on NVIDIA H100: there");
  ASSERT_EQ(both.disagreements.size(), 1u);
  EXPECT_EQ(both.disagreements[0].kind, "correctness");
  EXPECT_EQ(both.disagreements[0].emulated, "passed: here");
  EXPECT_EQ(both.disagreements[0].gpu, "failed: there");
}

TEST(Agree, LetsTheEmulatedDeviceDecideWhatAGpuOnlyPartlyShows) {
  for (const ItemKind kind : {ItemKind::kRequirement, ItemKind::kEfficiency}) {
    const Agreed both = agreed(kind, Outcome::kPassed, Outcome::kFailed);
    EXPECT_EQ(both.verdicts.at(0).status, Outcome::kPassed);
    EXPECT_EQ(both.disagreements.size(), 1u);
  }
}

TEST(Agree, LetsTheGpuDecideSpeedAndWhatWaitedForIt) {
  for (const Outcome gpu : {Outcome::kPassed, Outcome::kPending, Outcome::kSystemError}) {
    const Agreed both = agreed(ItemKind::kPerformance, Outcome::kPartial, gpu);
    EXPECT_EQ(both.verdicts.at(0).status, gpu);
    EXPECT_TRUE(both.disagreements.empty());
  }
  EXPECT_EQ(agreed(ItemKind::kRequirement, Outcome::kPending, Outcome::kFailed).verdicts[0].status,
            Outcome::kFailed);
}

TEST(Agree, NeverLetsAFailureOfTheMachineCostAnything) {
  const Agreed both = agreed(ItemKind::kCorrectness, Outcome::kPassed, Outcome::kSystemError);
  EXPECT_EQ(both.verdicts.at(0).status, Outcome::kPassed);
  EXPECT_EQ(both.disagreements.at(0).gpu, "system_error: there");
}

TEST(Agree, PutsModelledAndMeasuredSpeedsSideBySide) {
  CaseVerdict modelled{"case", "item", Outcome::kPartial, {"test", {}, "here"}};
  modelled.value = 2.5;
  CaseVerdict measured = modelled;
  measured.value = 2;
  const Rubric rubric = rubric_of_kind(ItemKind::kPerformance);
  const Speed both{"item", "case", 2.5, 2.0}, one{"item", "case", 2.5, {}};
  EXPECT_EQ(speeds_of(rubric, {modelled}, {measured}), std::vector<Speed>{both});
  EXPECT_EQ(speeds_of(rubric, {modelled}, {}), std::vector<Speed>{one});
  EXPECT_TRUE(speeds_of(rubric_of_kind(ItemKind::kRequirement), {modelled}, {measured}).empty());
}

TEST(Agree, CountsVerdictsThatBothGave) {
  const auto counted = [](ItemKind kind, Outcome emulated, Outcome gpu) {
    return agreed(kind, emulated, gpu).compared;
  };
  const Compared one{{"requirement", 1}};
  EXPECT_EQ(counted(ItemKind::kRequirement, Outcome::kPassed, Outcome::kPassed), one);
  EXPECT_EQ(counted(ItemKind::kRequirement, Outcome::kPassed, Outcome::kFailed), one);
  EXPECT_TRUE(counted(ItemKind::kRequirement, Outcome::kPassed, Outcome::kPending).empty());
  EXPECT_TRUE(counted(ItemKind::kPerformance, Outcome::kPassed, Outcome::kPassed).empty());
}

TEST(Agree, KeepsWhatTheGpuSaysNothingAbout) {
  const Agreed both = agree(rubric_of_kind(ItemKind::kCorrectness),
                            {{"case", "item", Outcome::kPassed, "here"}}, {}, "NVIDIA H100");
  EXPECT_EQ(both.verdicts.at(0).status, Outcome::kPassed);
  EXPECT_TRUE(both.disagreements.empty());
}

}  // namespace
}  // namespace warpgrade
