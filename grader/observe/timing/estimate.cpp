// SPDX-License-Identifier: MIT
#include "observe/timing/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace warpgrade {
namespace {

constexpr int kResamples = 400;
constexpr uint64_t kSeed = 20180731;
// One process shows nothing of what differs from process to process.
constexpr double kHalfWidthOfOneRound = 0.1;

using Rounds = std::map<int, std::vector<double>>;

Rounds accepted_rounds(const std::vector<TimeSample>& samples) {
  Rounds rounds;
  for (const TimeSample& sample : samples) {
    if (sample.accepted) rounds[sample.round].push_back(sample.kernel_ms);
  }
  return rounds;
}

std::vector<double> pooled(const std::vector<const std::vector<double>*>& rounds) {
  std::vector<double> all;
  for (const std::vector<double>* round : rounds)
    all.insert(all.end(), round->begin(), round->end());
  return all;
}

double median_distance(const std::vector<double>& values, double centre) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return median(std::move(distances));
}

/// The factor that takes a standard error to a 95 % interval, by the degrees of freedom.
double student_quantile(size_t degrees) {
  constexpr double kQuantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064};
  if (degrees <= std::size(kQuantiles)) return kQuantiles[degrees - 1];
  return 1.96 + 2.4 / static_cast<double>(degrees);
}

/// The logarithm of the interval's half width about the estimate that `log_value` gives of drawn
/// rounds, of which there are `count`.
template <class LogValue>
double log_half_width(size_t count, const LogValue& log_value) {
  if (count < 2) return std::log1p(kHalfWidthOfOneRound);
  std::mt19937_64 random(kSeed);
  std::vector<size_t> drawn(count);
  std::vector<double> values;
  for (int i = 0; i < kResamples; ++i) {
    // Not std::uniform_int_distribution, which differs from library to library.
    for (size_t& each : drawn) each = random() % count;
    values.push_back(log_value(drawn));
  }
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kResamples;
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean) / kResamples;
  const double rounds = static_cast<double>(count);
  // Drawing from so few rounds shows (n - 1) / n of the variance.
  return student_quantile(count - 1) * std::sqrt(variance * rounds / (rounds - 1));
}

/// The accepted times of the rounds that all programs have, one list for each program.
class Drawn {
 public:
  explicit Drawn(std::vector<Rounds> programs) : programs_(std::move(programs)) {
    for (const auto& [round, times] : programs_.front()) {
      const bool in_all =
          std::all_of(programs_.begin(), programs_.end(),
                      [&, number = round](const Rounds& each) { return each.count(number) != 0; });
      if (in_all) rounds_.push_back(round);
    }
  }

  size_t count() const { return rounds_.size(); }

  std::vector<double> times(size_t program, const std::vector<size_t>& drawn) const {
    std::vector<const std::vector<double>*> chosen;
    chosen.reserve(drawn.size());
    for (const size_t each : drawn) chosen.push_back(&programs_[program].at(rounds_[each]));
    return pooled(chosen);
  }

  std::vector<double> all(size_t program) const {
    std::vector<size_t> each(count());
    for (size_t i = 0; i < each.size(); ++i) each[i] = i;
    return times(program, each);
  }

 private:
  std::vector<Rounds> programs_;
  std::vector<int> rounds_;
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

TimeEstimate estimate_time(const std::vector<TimeSample>& samples) {
  const Drawn drawn({accepted_rounds(samples)});
  const std::vector<double> times = drawn.all(0);
  TimeEstimate estimate;
  estimate.samples = static_cast<int>(times.size());
  estimate.ms = median(times);
  if (!(estimate.ms > 0)) return estimate;
  const double width = log_half_width(drawn.count(), [&](const std::vector<size_t>& rounds) {
    return std::log(median(drawn.times(0, rounds)));
  });
  estimate.low = estimate.ms * std::exp(-width);
  estimate.high = estimate.ms * std::exp(width);
  estimate.mad = median_distance(times, estimate.ms);
  return estimate;
}

RatioEstimate estimate_ratio(const std::vector<TimeSample>& student,
                             const std::vector<TimeSample>& baseline) {
  const Drawn drawn({accepted_rounds(student), accepted_rounds(baseline)});
  const std::vector<double> student_times = drawn.all(0), baseline_times = drawn.all(1);
  RatioEstimate estimate;
  estimate.samples = static_cast<int>(std::min(student_times.size(), baseline_times.size()));
  estimate.student_ms = median(student_times);
  estimate.baseline_ms = median(baseline_times);
  if (!(estimate.student_ms > 0) || !(estimate.baseline_ms > 0)) return estimate;
  estimate.ratio = estimate.baseline_ms / estimate.student_ms;
  const double width = log_half_width(drawn.count(), [&](const std::vector<size_t>& rounds) {
    return std::log(median(drawn.times(1, rounds)) / median(drawn.times(0, rounds)));
  });
  estimate.low = estimate.ratio * std::exp(-width);
  estimate.high = estimate.ratio * std::exp(width);
  estimate.student_mad = median_distance(student_times, estimate.student_ms);
  estimate.baseline_mad = median_distance(baseline_times, estimate.baseline_ms);
  return estimate;
}

double half_width(const TimeEstimate& estimate) {
  return estimate.ms > 0 ? (estimate.high - estimate.low) / 2 / estimate.ms
                         : std::numeric_limits<double>::infinity();
}

double half_width(const RatioEstimate& estimate) {
  return estimate.ratio > 0 ? (estimate.high - estimate.low) / 2 / estimate.ratio
                            : std::numeric_limits<double>::infinity();
}

}  // namespace warpgrade
