// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/measured.h"

namespace warpgrade {

/// All samples that were taken of one program in one NVTX range of one case, and on what.
struct Measurement {
  std::string case_id;
  std::string range;
  std::string program;  ///< "student", or a baseline's name
  MeasuredOn gpu;
  ClockSummary clocks;        ///< of the GPU while the case was measured
  double empty_event_ms = 0;  ///< what a range with nothing in it seems to take
  bool again = false;         ///< rounds were added because it was undecided
  std::vector<TimeSample> samples;
  /// Where the timed runs did other work than the emulated device judged: both.
  std::optional<WorkDifference> other_work = {};

  bool operator==(const Measurement&) const = default;
};

/// A row for each program and range, the student's program first.
std::vector<Measurement> measurements_of(const std::string& case_id, const Measured& measured);

/// What a performance item's curve was asked for: the speedup, time or rate by the emulated device's
/// model, and as it was measured, mostly at a larger size.
struct Speed {
  std::string item_id;
  std::string case_id;
  std::optional<double> modelled, measured;

  bool operator==(const Speed&) const = default;
};

/// How many verdicts on items of each kind ("correctness") both devices gave.
using Compared = std::map<std::string, int>;

/// A job's hold on a GPU, by CLOCK_MONOTONIC: alone, or beside up to as many as share one.
struct GpuHold {
  std::string gpu;  ///< UUID
  bool alone = false;
  int64_t start_ms = 0, end_ms = 0;

  bool operator==(const GpuHold&) const = default;
};

/// An item that the emulated device judged otherwise than the GPU. Which of them counts, see agree()
/// in pipeline/agreement.h.
struct Disagreement {
  std::string kind;  ///< of the item: "correctness"
  std::string item_id;
  std::string case_id;
  std::string emulated;  ///< what each of them said: "passed", or why not
  std::string gpu;
  /// That found a mistake in the case on the emulated device, so that a GPU may do anything: "race". Empty = none did.
  std::string checker = {};

  bool operator==(const Disagreement&) const = default;
};

/// A case in which nothing was recorded of a program on a GPU, although it used its device on the emulated one.
/// The GPU says nothing about the case then.
struct Unobserved {
  std::string case_id;
  std::string why;

  bool operator==(const Unobserved&) const = default;
};

}  // namespace warpgrade
