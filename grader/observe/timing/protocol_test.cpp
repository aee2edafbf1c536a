// SPDX-License-Identifier: MIT
#include "observe/timing/protocol.h"

#include <gtest/gtest.h>

#include "observe/timing/estimate.h"
#include "testing/fake_clock.h"
#include "testing/units.h"

namespace warpgrade {
namespace {

/// Takes a second a round, in which it does what it is told.
class ScriptedProgram final : public TimedProgram {
 public:
  ScriptedProgram(FakeClock& clock, std::vector<std::string>& diary, char initial, double kernel_ms)
      : clock_(clock), diary_(diary), initial_(initial), kernel_ms_(kernel_ms) {}

  Result<std::vector<RangeTiming>> run_round(int round) override {
    if (initial_ == 's') diary_.emplace_back();
    if (diary_.size() == static_cast<size_t>(round)) diary_.emplace_back();
    diary_.back() += initial_;
    clock_.time += std::chrono::milliseconds(round_ms);
    if (round == fails_in) return Error{"it crashed"};
    std::vector<RangeTiming> timings;
    for (int repetition = 0; repetition < 3; ++repetition) {
      RangeTiming& timing = timings.emplace_back();
      timing.range = "device";
      timing.repetition = repetition;
      timing.kernel_ms = repetition == 0 ? 100 : kernel_ms_ * (1 + (round % 2) * wobble);
      if (round == unrecorded_in || (only_warms_up && repetition != 0)) timing.kernel_ms = 0;
      timing.start_ns = clock_.time.count() * kNsPerMs - kNsPerMs;
      timing.end_ns = clock_.time.count() * kNsPerMs;
    }
    return timings;
  }
  bool machine_failed() const override { return machines; }
  std::optional<EmptyRange> empty_range() const override { return EmptyRange{0.004, 0.02}; }

  int round_ms = 500;
  int fails_in = -1;
  int unrecorded_in = -1;
  bool only_warms_up = false;  ///< runs its kernel in first repetitions alone
  bool machines = false;
  double wobble = 0;

 private:
  FakeClock& clock_;
  std::vector<std::string>& diary_;
  char initial_;
  double kernel_ms_;
};

class ScriptedWatch final : public GpuWatch {
 public:
  std::vector<ClockReading> readings() override { return all; }
  std::vector<ClockReading> all;
};

class TimeCase : public ::testing::Test {
 protected:
  TimedCase time(const TimingPlan& plan = {}, const Settles& settles = {}) {
    return time_case(plan, {{kStudentProgram, student_}, {"naive", baseline_}},
                     {{"device", "naive"}}, clock_, watch_, settles);
  }

  FakeClock clock_;
  ScriptedWatch watch_;
  std::vector<std::string> diary_;
  ScriptedProgram student_{clock_, diary_, 's', 1}, baseline_{clock_, diary_, 'b', 2};
};

TEST_F(TimeCase, LeavesOutSamplesOfWhichNoKernelWasRecorded) {
  student_.unrecorded_in = 1;
  const TimedCase timed = time();
  EXPECT_EQ(timed.rounds, 5) << "one more makes up for it";
  EXPECT_EQ(timed.seconds, 5) << "the GPU need not cool down";
  const TimeSample& sample = timed.samples(kStudentProgram, "device").at(4);
  EXPECT_EQ(sample.why_not, "no kernel of it was recorded");
  const RatioEstimate ratio =
      estimate_ratio(timed.samples(kStudentProgram, "device"), timed.samples("naive", "device"));
  EXPECT_DOUBLE_EQ(ratio.ratio, 2);
  EXPECT_NEAR(ratio.low, 2, 1e-9);
}

TEST_F(TimeCase, TakesAProgramThatRunsItsKernelInFirstRepetitionsAloneForOneWithoutKernels) {
  student_.only_warms_up = true;
  const TimedCase timed = time();
  const TimeEstimate estimate = estimate_time(timed.samples(kStudentProgram, "device"));
  EXPECT_GT(estimate.samples, 0);
  EXPECT_EQ(estimate.ms, 0);
}

TEST_F(TimeCase, ReversesTheOrderEveryOtherRoundAndStopsWhenItKnowsEnough) {
  const TimedCase timed = time();
  EXPECT_EQ(timed.rounds, 4);
  EXPECT_EQ(timed.seconds, 4);
  EXPECT_EQ(timed.empty_event_ms, 0.004);
  EXPECT_FALSE(timed.again || timed.failure);
  EXPECT_EQ(timed.samples(kStudentProgram, "device").size(), 12u);
  EXPECT_TRUE(timed.samples("naive", "other").empty());
  std::string order;
  for (const std::string& entry : diary_) order += entry;
  EXPECT_EQ(order, "sbbssbbs");
}

TEST_F(TimeCase, NeverCountsTheFirstRepetitionOfAProcess) {
  const TimedCase timed = time();
  const TimeSample& first = timed.samples(kStudentProgram, "device")[0];
  EXPECT_FALSE(first.accepted);
  EXPECT_EQ(first.why_not, "the first repetition of a process warms up");
  EXPECT_EQ(estimate_time(timed.samples(kStudentProgram, "device")).ms, 1);
}

TEST_F(TimeCase, GoesOnToTheMostRoundsWhereRoundsDiffer) {
  student_.wobble = 0.3;
  EXPECT_EQ(time().rounds, 8);
}

TEST_F(TimeCase, EndsBeforeTheCapHoweverLittleItKnows) {
  student_.wobble = 0.3;
  student_.round_ms = 3500;
  const TimedCase timed = time();
  EXPECT_EQ(timed.rounds, 3);
  EXPECT_LE(timed.seconds, TimingPlan().cap_s);
}

TEST_F(TimeCase, HasLessTimeForEachOfSeveralCases) {
  student_.wobble = 0.3;
  student_.round_ms = 3500;
  const TimingPlan each = TimingPlan().shared_by(2);
  const TimedCase timed = time(each, [](const TimedCase&) { return false; });
  EXPECT_EQ(timed.rounds, 2);
  EXPECT_LE(2 * timed.seconds, TimingPlan().cap_s + TimingPlan().cap_again_s);
}

TEST_F(TimeCase, AddsThreeTimesTheRoundsOnceWhereItIsNotSettled) {
  int asked = 0;
  const TimedCase timed = time({}, [&](const TimedCase& so_far) {
    ++asked;
    EXPECT_EQ(so_far.rounds, 4);
    return false;
  });
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(timed.again);
  EXPECT_EQ(timed.rounds, 16);
  EXPECT_FALSE(time({}, [](const TimedCase&) { return true; }).again);
  student_.round_ms = 2500;
  EXPECT_EQ(time({}, [](const TimedCase&) { return false; }).rounds, 6)
      << "as many as both caps have time for";
  student_.round_ms = 500;
  TimingPlan once;
  once.cap_s = 4;
  once.cap_again_s = 0;
  EXPECT_FALSE(time(once, [](const TimedCase&) { return false; }).again);
}

TEST_F(TimeCase, RestsAndMakesUpForThrottledRounds) {
  for (int64_t at_ms = 0; at_ms < 20000; at_ms += 10) {
    ClockReading& reading = watch_.all.emplace_back();
    reading.at_ns = at_ms * kNsPerMs;
    reading.reasons = at_ms < 1200 ? 0x40 : 0;
  }
  const TimedCase timed = time();
  EXPECT_EQ(timed.rounds, 5);
  EXPECT_EQ(timed.seconds, 5.5);
  EXPECT_EQ(timed.samples(kStudentProgram, "device")[1].why_not, "the GPU was throttled by heat");
  EXPECT_EQ(
      estimate_ratio(timed.samples(kStudentProgram, "device"), timed.samples("naive", "device"))
          .samples,
      8);
}

TEST_F(TimeCase, GivesUpOnAGpuThatStaysHot) {
  for (int64_t at_ms = 0; at_ms < 60000; at_ms += 10) {
    watch_.all.emplace_back().at_ns = at_ms * kNsPerMs;
    watch_.all.back().reasons = 0x20;
  }
  const TimedCase timed = time();
  EXPECT_LE(timed.seconds, TimingPlan().cap_s);
  for (const TimeSample& sample : timed.samples(kStudentProgram, "device"))
    EXPECT_FALSE(sample.accepted);
}

TEST_F(TimeCase, StopsAtABadEndAndSaysWhose) {
  baseline_.fails_in = 1;
  baseline_.machines = true;
  const TimedCase timed = time({}, [](const TimedCase&) { return false; });
  ASSERT_TRUE(timed.failure);
  EXPECT_EQ(timed.failure->program, "naive");
  EXPECT_EQ(timed.failure->round, 1);
  EXPECT_EQ(timed.failure->message, "it crashed");
  EXPECT_TRUE(timed.failure->is_machines);
  EXPECT_EQ(timed.rounds, 2);
  EXPECT_FALSE(timed.again);
}

/// Passes through "device" twice in each repetition.
class TwicePerRepetition final : public TimedProgram {
 public:
  Result<std::vector<RangeTiming>> run_round(int) override {
    std::vector<RangeTiming> timings;
    for (const int repetition : {0, 0, 1, 1})
      timings.push_back({0, "device", repetition, 2, 0.5, 2.5, 3, 4, 0.25, 10 * repetition, 20});
    return timings;
  }
};

TEST(TimeCaseOfOneProgram, AddsUpARangeThatARepetitionPassesTwice) {
  FakeClock clock;
  ScriptedWatch watch;
  TwicePerRepetition program;
  const TimedCase timed =
      time_case({}, {{kStudentProgram, program}}, {{"device", ""}}, clock, watch);
  const std::vector<TimeSample>& samples = timed.samples(kStudentProgram, "device");
  ASSERT_EQ(samples.size(), 8u) << "four rounds of two repetitions";
  EXPECT_EQ(samples[1].kernel_ms, 4);
  EXPECT_EQ(samples[1].copy_ms, 1);
  EXPECT_EQ(samples[1].outside_kernel_ms, 0.5);
  EXPECT_EQ(samples[1].start_ns, 10);
  EXPECT_TRUE(samples[1].accepted);
}

}  // namespace
}  // namespace warpgrade
