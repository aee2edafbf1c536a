// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "check/measured.h"

namespace warpgrade {

/// A measurement on an H100 for tests to spoil: four rounds of six samples in "device", in which the
/// student's program took 0.2 ms and the baseline 'naive' `baseline_ms`.
class SampleMeasurement {
 public:
  explicit SampleMeasurement(double baseline_ms = 0.4) {
    measured.gpu = {"NVIDIA H100", "GPU-1", "580.1", 3350, 60000};
    measured.timed.rounds = kRounds;
    measured.timed.empty_event_ms = 0.005;
    set(kStudentProgram, 0.2);
    set("naive", baseline_ms);
  }

  static constexpr int kRounds = 4, kSamples = 6;

  std::vector<TimeSample>& samples(const std::string& program) {
    return measured.timed.programs[program]["device"];
  }

  void set(const std::string& program, double ms) {
    std::vector<TimeSample>& all = samples(program);
    all.clear();
    for (int round = 0; round < kRounds; ++round) {
      for (int repetition = 0; repetition <= kSamples; ++repetition) {
        TimeSample& sample = all.emplace_back();
        sample.round = round;
        sample.repetition = repetition;
        sample.accepted = repetition != 0;
        if (!sample.accepted) sample.why_not = "the first repetition of a process warms up";
        sample.kernel_ms = sample.busy_ms = sample.event_ms = ms;
        sample.wall_ms = ms + 0.02;
      }
    }
  }

  /// Makes every other round of the student's program slower by this part.
  void unsettle(double part) {
    for (TimeSample& sample : samples(kStudentProgram)) {
      if (sample.round % 2 != 0) sample.kernel_ms *= 1 + part;
    }
  }

  Measured measured;
};

}  // namespace warpgrade
