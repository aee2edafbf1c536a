// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "observe/timing/protocol.h"

namespace warpgrade {

/// What disturbs a measurement. Parts are of the time that a kernel takes undisturbed.
struct Noise {
  double between = 0;       ///< standard deviation from process to process
  double within = 0.003;    ///< standard deviation from sample to sample
  double drift = 0;         ///< slower by this, in the end, as the GPU heats up
  double burst = 0;         ///< slower by about this while a neighbour is busy
  double second_clock = 0;  ///< slower by this whenever the clock is at its lower step
  double clock_dwell_s = 0.7;
  double throttle = 0;  ///< slower by this while NVML says so
  double first = 0;     ///< slower by this in the first sample of each process
};

/// On for some time, off for some time, by chance but always the same for one seed.
class Telegraph {
 public:
  Telegraph(uint64_t seed, double mean_off_s, double mean_on_s)
      : random_(seed), means_{mean_off_s, mean_on_s} {
    // Begins somewhere in its life.
    on_ = uniform() < mean_on_s / (mean_off_s + mean_on_s);
    first_on_ = on_;
  }

  bool at(double time_s) {
    while (ends_s_.empty() || ends_s_.back() <= time_s) {
      const double from_s = ends_s_.empty() ? 0 : ends_s_.back();
      ends_s_.push_back(from_s - means_[on_ ? 1 : 0] * std::log(1 - uniform()));
      on_ = !on_;
    }
    const auto end = std::upper_bound(ends_s_.begin(), ends_s_.end(), time_s);
    return first_on_ == ((end - ends_s_.begin()) % 2 == 0);
  }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

  std::mt19937_64 random_;
  double means_[2];
  bool on_, first_on_;
  std::vector<double> ends_s_;
};

/// A GPU on which time passes only by what is run on it, with its clock and what watches it.
class VirtualGpu final : public Clock, public GpuWatch {
 public:
  static constexpr double kReadingS = 0.01;

  VirtualGpu(const Noise& noise, uint64_t seed)
      : noise_(noise),
        random_(seed),
        neighbour_(seed + 1, 5, 0.5),
        clock_(seed + 2, noise.clock_dwell_s, noise.clock_dwell_s),
        heat_(seed + 3, 4, 1) {}

  double now_s() const { return now_s_; }
  void pass(double seconds) { now_s_ += seconds; }

  std::chrono::milliseconds now() const override {
    return std::chrono::milliseconds(static_cast<int64_t>(now_s_ * 1000));
  }
  void sleep(std::chrono::milliseconds duration) override {
    pass(std::chrono::duration<double>(duration).count());
  }

  std::vector<ClockReading> readings() override {
    std::vector<ClockReading> all;
    for (double at_s = 0; at_s <= now_s_; at_s += kReadingS) {
      ClockReading& reading = all.emplace_back();
      reading.at_ns = static_cast<int64_t>(at_s * 1e9);
      reading.reasons = is_hot(at_s) ? 0x40 : 0;
      reading.sm_mhz = is_hot(at_s) ? 1200 : 1980;
    }
    return all;
  }

  /// By what factor a kernel is slower at this moment than undisturbed.
  double slowness() {
    constexpr double kHeatingS = 8;
    double factor = 1 + noise_.drift * (1 - std::exp(-now_s_ / kHeatingS));
    if (noise_.burst != 0 && neighbour_.at(now_s_)) factor *= 1 + noise_.burst * (0.5 + uniform());
    if (noise_.second_clock != 0 && clock_.at(now_s_)) factor *= 1 + noise_.second_clock;
    if (is_hot(now_s_)) factor *= 1 + noise_.throttle;
    return factor * (1 + noise_.within * normal());
  }
  double process_factor() { return 1 + noise_.between * normal(); }
  const Noise& noise() const { return noise_; }

 private:
  bool is_hot(double at_s) { return noise_.throttle != 0 && heat_.at(at_s); }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }

  Noise noise_;
  std::mt19937_64 random_;
  Telegraph neighbour_, clock_, heat_;
  double now_s_ = 0;
};

/// A program whose kernels in "device" take `kernel_ms` undisturbed.
class VirtualProgram final : public TimedProgram {
 public:
  static constexpr double kStartS = 0.35, kRepetitionS = 0.015;

  VirtualProgram(VirtualGpu& gpu, double kernel_ms,
                 int repetitions = TimingPlan().repetitions_per_process + 1)
      : gpu_(gpu), kernel_ms_(kernel_ms), repetitions_(repetitions) {}

  Result<std::vector<RangeTiming>> run_round(int) override {
    std::vector<RangeTiming> timings;
    gpu_.pass(kStartS);
    const double process = gpu_.process_factor();
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      gpu_.pass(kRepetitionS);
      RangeTiming& timing = timings.emplace_back();
      timing.range = "device";
      timing.repetition = repetition;
      timing.start_ns = static_cast<int64_t>(gpu_.now_s() * 1e9);
      timing.kernel_ms = kernel_ms_ * process * gpu_.slowness();
      if (repetition == 0) timing.kernel_ms *= 1 + gpu_.noise().first;
      timing.busy_ms = timing.kernel_ms;
      timing.event_ms = timing.kernel_ms + 0.005;
      timing.wall_ms = timing.kernel_ms + 0.02;
      gpu_.pass(timing.wall_ms / 1000);
      timing.end_ns = static_cast<int64_t>(gpu_.now_s() * 1e9);
    }
    return timings;
  }
  std::optional<EmptyRange> empty_range() const override { return EmptyRange{0.005, 0.02}; }

 private:
  VirtualGpu& gpu_;
  double kernel_ms_;
  int repetitions_;
};

}  // namespace warpgrade
