// SPDX-License-Identifier: MIT
#include "check/measured_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "check/by_curve.h"
#include "check/physics.h"
#include "observe/timing/estimate.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr double kMsPerS = 1e3;

// Kernels that ran before or after their range: nothing that a contract asks for does so.
constexpr double kOutsideMs = 0.02, kOutsidePart = 0.1;
// Time in the call but not in its kernels, beyond the baseline's. It is for the staff to look at, as
// allocations, pinned memory, a query of the device's properties or a buffer on the host take as long. On a
// host with two H200 the same program took a third more in some processes than in others, and copying in small
// pieces half as much again.
constexpr double kAwayMs = 1, kAwayPart = 0.25, kAwayPartOfBaseline = 0.75;
// None of those takes as long as this beyond a quarter of the baseline's, so it is counted.
constexpr double kCountedAwayMs = 100;
// A range must take this many times as long as an empty one.
constexpr double kLeastOverEmpty = 10;
// A record may be lost now and then, but a program that runs no kernel in so many repetitions chooses which count.
constexpr double kUnrecordedPart = 0.25;

/// A number with three digits, and never an exponent.
std::string digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  const int before = value >= 1 ? 1 + static_cast<int>(std::log10(value)) : 0;
  if (value >= 0.1) return fmt::format("{:.{}f}", value, 3 - before);
  return fmt::format("{:.4f}", value);
}

template <class Field>
double median_of(const std::vector<TimeSample>& samples, Field field) {
  std::vector<double> values;
  for (const TimeSample& sample : samples) {
    if (sample.accepted) values.push_back(field(sample));
  }
  return median(std::move(values));
}

double outside_ms(const std::vector<TimeSample>& samples) {
  return median_of(samples, [](const TimeSample& sample) { return sample.outside_kernel_ms; });
}

/// What ran in a process before its first range, whichever range that is.
double early_ms(const std::map<std::string, RangeSamples>& programs, const std::string& program) {
  const auto ranges = programs.find(program);
  if (ranges == programs.end()) return 0;
  std::map<int, const TimeSample*> first;  // of each round
  for (const auto& [name, samples] : ranges->second) {
    for (const TimeSample& sample : samples) {
      const TimeSample*& earliest = first[sample.round];
      if (earliest == nullptr || sample.start_ns < earliest->start_ns) earliest = &sample;
    }
  }
  std::vector<double> times;
  for (const auto& [round, sample] : first) times.push_back(sample->outside_kernel_ms);
  return median(std::move(times));
}

double away_ms(const std::vector<TimeSample>& samples) {
  return median_of(samples,
                   [](const TimeSample& sample) { return sample.wall_ms - sample.kernel_ms; });
}

Judgement ours(Sentence why) {
  Judgement judgement = Judgement::failed(std::move(why));
  judgement.system_error = true;
  return judgement;
}

Judgement judge_failure(const TimingFailure& failure) {
  if (failure.program == kStudentProgram) {
    Sentence why = say("speed.failed", {{"why", failure.message}});
    return failure.is_machines ? ours(std::move(why)) : Judgement::failed(std::move(why));
  }
  return ours(say("speed.baseline", {{"baseline", failure.program}, {"why", failure.message}}));
}

/// What an item is about, and its 95 % interval.
struct Number {
  double value = 0, low = 0, high = 0;
  Sentence what = {};
};

/// Judges one item by the samples of its range.
class SpeedJudge {
 public:
  SpeedJudge(const Item& item, const Measured& measured)
      : item_(item),
        metric_(*item.metric),
        measured_(measured),
        student_(measured.timed.samples(kStudentProgram, metric_.range)),
        baseline_(measured.timed.samples(metric_.over, metric_.range)),
        time_(estimate_time(student_)),
        ratio_(estimate_ratio(student_, baseline_)) {}

  Judgement judge() {
    if (std::optional<Judgement> why = why_not_measured()) return *why;
    note_outside();
    std::optional<Judgement> other = other_work();
    Judgement judgement = other ? std::move(*other) : judge_time();
    judgement.flags = std::move(flags_);
    return judgement;
  }

 private:
  bool is_speedup() const { return metric_.name == "speedup"; }

  std::optional<Judgement> why_not_measured() const {
    if (is_speedup() && measured_.timed.programs.count(metric_.over) == 0)
      return Judgement::waits(
          say("speed.at_home", {{"ms", digits(time_.ms)},
                                {"source", say("source.measured", {{"gpu", measured_.gpu.name}})},
                                {"baseline", metric_.over}}));
    if (Sentence why = why_no_sample(kStudentProgram, student_); !why.empty())
      return Judgement::waits(std::move(why));
    if (!(time_.ms > 0))
      return Judgement::failed(
          say("speed.idle", {{"range", metric_.range}, {"gpu", measured_.gpu.name}}));
    if (std::optional<Judgement> why = why_unrecorded()) return why;
    if (!is_speedup()) return std::nullopt;
    if (Sentence why = why_no_sample(metric_.over, baseline_); !why.empty())
      return Judgement::waits(std::move(why));
    if (ratio_.samples == 0) return Judgement::waits(say("waits.no_round"));
    if (!(ratio_.baseline_ms > 0))
      return ours(
          say("speed.baseline_idle", {{"baseline", metric_.over}, {"range", metric_.range}}));
    return std::nullopt;
  }

  std::optional<Judgement> why_unrecorded() const {
    int all = 0, without = 0;
    for (const TimeSample& sample : student_) {
      if (sample.repetition == 0) continue;
      ++all;
      without += !(sample.kernel_ms > 0);
    }
    if (without < kUnrecordedPart * all) return std::nullopt;
    const std::string evidence =
        fmt::format("no kernel ran in \"{}\" in {} of {} repetitions", metric_.range, without, all);
    Judgement judgement = Judgement::waits(say("waits.idle_repetitions", {{"evidence", evidence}}));
    judgement.flags.push_back({"repetitions without a kernel", evidence});
    return judgement;
  }

  /// What is timed must be what was judged.
  std::optional<Judgement> other_work() {
    const auto found = measured_.other_work.find(metric_.range);
    if (found == measured_.other_work.end()) return std::nullopt;
    const std::string difference = in_words(found->second);
    flags_.push_back(
        {"other work than was judged", fmt::format("\"{}\": {}", metric_.range, difference)});
    return Judgement::waits(
        say("waits.other_work", {{"range", metric_.range}, {"difference", difference}}));
  }

  /// Why there is no accepted sample of the program, or empty.
  Sentence why_no_sample(const std::string& program, const std::vector<TimeSample>& samples) const {
    std::string why;
    int refused = 0;
    for (const TimeSample& sample : samples) {
      if (sample.accepted) return {};
      if (sample.repetition == 0) continue;
      why = sample.why_not;
      ++refused;
    }
    if (refused > 0) return say("waits.all_samples", {{"why", why}, {"samples", refused}});
    return say("waits.unrecorded",
               {program == kStudentProgram ? Filling("program", say("program.yours"))
                                           : Filling("program", "'" + program + "'"),
                {"range", metric_.range}});
  }

  /// What the driver does between ranges, and how long the call itself takes, only a baseline tells.
  void note_outside() {
    if (baseline_.empty()) return;
    const double outside = outside_ms(student_) - outside_ms(baseline_);
    if (outside > std::max(kOutsideMs, kOutsidePart * time_.ms)) {
      counted_ms_ += outside;
      flag_outside(fmt::format("kernels took {} ms outside \"{}\", which was added to {} ms in it",
                               digits(outside), metric_.range, digits(time_.ms)));
    }
    // Beyond what runs between any two calls.
    const double early = early_ms(measured_.timed.programs, kStudentProgram) -
                         early_ms(measured_.timed.programs, metric_.over) - outside;
    if (early > std::max(kOutsideMs, kOutsidePart * time_.ms)) {
      counted_ms_ += early;
      flag_outside(
          fmt::format("kernels took {} ms before the first call of a process, which was added to "
                      "{} ms in \"{}\"",
                      digits(early), digits(time_.ms), metric_.range));
    }
    const double theirs = away_ms(baseline_), away = away_ms(student_) - theirs;
    const double limit = std::max({kAwayMs, kAwayPart * time_.ms, kAwayPart * theirs});
    const bool counts = away > limit + kCountedAwayMs;
    if (!counts && away <= std::max(limit, kAwayPartOfBaseline * theirs)) return;
    if (counts) counted_ms_ += away;
    flag_outside(
        fmt::format("{} ms of \"{}\" passed outside its kernels, {} ms more than in '{}'{}",
                    digits(away + theirs), metric_.range, digits(away), metric_.over,
                    counts ? ", which was added" : ""));
  }

  void flag_outside(std::string evidence) {
    flags_.push_back({"work outside the timed kernels", std::move(evidence)});
  }

  double total_ms() const { return time_.ms + counted_ms_; }

  /// The item's number, had the student's program taken `ms`.
  Number number_at(double ms) const {
    const double slower = ms / time_.ms;
    Number number;
    if (is_speedup()) {
      number = {ratio_.ratio / slower, ratio_.low / slower, ratio_.high / slower};
      number.what = say("speed.measured", {{"speedup", digits(number.value)},
                                           {"baseline", metric_.over},
                                           {"ours", time_words()},
                                           {"theirs", digits(ratio_.baseline_ms)},
                                           {"samples", ratio_.samples},
                                           {"low", digits(number.low)},
                                           {"high", digits(number.high)},
                                           {"gpu", measured_.gpu.name}});
      return number;
    }
    number = {ms, time_.low * slower, time_.high * slower};
    if (metric_.name == "time_ms") {
      number.what = say("speed.measured_time", {{"ours", time_words()},
                                                {"samples", time_.samples},
                                                {"low", digits(number.low)},
                                                {"high", digits(number.high)},
                                                {"gpu", measured_.gpu.name}});
      return number;
    }
    return rate_of(number);
  }

  Number rate_of(const Number& time) const {
    const bool bytes = metric_.name == "gb_per_s";
    const char* const unit = bytes ? "GB/s" : "GFLOP/s";
    const Result<long> work = metric_.work->value(measured_.values);
    if (!work) return {0, 0, 0, uncomputable(work.error())};
    const double amount =
        static_cast<double>(*work) / (bytes ? kBytesPerGb : kFlopPerGflop) * kMsPerS;
    Number rate{amount / time.value, amount / time.high, amount / time.low};
    rate.what = say("speed.measured_rate", {{"rate", digits(rate.value)},
                                            {"unit", unit},
                                            {"ours", time_words()},
                                            {"samples", time_.samples},
                                            {"low", digits(rate.low)},
                                            {"high", digits(rate.high)},
                                            {"gpu", measured_.gpu.name}});
    return rate;
  }

  std::string time_words() const {
    if (counted_ms_ == 0) return fmt::format("{} ms", digits(time_.ms));
    return fmt::format("{} ms in kernels and {} ms of other work that counts", digits(time_.ms),
                       digits(counted_ms_));
  }

  /// The least time that the device needs for the item's work, and why; 0 = not known.
  std::pair<double, std::string> floor() const {
    const MeasuredOn& gpu = measured_.gpu;
    const auto of = [&](const std::optional<Expression>& work, double peak, const char* words) {
      std::pair<double, std::string> least;
      if (!work || !(peak > 0)) return least;
      const Result<long> amount = work->value(measured_.values);
      if (!amount) return least;
      least.first = static_cast<double>(*amount) / (peak * kFlopPerGflop) * kMsPerS;
      least.second = fmt::format("{} {} at no more than {:.0f} G{}/s take {} ms", *amount, words,
                                 peak, words[0] == 'b' ? "B" : "FLOP", digits(least.first));
      return least;
    };
    return std::max(of(metric_.least_bytes, gpu.peak_gb_per_s, "bytes"),
                    of(metric_.least_flop, gpu.peak_gflop_per_s, "floating-point operations"));
  }

  Judgement judge_time() {
    if (const auto [least_ms, why] = floor(); total_ms() < kFloorPart * least_ms) {
      const std::string evidence =
          fmt::format("{} ms, but on {} {}", digits(total_ms()), measured_.gpu.name, why);
      flags_.push_back({"faster than this device can be", evidence});
      return Judgement::waits(say("waits.too_fast", {{"evidence", evidence}}));
    }
    const double timeable_ms = kLeastOverEmpty * measured_.timed.empty_event_ms;
    const double baseline_ms =
        is_speedup() ? ratio_.baseline_ms : std::max(total_ms(), timeable_ms);
    if (total_ms() >= timeable_ms && baseline_ms >= timeable_ms) return pay(number_at(total_ms()));
    // At least as fast as the shortest time that can be told: enough, where that earns everything.
    const Judgement at_least = pay(number_at(std::max(total_ms(), timeable_ms)));
    if (baseline_ms >= timeable_ms && at_least.fraction == 1 && !at_least.undecided)
      return pay(number_at(total_ms()));
    return too_short(std::min(total_ms(), baseline_ms), timeable_ms);
  }

  Judgement too_short(double ms, double timeable_ms) {
    Sentence why =
        say("waits.too_short", {{"ms", digits(ms)},
                                {"empty_ms", digits(measured_.timed.empty_event_ms)},
                                {"factor", static_cast<long>(std::ceil(timeable_ms / ms))}});
    flags_.push_back({"too short to time", why.text});
    return Judgement::waits(std::move(why));
  }

  double points_for(double value) const {
    const double fraction = std::clamp(item_.curve->at(value), 0.0, 1.0);
    if (fraction == 1) return item_.points;
    return std::min(item_.points, std::round(2 * fraction * item_.points) / 2);
  }

  Judgement pay(const Number& number) const {
    if (item_.points == 0) return by_curve(*item_.curve, number.value, number.what);
    const auto [less, more] = std::minmax({points_for(number.low), points_for(number.high)});
    Judgement judgement = by_fraction(*item_.curve, more / item_.points, number.what);
    judgement.value = number.value;
    judgement.undecided = less != more;
    if (judgement.undecided)
      judgement.message = say("speed.undecided", {{"what", judgement.message},
                                                  {"less", fmt::format("{:g}", less)},
                                                  {"more", fmt::format("{:g}", more)}});
    return judgement;
  }

  const Item& item_;
  const Metric& metric_;
  const Measured& measured_;
  const std::vector<TimeSample>& student_;
  const std::vector<TimeSample>& baseline_;
  TimeEstimate time_;
  RatioEstimate ratio_;
  double counted_ms_ = 0;  ///< of other work, which is added to that of the kernels
  std::vector<Flag> flags_;
};

}  // namespace

Judgement judge_measured(const Item& item, const Measured& measured) {
  if (!measured.wrong_output.empty()) return Judgement::failed(measured.wrong_output);
  if (measured.timed.failure) return judge_failure(*measured.timed.failure);
  return SpeedJudge(item, measured).judge();
}

}  // namespace warpgrade
