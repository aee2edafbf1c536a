// SPDX-License-Identifier: MIT
#include "course/coverage.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

constexpr const char* kSumRubric = R"(
assignment: sum
title: A sum
submission: sum.cu
cases:
  - {id: full-64, family: i, args: {N: 64}, kinds: [whole]}
  - {id: over-65, family: i, args: {N: 65}, kinds: [edge]}
  - {id: one, family: i, args: {N: 1}, kinds: [edge, single]}
items:
  - {id: right, title: R, kind: correctness, points: 50, cases: [full-64, over-65, one], outputs: [{array: total}]}
  - {id: blocks, title: B, kind: requirement, points: 0, cases: [full-64],
     rules: [{block: {range: sum, x: 32}}]}
  - {id: blocks-of-edges, title: B, kind: requirement, points: 50, cases: [over-65],
     rules: [{block: {range: sum, x: 32}}, {freed: {range: sum}}],
     leaves_out: {whole: freeing does not depend on the size, single: one element is an edge}}
)";

Rubric sum_rubric(std::string_view from = "", std::string_view to = "") {
  std::string text = kSumRubric;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  Course course;
  course.proof.covers_case_kinds = true;
  const Result<Rubric> rubric = parse_rubric(text.replace(at, from.size(), to), "sum.yaml", course);
  EXPECT_TRUE(rubric.ok()) << rubric.error().message;
  return *rubric;
}

const ArraysOfCases kOutputs = {{"full-64", {"total"}}, {"over-65", {"total"}}, {"one", {"total"}}};

using Lines = std::vector<std::string>;

TEST(Coverage, TakesEqualRulesOfSeveralItemsTogether) {
  const CoverageTable table = cover(sum_rubric(), kOutputs);
  EXPECT_EQ(table.complaints, Lines());
  EXPECT_EQ(table.kinds, (Lines{"whole", "edge", "single"}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].what, "the rule 'In `sum`, each block has x = `32`'");
  EXPECT_EQ(table.rows[0].items, (Lines{"blocks", "blocks-of-edges"}));
  EXPECT_EQ(table.rows[0].kinds.at("whole"), Coverage::kJudged);
  EXPECT_EQ(table.rows[0].kinds.at("single"), Coverage::kLeftOut);
  EXPECT_EQ(table.rows[1].kinds.at("whole"), Coverage::kLeftOut) << "freed";
  EXPECT_EQ(table.rows[2].kinds.at("single"), Coverage::kJudged) << "the array";
}

TEST(Coverage, NamesTheKindThatNoCaseOfARuleHas) {
  EXPECT_EQ(
      cover(sum_rubric(", single: one element is an edge", ""), kOutputs).complaints,
      (Lines{"the rule 'In `sum`, each block has x = `32`' of items blocks, blocks-of-edges is "
             "judged in no case of kind single (one); add such a case to an item, or give the "
             "reason under 'leaves_out'",
             "the rule 'In `sum`, the program releases every allocation, event, stream and other "
             "object that "
             "it makes' of item blocks-of-edges is judged in no case of kind single (one); add "
             "such a case to an item, or give the reason under 'leaves_out'"}));
}

TEST(Coverage, TellsRulesWithOtherValuesApart) {
  EXPECT_EQ(cover(sum_rubric("x: 32", "x: 64"), kOutputs).complaints.size(), 2u)
      << "blocks of 64 are judged in whole cases alone, those of 32 leave these out";
}

TEST(Coverage, RefusesAReasonForAKindThatIsJudgedOrThatNoCaseHas) {
  EXPECT_EQ(
      cover(sum_rubric("single: one element is an edge", "single: s, edge: e, gaps: g"), kOutputs)
          .complaints,
      (Lines{"item blocks-of-edges leaves out edge (over-65, one), and is judged in such cases; "
             "remove one of the two",
             "item blocks-of-edges leaves out gaps, and no case is of that kind; remove it from "
             "'leaves_out'"}));
}

TEST(Coverage, RefusesACaseWithoutKinds) {
  EXPECT_EQ(
      cover(sum_rubric(", kinds: [whole]", ""), kOutputs).complaints.front(),
      "case full-64 has no 'kinds'; add one or more of whole, edge, single, empty, gaps, values, "
      "devices, refused, timed, swapped");
}

TEST(Coverage, DemandsNoKindsWhereTheCourseDoesNot) {
  Rubric rubric = sum_rubric(", kinds: [whole]", "");
  rubric.proof.covers_case_kinds = false;
  rubric.items.back().leaves_out.clear();
  EXPECT_EQ(cover(rubric, kOutputs).complaints, Lines());
}

TEST(Coverage, HoldsArraysToTheKindsInWhichTheyAreWritten) {
  const Rubric rubric =
      sum_rubric("cases: [full-64, over-65, one], outputs", "cases: [full-64], outputs");
  const CoverageTable table =
      cover(rubric, {{"full-64", {"total"}}, {"over-65", {"total", "rest"}}});
  EXPECT_EQ(
      table.complaints,
      (Lines{"the array 'total' of item right is judged in no case of kind edge (over-65, one); "
             "add such a case to an item, or give the reason under 'leaves_out'",
             "the array 'rest' is written and expected, and no item compares it; add it to an "
             "item's 'outputs', or let the oracle leave it out"}));
  EXPECT_EQ(table.rows[2].kinds.count("single"), 0u) << "no such case writes it";
}

}  // namespace
}  // namespace warpgrade
