// SPDX-License-Identifier: MIT
#include "observe/timing/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpgrade {
namespace {

/// Each list is a round.
std::vector<TimeSample> samples_of(const std::vector<std::vector<double>>& rounds) {
  std::vector<TimeSample> samples;
  for (size_t round = 0; round < rounds.size(); ++round) {
    for (const double ms : rounds[round]) {
      TimeSample& sample = samples.emplace_back();
      sample.round = static_cast<int>(round);
      sample.kernel_ms = ms;
    }
  }
  return samples;
}

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(EstimateRatio, DividesTheMediansOfAllRounds) {
  const RatioEstimate estimate = estimate_ratio(samples_of({{1, 1.1, 9}, {1, 1.2, 1.1}}),
                                                samples_of({{2, 2.2, 2.2}, {2.2, 2.3, 8}}));
  EXPECT_DOUBLE_EQ(estimate.student_ms, 1.1);
  EXPECT_DOUBLE_EQ(estimate.baseline_ms, 2.2);
  EXPECT_DOUBLE_EQ(estimate.ratio, 2);
  EXPECT_NEAR(estimate.student_mad, 0.1, 1e-12);
  EXPECT_EQ(estimate.samples, 6);
}

TEST(EstimateRatio, SaysTheSameOfTheSameSamples) {
  const auto student = samples_of({{1, 1.1}, {1.05, 1}, {1.2, 1.1}});
  const auto baseline = samples_of({{2, 2.1}, {2.05, 2}, {2.2, 2.3}});
  const RatioEstimate once = estimate_ratio(student, baseline);
  EXPECT_EQ(once.low, estimate_ratio(student, baseline).low);
  EXPECT_LT(once.low, once.ratio);
  EXPECT_LT(once.ratio, once.high);
}

TEST(EstimateRatio, HasAWiderIntervalTheMoreRoundsDiffer) {
  const auto baseline = samples_of({{2, 2}, {2, 2}, {2, 2}, {2, 2}});
  const auto half_width_with = [&](double spread) {
    return half_width(estimate_ratio(
        samples_of({{1, 1}, {1 + spread, 1 + spread}, {1, 1}, {1 + spread, 1 + spread}}),
        baseline));
  };
  EXPECT_LT(half_width_with(0), 1e-12);
  EXPECT_GT(half_width_with(0.01), 0.005);
  EXPECT_GT(half_width_with(0.04), 3 * half_width_with(0.01));
}

TEST(EstimateRatio, CancelsWhatARoundDidToBothPrograms) {
  const auto student = samples_of({{1}, {1.1}, {1.2}, {1.3}});
  const RatioEstimate paired = estimate_ratio(student, samples_of({{2}, {2.2}, {2.4}, {2.6}}));
  EXPECT_LT(half_width(paired), 1e-6);
  EXPECT_GT(half_width(estimate_time(student)), 0.1);
}

TEST(EstimateRatio, LeavesOutWhatWasNotAcceptedAndRoundsThatOnlyOneProgramHas) {
  auto student = samples_of({{1, 1, 50}, {1, 1, 1}, {77, 77, 77}});
  student[2].accepted = false;
  const RatioEstimate estimate = estimate_ratio(student, samples_of({{2, 2, 2}, {2, 2, 2}}));
  EXPECT_EQ(estimate.ratio, 2);
  EXPECT_EQ(estimate.samples, 5);
  for (TimeSample& sample : student) sample.accepted = false;
  const RatioEstimate none = estimate_ratio(student, samples_of({{2}}));
  EXPECT_EQ(none.samples, 0);
  EXPECT_TRUE(std::isinf(half_width(none)));
}

TEST(EstimateRatio, TrustsOneProcessLittle) {
  const RatioEstimate estimate = estimate_ratio(samples_of({{1, 1, 1}}), samples_of({{2, 2, 2}}));
  EXPECT_NEAR(estimate.low, 2 / 1.1, 1e-12);
  EXPECT_NEAR(estimate.high, 2.2, 1e-12);
}

TEST(EstimateTime, TellsWhatOneProgramTook) {
  const TimeEstimate estimate = estimate_time(samples_of({{1, 1.1, 1.2}, {1, 1.1, 1.3}}));
  EXPECT_EQ(estimate.ms, 1.1);
  EXPECT_EQ(estimate.samples, 6);
  EXPECT_LE(estimate.low, 1.1);
  EXPECT_GE(estimate.high, 1.1);
  EXPECT_EQ(estimate_time({}).samples, 0);
}

}  // namespace
}  // namespace warpgrade
