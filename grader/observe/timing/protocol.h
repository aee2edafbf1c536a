// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "observe/timing/clocks.h"
#include "observe/timing/sample.h"
#include "observe/trace.h"

namespace warpgrade {

/// How long one case is measured. A process repeats the case once more than
/// `repetitions_per_process`; its first repetition never counts.
struct TimingPlan {
  int repetitions_per_process = 8;
  int min_rounds = 4;  ///< even: the programs' order is reversed every other round
  int max_rounds = 8;
  double wanted_half_width = 0.02;  ///< of the 95 % interval, as a part of the estimate
  double cap_s = 15;
  double cap_again_s = 5;  ///< more, for the rounds that are added where it is not settled

  /// For each of so many cases that share its time.
  TimingPlan shared_by(size_t cases) const;
};

/// A program that is measured: the student's, or a baseline.
class TimedProgram {
 public:
  virtual ~TimedProgram() = default;
  /// All repetitions of the case in one fresh process. An Error where it came to a bad end.
  virtual Result<std::vector<RangeTiming>> run_round(int round) = 0;
  /// Whether the last Error is the machine's doing and not the program's.
  virtual bool machine_failed() const { return false; }
  /// What the last round measured of a range with nothing in it.
  virtual std::optional<EmptyRange> empty_range() const { return std::nullopt; }
};

/// Watches the GPU while programs are measured on it.
class GpuWatch {
 public:
  virtual ~GpuWatch() = default;
  /// All that was read since the measurement began, by time. None where nobody watches.
  virtual std::vector<ClockReading> readings() = 0;
};

constexpr const char* kStudentProgram = "student";

struct NamedProgram {
  std::string name;  ///< kStudentProgram, or a baseline's
  TimedProgram& program;
};

/// A time that some item needs: the student's in `range`, compared with that of the baseline `over`;
/// empty = by itself.
struct TimedRange {
  std::string range;
  std::string over;
};

/// A round that came to a bad end; it ends the measurement.
struct TimingFailure {
  std::string program;
  int round = 0;
  std::string message;
  bool is_machines = false;
};

/// All that was measured of one case.
struct TimedCase {
  std::map<std::string, RangeSamples> programs;  ///< by name
  int rounds = 0;
  double seconds = 0;
  bool again = false;         ///< three times as many rounds were added, because it was undecided
  double empty_event_ms = 0;  ///< median of what a range with nothing in it takes; 0 = unknown
  ClockSummary clocks = {};
  std::optional<TimingFailure> failure = {};

  /// None where the program has no such range.
  const std::vector<TimeSample>& samples(const std::string& program,
                                         const std::string& range) const;
};

/// Whether what was measured settles what it is measured for.
using Settles = std::function<bool(const TimedCase&)>;

/// Measures one case in rounds, in each of which every program runs once, in the order given or the
/// reverse of it: until the estimates of all `wanted` are as precise as planned, at most until the
/// cap. Where that does not settle it, three times as many rounds are added, as far as both caps
/// together have time for them. A round begins only where it is sure to end in time, but for the first.
TimedCase time_case(const TimingPlan& plan, const std::vector<NamedProgram>& programs,
                    const std::vector<TimedRange>& wanted, Clock& clock, GpuWatch& watch,
                    const Settles& settles = {});

}  // namespace warpgrade
