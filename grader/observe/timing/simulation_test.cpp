// SPDX-License-Identifier: MIT
// What the protocol promises, on a GPU whose disturbances are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "observe/timing/estimate.h"
#include "observe/timing/virtual_gpu.h"

namespace warpgrade {
namespace {

constexpr double kStudentMs = 0.213, kTruth = 1.84;
constexpr int kGradings = 200;

struct Disturbance {
  const char* name;
  Noise noise;
};

const std::vector<Disturbance>& disturbances() {
  static const std::vector<Disturbance> kAll = [] {
    std::vector<Disturbance> all;
    const auto add = [&](const char* name, const std::function<void(Noise&)>& change) {
      change(all.emplace_back(Disturbance{name, {}}).noise);
    };
    add("quiet", [](Noise& noise) { noise.between = 0.002; });
    add("gaussian", [](Noise& noise) { noise.within = 0.01, noise.between = 0.005; });
    add("process to process", [](Noise& noise) { noise.between = 0.01; });
    add("bursts by a neighbour", [](Noise& noise) { noise.between = 0.003, noise.burst = 0.5; });
    add("heating", [](Noise& noise) { noise.between = 0.003, noise.drift = 0.05; });
    add("throttling", [](Noise& noise) { noise.between = 0.003, noise.throttle = 0.6; });
    add("two clocks", [](Noise& noise) { noise.between = 0.003, noise.second_clock = 0.08; });
    add("slow first sample", [](Noise& noise) { noise.between = 0.003, noise.first = 3; });
    return all;
  }();
  return kAll;
}

struct Measured {
  RatioEstimate estimate;
  TimedCase timed;
};

Measured measure(const Noise& noise, uint64_t seed, const TimingPlan& plan = {},
                 double truth = kTruth, const Settles& settles = {}) {
  VirtualGpu gpu(noise, seed);
  VirtualProgram student(gpu, kStudentMs), baseline(gpu, kStudentMs * truth);
  Measured measured;
  measured.timed = time_case(plan, {{kStudentProgram, student}, {"naive", baseline}},
                             {{"device", "naive"}}, gpu, gpu, settles);
  measured.estimate = estimate_ratio(measured.timed.samples(kStudentProgram, "device"),
                                     measured.timed.samples("naive", "device"));
  return measured;
}

/// What many measurements of the same program say together.
struct Repeated {
  double mad = 0;       ///< median distance of the estimates from their median, as a part of it
  double coverage = 0;  ///< how many of the intervals hold the truth
  double off_by = 0;    ///< the median estimate from the truth, as a part of it
  double half = 0;      ///< median half width
  double rounds = 0;    ///< mean
  double longest_s = 0;
};

Repeated repeat(const Noise& noise, const TimingPlan& plan = {}) {
  Repeated all;
  std::vector<double> ratios, distances, halves;
  for (int i = 0; i < kGradings; ++i) {
    const Measured each = measure(noise, 1000 + 10 * static_cast<uint64_t>(i), plan);
    ratios.push_back(each.estimate.ratio);
    halves.push_back(half_width(each.estimate));
    all.coverage += each.estimate.low <= kTruth && kTruth <= each.estimate.high;
    all.rounds += each.timed.rounds;
    all.longest_s = std::max(all.longest_s, each.timed.seconds);
  }
  const double middle = median(ratios);
  for (const double ratio : ratios) distances.push_back(std::abs(ratio - middle) / middle);
  all.mad = median(distances);
  all.off_by = std::abs(middle - kTruth) / kTruth;
  all.half = median(halves);
  all.coverage /= kGradings;
  all.rounds /= kGradings;
  return all;
}

TEST(TimingProtocol, KeepsItsPromisesUnderEachDisturbance) {
  const TimingPlan plan;
  for (const auto& [name, noise] : disturbances()) {
    const Repeated all = repeat(noise);
    fmt::print(
        "{:<22} MAD {:.2f} %, off by {:.2f} %, 95 % interval +-{:.2f} % holds {:.1f} %, "
        "{:.1f} rounds, at most {:.1f} s\n",
        name, 100 * all.mad, 100 * all.off_by, 100 * all.half, 100 * all.coverage, all.rounds,
        all.longest_s);
    EXPECT_LE(all.mad, 0.02) << name;
    EXPECT_LE(all.off_by, 0.005) << name;
    EXPECT_GE(all.coverage, 0.90) << name;
    EXPECT_LE(all.coverage, 0.99) << name;
    EXPECT_LE(all.longest_s, plan.cap_s) << name;
  }
}

/// Whether the usual interval holds the truth: rounds drawn again, then samples within them, and the
/// percentiles of what they give.
bool percentiles_hold_truth(const TimedCase& timed, uint64_t seed) {
  constexpr int kResamples = 400, kCut = kResamples / 40;
  const auto counted = static_cast<size_t>(TimingPlan().repetitions_per_process);
  std::mt19937_64 random(seed);
  std::vector<double> ratios;
  for (int i = 0; i < kResamples; ++i) {
    std::vector<double> student, baseline;
    for (int round = 0; round < timed.rounds; ++round) {
      const size_t first = random() % static_cast<size_t>(timed.rounds) * (counted + 1);
      for (size_t sample = 0; sample < counted; ++sample) {
        const auto draw = [&](const char* program) {
          return timed.samples(program, "device")[first + 1 + random() % counted].kernel_ms;
        };
        student.push_back(draw(kStudentProgram));
        baseline.push_back(draw("naive"));
      }
    }
    ratios.push_back(median(baseline) / median(student));
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios[kCut] <= kTruth && kTruth <= ratios[kResamples - 1 - kCut];
}

TEST(TimingProtocol, HasAnIntervalThatHoldsWherePercentilesDoNot) {
  Noise noise;
  noise.between = 0.01;
  TimingPlan three_rounds;
  three_rounds.min_rounds = three_rounds.max_rounds = 3;
  int ours = 0, percentiles = 0;
  for (uint64_t i = 0; i < kGradings; ++i) {
    const Measured each = measure(noise, 5000 + 10 * i, three_rounds);
    ours += each.estimate.low <= kTruth && kTruth <= each.estimate.high;
    percentiles += percentiles_hold_truth(each.timed, i);
  }
  fmt::print(
      "where processes differ by 1 %, of {} intervals of three rounds {} hold the truth, of "
      "percentiles {}\n",
      kGradings, ours, percentiles);
  EXPECT_GE(ours, kGradings * 90 / 100);
  EXPECT_LT(percentiles, kGradings * 90 / 100);
}

/// All rounds of the student first, then all of the baseline.
double ratio_one_after_the_other(const Noise& noise, uint64_t seed, int rounds) {
  VirtualGpu gpu(noise, seed);
  VirtualProgram student(gpu, kStudentMs), baseline(gpu, kStudentMs * kTruth);
  std::vector<double> medians;
  for (VirtualProgram* program : {&student, &baseline}) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
      const auto timings = program->run_round(round);
      for (const RangeTiming& timing : *timings) times.push_back(timing.kernel_ms);
    }
    medians.push_back(median(times));
  }
  return medians[1] / medians[0];
}

TEST(TimingProtocol, CancelsHeatingWhereOneAfterTheOtherDoesNot) {
  Noise heating;
  heating.between = 0.003;
  heating.drift = 0.08;
  const TimingPlan plan;
  std::vector<double> interleaved, sequential;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    interleaved.push_back(measure(heating, 10 * seed).estimate.ratio / kTruth - 1);
    sequential.push_back(ratio_one_after_the_other(heating, 10 * seed, plan.min_rounds) / kTruth -
                         1);
  }
  EXPECT_LT(std::abs(median(interleaved)), 0.002);
  EXPECT_GT(median(sequential), 0.01) << "heating is too weak here to show anything";
}

TEST(TimingProtocol, ThrowsAwayThrottledSamplesWhereTheWatchSawThem) {
  Noise noise;
  noise.throttle = 0.6;
  const TimedCase timed = measure(noise, 3).timed;
  int refused = 0;
  for (const TimeSample& sample : timed.samples("naive", "device")) {
    refused += !sample.accepted && sample.repetition != 0;
    if (sample.accepted) {
      EXPECT_LT(sample.kernel_ms, 1.1 * kStudentMs * kTruth);
    }
  }
  EXPECT_GT(refused, 0) << "nothing was throttled";
}

}  // namespace
}  // namespace warpgrade
