// SPDX-License-Identifier: MIT
#include "observe/timing/protocol.h"

#include <algorithm>
#include <set>

#include "observe/timing/estimate.h"

namespace warpgrade {
namespace {

constexpr int kRoundsAgain = 3;
// A throttled GPU gets this long to cool down.
constexpr std::chrono::milliseconds kRest{500};
// A round may take this much longer than the longest one before it.
constexpr double kRoundSlack = 1.1;
// At most this many times the planned rounds, where throttled ones have to be made up for.
constexpr int kMostRoundsFactor = 3;

/// One repetition's ranges of the same name, as one.
void add(const RangeTiming& timing, int round, std::vector<TimeSample>& samples) {
  if (samples.empty() || samples.back().round != round ||
      samples.back().repetition != timing.repetition) {
    TimeSample& made = samples.emplace_back();
    made.round = round;
    made.repetition = timing.repetition;
    made.start_ns = timing.start_ns;
  }
  TimeSample& sample = samples.back();
  sample.kernel_ms += timing.kernel_ms;
  sample.copy_ms += timing.copy_ms;
  sample.busy_ms += timing.busy_ms;
  sample.event_ms += timing.event_ms;
  sample.wall_ms += timing.wall_ms;
  sample.outside_kernel_ms += timing.outside_kernel_ms;
  sample.end_ns = timing.end_ns;
}

bool has_kernel(const TimeSample& sample) { return sample.kernel_ms > 0; }

/// Whether a kernel was seen in any sample that may count: one that runs in the first repetitions
/// alone must not take the others for unrecorded.
bool have_kernel(const std::vector<TimeSample>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const TimeSample& sample) {
    return sample.repetition != 0 && has_kernel(sample);
  });
}

std::string why_not(const TimeSample& sample, bool has_kernels, const std::string& throttled) {
  if (sample.repetition == 0) return "the first repetition of a process warms up";
  if (has_kernels && !has_kernel(sample)) return "no kernel of it was recorded";
  return throttled;
}

std::set<int> accepted_rounds(const std::vector<TimeSample>& samples) {
  std::set<int> rounds;
  for (const TimeSample& sample : samples) {
    if (sample.accepted) rounds.insert(sample.round);
  }
  return rounds;
}

/// How many rounds of one measurement there are to be.
struct Rounds {
  int least = 0, most = 0;
};

/// Measures one case.
class Measurement {
 public:
  Measurement(const TimingPlan& plan, const std::vector<NamedProgram>& programs,
              const std::vector<TimedRange>& wanted, Clock& clock, GpuWatch& watch)
      : plan_(plan), programs_(programs), wanted_(wanted), clock_(clock), watch_(watch) {}

  /// Until there are enough accepted rounds, or all of it has taken as long as it may.
  void run(Rounds rounds, double cap_s) {
    const double start_s = now_s() - timed_.seconds;
    const int first = timed_.rounds;
    if (first > 0 && cap_s - timed_.seconds < kRoundSlack * longest_s_) return;
    while (!timed_.failure) {
      const double round_start_s = now_s();
      run_round();
      longest_s_ = std::max(longest_s_, now_s() - round_start_s);
      const int accepted = accepted_count();
      if (accepted >= rounds.least && is_precise()) break;
      if (accepted >= rounds.most) break;
      if (timed_.rounds - first >= kMostRoundsFactor * rounds.most) break;
      const double left_s = cap_s - (now_s() - start_s) - kRoundSlack * longest_s_;
      const std::chrono::duration<double> rest = throttled_ ? kRest : std::chrono::milliseconds(0);
      if (left_s < rest.count()) break;
      if (throttled_) clock_.sleep(kRest);
    }
    timed_.seconds = now_s() - start_s;
  }

  TimedCase& timed() { return timed_; }
  /// Rounds that count for every wanted time.
  int accepted_count() const {
    size_t least = static_cast<size_t>(timed_.rounds);
    for (const TimedRange& each : wanted_) {
      std::set<int> both = accepted_rounds(timed_.samples(kStudentProgram, each.range));
      if (!each.over.empty()) {
        const std::set<int> theirs = accepted_rounds(timed_.samples(each.over, each.range));
        for (auto round = both.begin(); round != both.end();)
          round = theirs.count(*round) != 0 ? std::next(round) : both.erase(round);
      }
      least = std::min(least, both.size());
    }
    return static_cast<int>(least);
  }

 private:
  double now_s() const { return std::chrono::duration<double>(clock_.now()).count(); }

  void run_round() {
    const int round = timed_.rounds++;
    std::vector<const NamedProgram*> order;
    for (const NamedProgram& each : programs_) order.push_back(&each);
    if (round % 2 != 0) std::reverse(order.begin(), order.end());
    for (const NamedProgram* each : order) {
      const Result<std::vector<RangeTiming>> timings = each->program.run_round(round);
      if (!timings) {
        timed_.failure = TimingFailure{each->name, round, timings.error().message,
                                       each->program.machine_failed()};
        break;
      }
      for (const RangeTiming& timing : *timings)
        add(timing, round, timed_.programs[each->name][timing.range]);
      if (const std::optional<EmptyRange> empty = each->program.empty_range())
        empty_event_ms_.push_back(empty->event_ms);
    }
    timed_.empty_event_ms = median(empty_event_ms_);
    judge_samples(round);
  }

  void judge_samples(int latest) {
    const std::vector<ClockReading> readings = watch_.readings();
    timed_.clocks = summary_of(readings);
    throttled_ = false;
    for (auto& [name, ranges] : timed_.programs) {
      for (auto& [range, samples] : ranges) {
        const bool has_kernels = have_kernel(samples);
        for (TimeSample& sample : samples) {
          const std::string throttled = why_throttled(sample, readings);
          sample.why_not = why_not(sample, has_kernels, throttled);
          sample.accepted = sample.why_not.empty();
          throttled_ = throttled_ ||
                       (sample.round == latest && sample.repetition != 0 && !throttled.empty());
        }
      }
    }
  }

  bool is_precise() const {
    return std::all_of(wanted_.begin(), wanted_.end(), [&](const TimedRange& each) {
      const std::vector<TimeSample>& student = timed_.samples(kStudentProgram, each.range);
      const double width =
          each.over.empty()
              ? half_width(estimate_time(student))
              : half_width(estimate_ratio(student, timed_.samples(each.over, each.range)));
      return width <= plan_.wanted_half_width;
    });
  }

  const TimingPlan& plan_;
  const std::vector<NamedProgram>& programs_;
  const std::vector<TimedRange>& wanted_;
  Clock& clock_;
  GpuWatch& watch_;
  TimedCase timed_;
  std::vector<double> empty_event_ms_;
  double longest_s_ = 0;
  bool throttled_ = false;
};

}  // namespace

const std::vector<TimeSample>& TimedCase::samples(const std::string& program,
                                                  const std::string& range) const {
  static const std::vector<TimeSample> none;
  const auto ranges = programs.find(program);
  if (ranges == programs.end()) return none;
  const auto found = ranges->second.find(range);
  return found == ranges->second.end() ? none : found->second;
}

TimingPlan TimingPlan::shared_by(size_t cases) const {
  TimingPlan each = *this;
  each.cap_s /= static_cast<double>(std::max<size_t>(1, cases));
  each.cap_again_s /= static_cast<double>(std::max<size_t>(1, cases));
  return each;
}

TimedCase time_case(const TimingPlan& plan, const std::vector<NamedProgram>& programs,
                    const std::vector<TimedRange>& wanted, Clock& clock, GpuWatch& watch,
                    const Settles& settles) {
  Measurement measurement(plan, programs, wanted, clock, watch);
  measurement.run({plan.min_rounds, plan.max_rounds}, plan.cap_s);
  if (!settles || measurement.timed().failure || settles(measurement.timed()))
    return std::move(measurement.timed());
  const int rounds = measurement.timed().rounds;
  const int accepted = measurement.accepted_count();
  const int wanted_rounds = accepted + kRoundsAgain * std::max(accepted, plan.min_rounds);
  measurement.run({wanted_rounds, wanted_rounds}, plan.cap_s + plan.cap_again_s);
  measurement.timed().again = measurement.timed().rounds > rounds;
  return std::move(measurement.timed());
}

}  // namespace warpgrade
