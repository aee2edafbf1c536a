// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Rubric sample_rubric() {
  Rubric rubric;
  rubric.assignment = "matmul";
  rubric.submission = "matmul.cu";
  rubric.cases = {
      {"small", Visibility::kPublic, {{"N", 4}, {"mode", "verify"}}, "integers", {"T4", "H100"}},
      {"large", Visibility::kHidden, {{"N", 400}}, "fractions", {"H100"}},
      {"unused", Visibility::kPublic, {}, "integers", {"T4"}}};
  Item builds;
  builds.id = "builds";
  builds.kind = ItemKind::kBuild;
  Item product;
  product.id = "product";
  product.cases = {"small", "large"};
  Item pitch;
  pitch.id = "pitch";
  pitch.kind = ItemKind::kRequirement;
  pitch.cases = {"large"};
  rubric.items = {builds, product, pitch};
  return rubric;
}

const Submission kAnn{"ann", "ann/matmul.cu", "int x;", {}, ""};

TEST(MakePlan, RunsEachCaseOnceAndChecksAllThatDependsOnIt) {
  EXPECT_EQ(format_plan(make_plan(sample_rubric(), kAnn, Target::kEmulated)),
            "matmul, ann, emulated devices:\n"
            "  build matmul.cu within 60 s\n"
            "  check builds\n"
            "  run   small on T4, H100: 4 verify (inputs: integers; 10 s, 2048 MB, 20000000 "
            "instructions a launch)\n"
            "  check product on small\n"
            "  run   large on H100: 400 (inputs: fractions; 10 s, 2048 MB, 20000000 instructions a "
            "launch)\n"
            "  check product on large\n"
            "  check pitch on large\n"
            "  score\n");
}

TEST(MakePlan, RunsACaseInItsOrder) {
  Rubric rubric = sample_rubric();
  rubric.cases[0].order = 1;
  const Plan plan = make_plan(rubric, kAnn, Target::kEmulated);
  EXPECT_EQ(steps_of<RunStep>(rubric, Target::kEmulated)[0].order, 1);
  EXPECT_NE(format_plan(plan).find("instructions a launch; order 1)"), std::string::npos);
}

TEST(MakePlan, WantsFencesInTheCasesOfAnItemThatAsksForThem) {
  Rubric rubric = sample_rubric();
  rubric.items[2].rules = {NoFindingsRule{{"race", "fences"}, "locked"}};
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric, Target::kEmulated);
  EXPECT_FALSE(steps[0].fences);
  EXPECT_TRUE(steps[1].fences);
}

TEST(MakePlan, RunsPublicCasesBeforeHiddenOnes) {
  Rubric rubric = sample_rubric();
  std::swap(rubric.cases[0], rubric.cases[1]);
  std::vector<std::string> order;
  for (const RunStep& step : steps_of<RunStep>(rubric, Target::kEmulated))
    order.push_back(step.case_id);
  EXPECT_EQ(order, (std::vector<std::string>{"small", "large"}));
}

TEST(MakePlan, NamesTheArraysThatItemsOfTheCaseLookAt) {
  Rubric rubric = sample_rubric();
  rubric.items[1].outputs = {OutputRule{"C"}};
  rubric.items[2].rules = {TimedByEventsRule{"work"}, OnDeviceRule{"work", "D", {}}};
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric, Target::kEmulated);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].outputs, std::set<std::string>{"C"});
  EXPECT_EQ(steps[1].outputs, (std::set<std::string>{"C", "D", "times"}));
}

TEST(MakePlan, ReadsWhatDerivedOutputsAreMadeFromInTheirPlace) {
  Rubric rubric = sample_rubric();
  rubric.items[1].outputs = {OutputRule{"facts"}};
  rubric.items[1].outputs[0].made_from = {"x", "y"};
  rubric.items[1].cases = {"small"};
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric, Target::kEmulated);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].outputs, (std::set<std::string>{"x", "y"}));
  EXPECT_EQ(steps[0].derived.at("facts"), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(steps[1].derived.empty());
}

TEST(MakePlan, RunsOnlySelectedCases) {
  const Rubric rubric = select(sample_rubric(), {false, {}});
  EXPECT_EQ(format_plan(make_plan(rubric, kAnn, Target::kEmulated)),
            "matmul, ann, emulated devices:\n"
            "  build matmul.cu within 60 s\n"
            "  check builds\n"
            "  run   small on T4, H100: 4 verify (inputs: integers; 10 s, 2048 MB, 20000000 "
            "instructions a launch)\n"
            "  check product on small\n"
            "  score\n");
}

TEST(MakePlan, TimesACaseOnTheGpuBesideEachBaselineOnce) {
  Rubric rubric = select(sample_rubric(), {true, {"large"}});
  for (const char* over : {"naive", "", "reference", "naive"}) {
    Item speed;
    speed.id = "speed";
    speed.kind = ItemKind::kPerformance;
    speed.cases = {"large"};
    speed.metric.emplace();
    speed.metric->over = over;
    rubric.items.push_back(speed);
  }
  const std::string plan = format_plan(make_plan(rubric, kAnn, Target::kGpu));
  EXPECT_NE(plan.find("  time  large on the GPU: 400 (inputs: fractions; 10 s, 2048 MB; beside "
                      "naive, reference)\n"),
            std::string::npos)
      << plan;
  EXPECT_EQ(format_plan(make_plan(rubric, kAnn, Target::kEmulated)).find("  time "),
            std::string::npos);
}

TEST(MakePlan, SendsAnUnreadableSubmissionStraightToItsScore) {
  const Submission bob{"bob", "bob/matmul.cu", "", {"intake.empty"}, ""};
  EXPECT_EQ(format_plan(make_plan(sample_rubric(), bob, Target::kEmulated)),
            "matmul, bob, emulated devices:\n  score\n");
}

}  // namespace
}  // namespace warpgrade
