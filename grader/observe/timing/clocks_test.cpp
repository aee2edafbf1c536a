// SPDX-License-Identifier: MIT
#include "observe/timing/clocks.h"

#include <gtest/gtest.h>

#include "testing/units.h"

namespace warpgrade {
namespace {

TEST(ParseWatch, ReadsLinesAndLeavesOutWhatIsNone) {
  const std::vector<ClockReading> readings = parse_watch(
      "2000000 4 1980 2619 41 312500\n"
      "1000000 0x60 1200.5 2619 84 100\n"
      "\n"
      "the GPU is lost\n"
      "3000000 0 1980 2619 41\n"
      "4000000 0 1980 26");
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].at_ns, 1000000);
  EXPECT_EQ(readings[0].reasons, 0x60u);
  EXPECT_EQ(readings[0].sm_mhz, 1200.5);
  EXPECT_EQ(readings[1].power_mw, 312500);
  EXPECT_TRUE(parse_watch("").empty());
}

TimeSample sample(int64_t start_ms, int64_t end_ms) {
  TimeSample made;
  made.start_ns = start_ms * kNsPerMs;
  made.end_ns = end_ms * kNsPerMs;
  return made;
}

ClockReading reading(int64_t at_ms, uint64_t reasons) {
  ClockReading made;
  made.at_ns = at_ms * kNsPerMs;
  made.reasons = reasons;
  return made;
}

TEST(WhyThrottled, LooksDuringTheSampleAndAtTheReadingsNextToIt) {
  const std::vector<ClockReading> hot = {reading(100, 0), reading(110, 0x40), reading(120, 0),
                                         reading(130, 0)};
  EXPECT_EQ(why_throttled(sample(105, 115), hot), "the GPU was throttled by heat");
  EXPECT_EQ(why_throttled(sample(112, 113), hot), "the GPU was throttled by heat") << "just before";
  EXPECT_EQ(why_throttled(sample(103, 104), hot), "the GPU was throttled by heat") << "just after";
  EXPECT_EQ(why_throttled(sample(123, 124), hot), "");
  EXPECT_EQ(why_throttled(sample(80, 85), hot), "");
}

TEST(WhyThrottled, KnowsHardReasonsFromSoftOnes) {
  for (const uint64_t soft : {0x0u, 0x1u, 0x2u, 0x4u, 0x10u, 0x100u})
    EXPECT_EQ(why_throttled(sample(1, 2), {reading(1, soft)}), "") << soft;
  for (const uint64_t heat : {0x20u, 0x40u, 0x48u})
    EXPECT_EQ(why_throttled(sample(1, 2), {reading(1, heat)}), "the GPU was throttled by heat");
  for (const uint64_t hardware : {0x8u, 0x80u})
    EXPECT_EQ(why_throttled(sample(1, 2), {reading(1, hardware)}),
              "the GPU was throttled by its hardware");
}

TEST(WhyThrottled, SaysNothingWhereNobodyWatched) {
  EXPECT_EQ(why_throttled(sample(1, 2), {}), "");
  EXPECT_EQ(why_throttled(sample(5000, 5001), {reading(1, 0x40)}), "") << "long before";
}

TEST(SummaryOfReadings, TellsClocksHeatAndLimits) {
  const ClockSummary summary =
      summary_of(parse_watch("1 0 1980 2619 40 100000\n"
                             "2 4 1950 2619 45 700000\n"
                             "3 24 1200 2619 85 650000\n"
                             "4 4 1980 2619 60 600000\n"));
  EXPECT_EQ(summary.readings, 4);
  EXPECT_EQ(summary.least_sm_mhz, 1200);
  EXPECT_EQ(summary.median_sm_mhz, 1965);
  EXPECT_EQ(summary.most_sm_mhz, 1980);
  EXPECT_EQ(summary.median_memory_mhz, 2619);
  EXPECT_EQ(summary.most_temperature_c, 85);
  EXPECT_EQ(summary.most_power_w, 700);
  EXPECT_EQ(summary.throttled_part, 0.25);
  EXPECT_EQ(summary.power_capped_part, 0.75);
  EXPECT_EQ(summary_of({}), ClockSummary());
}

}  // namespace
}  // namespace warpgrade
