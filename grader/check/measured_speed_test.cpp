// SPDX-License-Identifier: MIT
#include "check/measured_speed.h"

#include <gtest/gtest.h>

#include "check/sample_measured.h"

namespace warpgrade {
namespace {

/// Four times the baseline's speed earns all of 12 points.
Item measured_speedup(Curve curve = {Interpolation::kLog, {{1, 0}, {4, 1}}}) {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = 12;
  item.metric = Metric{"device", "speedup", {}, {}, "naive", {}};
  item.curve = std::move(curve);
  return item;
}

Item absolute(const char* name, const char* work, Curve curve) {
  Item item = measured_speedup(std::move(curve));
  item.metric = Metric{"device", name, {}, {}, "", {}};
  if (*work != '\0') item.metric->work = *Expression::parse(work);
  return item;
}

const Curve kStep{Interpolation::kStep, {{1, 0}, {1.9, 0.5}, {2, 1}}};

TEST(JudgeMeasured, ComparesWithTheBaselineInHalfPoints) {
  const Judgement judgement = judge_measured(measured_speedup(), SampleMeasurement().measured);
  EXPECT_TRUE(judgement.passed);
  EXPECT_FALSE(judgement.undecided || judgement.provisional);
  EXPECT_TRUE(judgement.flags.empty());
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  EXPECT_EQ(
      judgement.message,
      "paid.part(bound=bound.at_least, full=4, percent=50, what=speed.measured(baseline=naive, "
      "gpu=NVIDIA H100, high=2.00, low=2.00, ours=0.200 ms, samples=24, speedup=2.00, "
      "theirs=0.400))");
  EXPECT_DOUBLE_EQ(judge_measured(measured_speedup(), SampleMeasurement(0.45).measured).fraction,
                   7.0 / 12)
      << "7.02 points";
}

TEST(JudgeMeasured, GivesFullMarksFromTheCurvesEndOn) {
  Item item = measured_speedup();
  item.points = 0.3;  // less than half a point
  EXPECT_EQ(judge_measured(item, SampleMeasurement(1).measured).fraction, 1);
  EXPECT_FALSE(judge_measured(item, SampleMeasurement(0.2).measured).passed);
}

TEST(JudgeMeasured, TakesTheBetterEndWhereItCannotTellAndSaysSo) {
  SampleMeasurement sample(0.405);
  sample.unsettle(0.03);
  const Judgement judgement = judge_measured(measured_speedup(kStep), sample.measured);
  EXPECT_TRUE(judgement.undecided);
  EXPECT_EQ(judgement.fraction, 1);
  EXPECT_EQ(judgement.message.id, "speed.undecided");
  EXPECT_EQ(judgement.message.args.at("less"), "6");
  EXPECT_EQ(judgement.message.args.at("more"), "12");
  SampleMeasurement slower(0.39);
  EXPECT_FALSE(judge_measured(measured_speedup(kStep), slower.measured).undecided);
}

TEST(JudgeMeasured, PaysTimesAndRatesToo) {
  const Measured& measured = SampleMeasurement().measured;
  const Judgement time = judge_measured(
      absolute("time_ms", "", {Interpolation::kLinear, {{0.1, 1}, {0.3, 0}}}), measured);
  EXPECT_DOUBLE_EQ(time.fraction, 0.5);
  EXPECT_EQ(time.message.id, "paid.part");
  Measured large = measured;
  large.values = {{"n", 16000000}};
  const Curve rises{Interpolation::kLinear, {{0, 0}, {1920, 1}}};
  EXPECT_EQ(
      judge_measured(absolute("gb_per_s", "12*n", rises), large).message,
      "paid.part(bound=bound.at_least, full=1920, percent=50, what=speed.measured_rate(gpu=NVIDIA "
      "H100, high=960, low=960, ours=0.200 ms, rate=960, samples=24, unit=GB/s))");
  EXPECT_TRUE(judge_measured(absolute("gflop_per_s", "n", rises), large)
                  .message.args.at("what")
                  .starts_with("speed.measured_rate("));
}

TEST(JudgeMeasured, KnowsTheEndsOfATimeAndOfARate) {
  SampleMeasurement sample;
  sample.unsettle(0.1);
  sample.measured.values = {{"n", 1000000}};
  for (const Item& item :
       {absolute("time_ms", "", {Interpolation::kStep, {{0.2, 1}, {0.21, 0.5}, {1, 0}}}),
        absolute("gb_per_s", "n", {Interpolation::kStep, {{1, 0}, {4.5, 0.5}, {4.8, 1}}})}) {
    const Judgement judgement = judge_measured(item, sample.measured);
    EXPECT_TRUE(judgement.undecided) << judgement.message;
    EXPECT_EQ(judgement.fraction, 1) << judgement.message;
  }
}

TEST(JudgeMeasured, WaitsForAPersonWhereTheTimedRunsDidOtherWorkThanWasJudged) {
  SampleMeasurement sample;
  sample.measured.other_work["another"] = {{"1 x kernel f()"}, {}};
  EXPECT_TRUE(judge_measured(measured_speedup(), sample.measured).passed)
      << "that range is not asked about";
  sample.measured.other_work["device"] = {{"1 x kernel count()"}, {"1 x kernel reads()"}};
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.message,
            "waits.other_work(difference=only timed: 1 x kernel reads(); only judged: 1 x kernel "
            "count(), range=device)");
  ASSERT_EQ(judgement.flags.size(), 1u);
  EXPECT_EQ(judgement.flags[0].what, "other work than was judged");
  sample.measured.wrong_output = {"speed.wrong", {}, "wrong"};
  EXPECT_FALSE(judge_measured(measured_speedup(), sample.measured).pending)
      << "a wrong answer needs no person";
}

TEST(JudgeMeasured, IsPendingWhereNoSampleCounts) {
  SampleMeasurement sample;
  for (TimeSample& each : sample.samples(kStudentProgram)) {
    if (each.accepted) each.why_not = "the GPU was throttled by heat";
    each.accepted = false;
  }
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_FALSE(judgement.passed || judgement.system_error);
  EXPECT_EQ(judgement.message, "waits.all_samples(samples=24, why=the GPU was throttled by heat)");
  sample.samples(kStudentProgram).clear();
  EXPECT_EQ(judge_measured(measured_speedup(), sample.measured).message,
            "waits.unrecorded(program=program.yours, range=device)");
}

TEST(JudgeMeasured, SaysWhatItWillBeComparedWithWhereTheBaselineIsNotThere) {
  SampleMeasurement sample;
  sample.measured.timed.programs.erase("naive");
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.message,
            "speed.at_home(baseline=naive, ms=0.200, source=source.measured(gpu=NVIDIA H100))");
}

TEST(JudgeMeasured, TellsWhoseFaultABadEndIs) {
  SampleMeasurement sample;
  sample.measured.timed.failure = TimingFailure{kStudentProgram, 2, "the program crashed", false};
  EXPECT_EQ(judge_measured(measured_speedup(), sample.measured).message,
            "speed.failed(why=the program crashed)");
  EXPECT_FALSE(judge_measured(measured_speedup(), sample.measured).system_error);
  sample.measured.timed.failure->is_machines = true;
  EXPECT_TRUE(judge_measured(measured_speedup(), sample.measured).system_error);
  sample.measured.timed.failure = TimingFailure{"naive", 2, "the program crashed", false};
  EXPECT_TRUE(judge_measured(measured_speedup(), sample.measured).system_error);
  EXPECT_EQ(judge_measured(measured_speedup(), sample.measured).message,
            "speed.baseline(baseline=naive, why=the program crashed)");
}

TEST(JudgeMeasured, FailsAWrongOutputHoweverFast) {
  SampleMeasurement sample;
  sample.measured.wrong_output = {"test", {}, "wrong"};
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_FALSE(judgement.passed || judgement.pending);
  EXPECT_EQ(judgement.message, "test");
}

TEST(JudgeMeasured, FailsAProgramWhoseKernelsDidNotRun) {
  SampleMeasurement sample;
  sample.set(kStudentProgram, 0);
  EXPECT_EQ(judge_measured(measured_speedup(), sample.measured).message,
            "speed.idle(gpu=NVIDIA H100, range=device)");
  SampleMeasurement broken(0);
  EXPECT_TRUE(judge_measured(measured_speedup(), broken.measured).system_error);
}

TEST(JudgeMeasured, LetsSomebodyLookAtAProgramThatRunsNoKernelInAQuarterOfItsRepetitions) {
  SampleMeasurement sample;
  int left = 5;
  for (TimeSample& each : sample.samples(kStudentProgram)) {
    if (!each.accepted || left == 0) continue;
    --left;
    each.kernel_ms = 0;
    each.accepted = false;
  }
  EXPECT_DOUBLE_EQ(judge_measured(measured_speedup(), sample.measured).fraction, 0.5) << "5 of 24";
  TimeSample& another = sample.samples(kStudentProgram).back();
  another.kernel_ms = 0;
  another.accepted = false;
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.message,
            "waits.idle_repetitions(evidence=no kernel ran in \"device\" in 6 of 24 repetitions)");
  const Flag wanted{"repetitions without a kernel",
                    "no kernel ran in \"device\" in 6 of 24 repetitions"};
  EXPECT_EQ(judgement.flags, std::vector<Flag>{wanted});
}

TEST(JudgeMeasured, CountsKernelsOutsideTheRangeAndFlagsThem) {
  SampleMeasurement sample;
  for (TimeSample& each : sample.samples(kStudentProgram)) each.outside_kernel_ms = 0.2;
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_EQ(judgement.fraction, 0);
  EXPECT_TRUE(judgement.message.args.at("what").find("speedup=1.00, ") != std::string::npos)
      << judgement.message;
  const Flag wanted{"work outside the timed kernels",
                    "kernels took 0.200 ms outside \"device\", which was added to 0.200 ms in it"};
  EXPECT_EQ(judgement.flags, std::vector<Flag>{wanted});
  for (TimeSample& each : sample.samples("naive")) each.outside_kernel_ms = 0.19;
  EXPECT_TRUE(judge_measured(measured_speedup(), sample.measured).flags.empty())
      << "the baseline does it too";
}

TEST(JudgeMeasured, CountsKernelsBeforeTheFirstCallOfAProcess) {
  SampleMeasurement sample;
  std::map<int, bool> seen;
  for (TimeSample& each : sample.samples(kStudentProgram)) {
    if (!std::exchange(seen[each.round], true)) each.outside_kernel_ms = 0.6;
  }
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_EQ(judgement.fraction, 0);
  const Flag wanted{"work outside the timed kernels",
                    "kernels took 0.600 ms before the first call of a process, which was added to "
                    "0.200 ms in \"device\""};
  EXPECT_EQ(judgement.flags, std::vector<Flag>{wanted});
  seen.clear();
  for (TimeSample& each : sample.samples("naive")) {
    if (!std::exchange(seen[each.round], true)) each.outside_kernel_ms = 0.6;
  }
  EXPECT_TRUE(judge_measured(measured_speedup(), sample.measured).flags.empty())
      << "the driver's own";
}

/// Each call of the student's takes `ms` beside its kernels.
Judgement judge_with_time_away(double ms, double baseline_away_ms = 0) {
  SampleMeasurement sample;
  for (TimeSample& each : sample.samples(kStudentProgram)) each.wall_ms += ms;
  for (TimeSample& each : sample.samples("naive")) each.wall_ms += baseline_away_ms;
  return judge_measured(measured_speedup(), sample.measured);
}

TEST(JudgeMeasured, ShowsTimeOnTheHostToTheStaffAndTakesNothingForIt) {
  const Judgement judgement = judge_with_time_away(30);
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  const Flag wanted{
      "work outside the timed kernels",
      "30.0 ms of \"device\" passed outside its kernels, 30.0 ms more than in 'naive'"};
  EXPECT_EQ(judgement.flags, std::vector<Flag>{wanted});
  EXPECT_TRUE(judge_with_time_away(0.9).flags.empty());
  EXPECT_TRUE(judge_with_time_away(30, 29.5).flags.empty());
  EXPECT_TRUE(judge_with_time_away(34, 20).flags.empty())
      << "within three quarters of the baseline's";
  EXPECT_EQ(judge_with_time_away(36, 20).flags.size(), 1u);
}

TEST(JudgeMeasured, CountsTimeOnTheHostThatNoCallExplains) {
  const Judgement judgement = judge_with_time_away(500);
  EXPECT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.flags.at(0).evidence,
            "500 ms of \"device\" passed outside its kernels, 500 ms more than in 'naive', which "
            "was added");
}

TEST(JudgeMeasured, CountsItFrom100MsBeyondAQuarterOfTheBaselines) {
  EXPECT_TRUE(judge_with_time_away(349, 200).flags.empty());
  const Judgement judgement = judge_with_time_away(352, 200);
  EXPECT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.flags.at(0).evidence,
            "352 ms of \"device\" passed outside its kernels, 152 ms more than in 'naive', which "
            "was added");
}

TEST(JudgeMeasured, CountsOnlyKernelsWhereNoBaselineSaysWhatTheCallItselfTakes) {
  SampleMeasurement sample;
  for (TimeSample& each : sample.samples(kStudentProgram)) {
    each.wall_ms += 300;  // a gigabyte comes and goes
    each.outside_kernel_ms = 0.1;
  }
  const Judgement judgement = judge_measured(
      absolute("time_ms", "", {Interpolation::kLinear, {{0.1, 1}, {0.3, 0}}}), sample.measured);
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  EXPECT_TRUE(judgement.flags.empty());
}

struct Way {
  const char* what;
  double event_ms, wall_ms;
};

TEST(JudgeMeasured, PaysTheSameForEveryWayToLaunchTheSameKernels) {
  for (const Way& way : {Way{"thirty short kernels, with gaps between them", 0.35, 0.4},
                         Way{"on a stream that the default stream does not wait for", 0.004, 0.25},
                         Way{"synchronises after each launch", 0.6, 0.7},
                         Way{"allocates and frees in the call", 0.9, 1.1}}) {
    SampleMeasurement sample;
    for (TimeSample& each : sample.samples(kStudentProgram)) {
      each.event_ms = way.event_ms;
      each.wall_ms = way.wall_ms;
    }
    const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
    EXPECT_DOUBLE_EQ(judgement.fraction, 0.5) << way.what;
    EXPECT_TRUE(judgement.flags.empty()) << way.what;
  }
}

TEST(JudgeMeasured, PaysNothingForWhatNoDeviceCanDoAndLetsSomebodyLook) {
  SampleMeasurement sample;  // 0.2 ms at 3350 GB/s: 670 MB; at 60 TFLOP/s: 12 GFLOP
  sample.measured.values = {{"n", 1'000'000}};
  Item item = measured_speedup();
  item.metric->least_bytes = *Expression::parse("900*n");
  const Judgement judgement = judge_measured(item, sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.fraction, 0);
  const std::string evidence =
      "0.200 ms, but on NVIDIA H100 900000000 bytes at no more than 3350 GB/s take 0.269 ms";
  EXPECT_EQ(judgement.message,
            "waits.too_fast(evidence=0.200 ms, but on NVIDIA H100 900000000 bytes at no more than "
            "3350 GB/s take 0.269 ms)");
  EXPECT_EQ(judgement.flags, std::vector<Flag>({{"faster than this device can be", evidence}}));
  item.metric->least_bytes = *Expression::parse("800*n");
  EXPECT_FALSE(judge_measured(item, sample.measured).pending) << "the L2 may hold the rest";
  item.metric->least_flop = *Expression::parse("16000*n");
  EXPECT_EQ(judge_measured(item, sample.measured).flags.at(0).evidence,
            "0.200 ms, but on NVIDIA H100 16000000000 floating-point operations at no more than "
            "60000 GFLOP/s take 0.267 ms");
  sample.measured.gpu.peak_gflop_per_s = 0;
  EXPECT_TRUE(judge_measured(item, sample.measured).flags.empty()) << "the peak is not known";
}

TEST(JudgeMeasured, RefusesWhatIsTooShortToTime) {
  SampleMeasurement sample(0.04);
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.message, "waits.too_short(empty_ms=0.0050, factor=2, ms=0.0400)");
  EXPECT_EQ(judgement.flags.at(0).what, "too short to time");
}

TEST(JudgeMeasured, DoesNotPunishAProgramForBeingTooFastToTime) {
  SampleMeasurement sample;
  sample.set(kStudentProgram, 0.02);
  const Judgement judgement = judge_measured(measured_speedup(), sample.measured);
  EXPECT_EQ(judgement.fraction, 1) << "it is at least 8 times as fast, and 4 times are enough";
  EXPECT_EQ(judgement.message.args.at("speedup"), "20.0");
  const Curve steep{Interpolation::kLog, {{1, 0}, {16, 1}}};
  EXPECT_TRUE(judge_measured(measured_speedup(steep), sample.measured).pending);
}

}  // namespace
}  // namespace warpgrade
