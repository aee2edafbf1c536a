// SPDX-License-Identifier: MIT
#include "course/graded_case.h"

#include <gtest/gtest.h>

#include "course/sample_course.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

/// The sample rubric, whose item `pitch` demands that no race is in the kernels of `range`.
Rubric race_free(const std::string& range) {
  Rubric rubric = sample_course_rubric();
  rubric.items[2].rules = {NoFindingsRule{{"race", "sync"}, range}};
  return rubric;
}

GradedCase raced(const std::string& checker = "race") {
  GradedCase one;
  one.case_id = "large-64";
  one.ranges = {"tiles", "other"};
  one.ranges_of_kernel = {{"tile", {"tiles"}}, {"fill", {""}}};
  one.findings = {
      {1, checker, "reads t[0], which another writes", "tile", "/in/a.cu", 12, {}, {}, 3}};
  return one;
}

Lines said_of(const Rubric& rubric, const Lines& lost, const GradedCase& one,
              Role role = Role::kMutant) {
  return contradictions(rubric, role, sample_result(rubric, lost), {one});
}

const Lines kContradiction = {
    "passes pitch, although the race checker found this: tile in large-64, a.cu:12: reads t[0], "
    "which "
    "another writes"};

TEST(Contradictions, AreFindingsAboutTheRangeOfAnItemThatPassed) {
  EXPECT_EQ(said_of(race_free("tiles"), {}, raced()), kContradiction);
  EXPECT_EQ(said_of(race_free(""), {}, raced()), kContradiction);
}

TEST(Contradictions, AreNoneWhereTheItemIsLostOrAsksForSomethingElse) {
  EXPECT_EQ(said_of(race_free("tiles"), {"pitch"}, raced()), Lines());
  EXPECT_EQ(said_of(race_free("other"), {}, raced()), Lines()) << "the kernel ran elsewhere";
  EXPECT_EQ(said_of(race_free("tiles"), {}, raced("memory")), Lines());
}

TEST(Contradictions, AreNoneWhereAnotherItemOfTheCaseWasLostForTheFinding) {
  Rubric rubric = race_free("tiles");
  Item other = rubric.items[2];
  other.id = "other";
  other.cases = {"large-64"};
  rubric.items.push_back(other);
  EXPECT_EQ(said_of(rubric, {"other"}, raced()), Lines());
  rubric.items.back().cases = {"another"};
  EXPECT_EQ(said_of(rubric, {"other"}, raced()), kContradiction) << "it was lost for another case";
}

TEST(Contradictions, AreNoneWhereTheDriverMakesCudaRefuseSomething) {
  Rubric rubric = race_free("tiles");
  for (Case& each : rubric.cases) {
    if (each.id == "large-64") each.kinds = {"refused"};
  }
  EXPECT_EQ(said_of(rubric, {}, raced()), Lines());
}

TEST(Contradictions, DoNotCountTheDriversOwnKernels) {
  GradedCase one = raced();
  one.findings[0].kernel = "fill";
  EXPECT_EQ(said_of(race_free(""), {}, one, Role::kReference), Lines());
  one.findings[0].kernel = "tile";
  one.findings[0].file = "/in/driver.cu";
  EXPECT_EQ(said_of(race_free(""), {}, one, Role::kReference), Lines());
}

TEST(Contradictions, OfARightAnswerAreAllFindingsThatNoRuleAsksFor) {
  Rubric rubric = race_free("other");
  const Lines found = {
      "is right, although the race checker found this: tile in large-64, a.cu:12: reads t[0], "
      "which "
      "another writes"};
  EXPECT_EQ(said_of(rubric, {}, raced(), Role::kReference), found);
  EXPECT_EQ(said_of(rubric, {}, raced(), Role::kAccepted), found);
  rubric.items[2].rules.push_back(FindingsRule{{"race"}, "tiles"});
  EXPECT_EQ(said_of(rubric, {}, raced(), Role::kReference), Lines());
}

TEST(UnopenedRanges, AreThoseThatTheDriverOpensInNoCase) {
  EXPECT_EQ(unopened_ranges(race_free("tilse"), {raced()}),
            Lines{"item pitch looks at the range 'tilse', which the driver opens in no case"});
  EXPECT_EQ(unopened_ranges(race_free("tiles"), {raced()}), Lines());
}

TEST(NamesWithoutElements, AreMoreThanTheArrayHasInAnyCaseOfTheItem) {
  Rubric rubric = race_free("tiles");
  OutputRule named;
  named.array = "next";
  named.elements = {"the next call", "which CUDA accepts"};
  rubric.items[2].outputs = {named};
  GradedCase one = raced();
  one.arrays = {{"next", 1}};
  rubric.items[2].cases = {one.case_id};
  EXPECT_EQ(
      names_without_elements(rubric, {one}),
      Lines{"item pitch names 2 elements of 'next', which has 1; put a name that holds a comma "
            "in quotes"});
  one.arrays["next"] = 2;
  EXPECT_EQ(names_without_elements(rubric, {one}), Lines());
}

TEST(Contradictions, GoByTheRangeOfTheFindingWhereTheDeviceSaysIt) {
  GradedCase one = raced();
  one.ranges_of_kernel["tile"].insert("other");
  one.findings[0].range = "other";
  EXPECT_EQ(said_of(race_free("tiles"), {}, one), Lines());
  EXPECT_EQ(said_of(race_free("other"), {}, one), kContradiction);
}

TEST(UnknownCounters, AreThoseThatNoRubricCanName) {
  GradedCase one = raced();
  one.counters = {"launch__grid_size", "ptx__inst_executed.sum", "ptx__moons.sum"};
  EXPECT_EQ(unknown_counters({one, one}),
            Lines{"the emulated device counts ptx__moons.sum, which rubrics cannot name: add it to "
                  "metric_names.cpp"});
}

TEST(NoteCase, KeepsWhatTheRunShowed) {
  RunResult run;
  run.outputs["C"] = make_npy<float>({1}, {1});
  run.outputs["ms"] = make_npy<float>({1}, {1});
  const GradedCase one = note_case("large-64", run, {{"C", make_npy<float>({1}, {1})}});
  EXPECT_EQ(one.arrays, (std::map<std::string, size_t>{{"C", 1}}));
  EXPECT_TRUE(one.findings.empty());
}

}  // namespace
}  // namespace warpgrade
