// SPDX-License-Identifier: MIT
#include "score/late.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Moment at(std::string_view text) { return *Moment::parse(text); }

/// Due on a Monday evening, with a quarter of an hour of grace.
LatePolicy sample_policy() {
  LatePolicy policy;
  policy.due = at("2026-10-05 23:59 +02:00");
  policy.grace_minutes = 15;
  policy.points_per_day = 10;
  return policy;
}

Lateness judge(const LatePolicy& policy, std::string_view submitted, double score = 95,
               std::string_view student = "anna") {
  return *judge_lateness(policy, "vecadd", student, at(submitted), score);
}

TEST(Late, CostsNothingUpToTheEndOfTheGrace) {
  for (const char* time : {"2026-10-01 12:00 +02:00", "2026-10-05 23:59 +02:00",
                           "2026-10-06 00:14 +02:00", "2026-10-05 22:14 Z"}) {
    const Lateness late = judge(sample_policy(), time);
    EXPECT_EQ(late.late_minutes, 0) << time;
    EXPECT_EQ(late.points_lost, 0) << time;
  }
}

TEST(Late, CostsTheSameForEachDayThatHasBegun) {
  EXPECT_EQ(judge(sample_policy(), "2026-10-06 00:14:01 +02:00").points_lost, 10);
  EXPECT_EQ(judge(sample_policy(), "2026-10-06 00:14:01 +02:00").late_minutes, 1);
  EXPECT_EQ(judge(sample_policy(), "2026-10-07 00:14 +02:00").points_lost, 10);
  EXPECT_EQ(judge(sample_policy(), "2026-10-07 00:15 +02:00").points_lost, 20);
}

TEST(Late, NeverCostsMoreThanThereIsAndKeepsTheUndiminishedScore) {
  const Lateness late = judge(sample_policy(), "2027-10-06 12:00 +02:00", 42.5);
  EXPECT_EQ(late.points_lost, 42.5);
  EXPECT_EQ(late.undiminished_score, 42.5);
}

TEST(Late, FollowsACurveOverDays) {
  LatePolicy policy = sample_policy();
  policy.points_per_day = 0;
  policy.curve = Curve{Interpolation::kLinear, {{0, 1}, {4, 0}}};
  EXPECT_DOUBLE_EQ(judge(policy, "2026-10-06 12:14 +02:00", 80).points_lost, 80 * 0.125);
  EXPECT_DOUBLE_EQ(judge(policy, "2026-10-20 12:14 +02:00", 80).points_lost, 80);
  EXPECT_EQ(judge(policy, "2026-10-05 12:14 +02:00", 80).points_lost, 0);
}

TEST(Late, GivesEachStudentTheLatestOfTheirDates) {
  LatePolicy policy = sample_policy();
  policy.extensions = {{"anna", "", {}, 2},
                       {"anna", "vecadd", at("2026-10-10 12:00 +02:00"), 0},
                       {"anna", "transpose", {}, 100},
                       {"boris", "", at("2026-10-01 12:00 +02:00"), 0}};
  const Lateness late = judge(policy, "2026-10-10 12:16 +02:00");
  EXPECT_TRUE(late.extended);
  EXPECT_EQ(late.due.format(), "2026-10-10 12:00 +02:00");
  EXPECT_EQ(late.late_minutes, 1);
  const Lateness other = judge(policy, "2026-10-05 23:00 +02:00", 95, "boris");
  EXPECT_FALSE(other.extended) << "no date is moved forward";
  EXPECT_EQ(other.late_minutes, 0);
}

TEST(Late, IsNotJudgedWhereNothingIsDue) {
  LatePolicy policy = sample_policy();
  policy.due.reset();
  EXPECT_FALSE(judge_lateness(policy, "vecadd", "anna", at("2030-01-01 00:00 Z"), 95));
}

TEST(Late, IsToldInOneSentence) {
  EXPECT_EQ(describe(judge(sample_policy(), "2026-10-07 10:15 +02:00"), "en"),
            "Handed in 2026-10-07 10:15 +02:00, due 2026-10-05 23:59 +02:00: 1 d 10 h 1 min late, "
            "which costs 20 of 95 points");
  EXPECT_EQ(describe(judge(sample_policy(), "2026-10-05 10:15 +02:00"), "en"),
            "Handed in 2026-10-05 10:15 +02:00, due 2026-10-05 23:59 +02:00: in time");
}

}  // namespace
}  // namespace warpgrade
