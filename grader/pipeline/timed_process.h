// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sentence.h"
#include "observe/timing/protocol.h"
#include "observe/work.h"
#include "pipeline/case_store.h"
#include "rubric/rubric.h"
#include "run/runner.h"

namespace warpgrade {

/// The outputs that the case's performance items need to be right, each once: a time of a wrong answer
/// is none.
std::vector<OutputRule> timed_outputs(const Rubric& rubric, const std::string& case_id);

/// What the emulated device saw of the case's program, which the timed runs must do too.
struct JudgedWork {
  WorkByRange ranges;
  Sizes sizes = Sizes::kSame;  ///< of the timed case beside the judged one
};

/// A program that a runner starts anew for each round. Inputs come in an order that nobody can foresee,
/// and every output that it writes is compared with the oracle's.
class TimedProcess final : public TimedProgram {
 public:
  /// `outputs` is empty for a program of the course's own. `seed` decides the order of the inputs,
  /// the same for every program that is compared.
  TimedProcess(ProgramRuns& runs, RunStep step, const TimedCaseData& data,
               std::vector<OutputRule> outputs, uint64_t seed, int repetitions,
               std::optional<JudgedWork> judged = {})
      : runs_(runs),
        step_(std::move(step)),
        data_(data),
        outputs_(std::move(outputs)),
        seed_(seed),
        repetitions_(repetitions),
        judged_(std::move(judged)) {
    for (const OutputRule& rule : outputs_) step_.repeated_outputs.insert(rule.array);
  }

  Result<std::vector<RangeTiming>> run_round(int round) override;
  bool machine_failed() const override { return machine_failed_; }
  std::optional<EmptyRange> empty_range() const override { return empty_range_; }

  /// The first wrong output and when it was written; empty where all were right.
  const Sentence& wrong_output() const { return wrong_output_; }
  /// By range, where repetitions did other work than was judged: any more, or in a quarter of them
  /// less, since a record may be lost now and then. The first repetition of a process does not count.
  std::map<std::string, WorkDifference> other_work() const;
  /// Why its GPU should not be used any more; empty where it may.
  const std::string& gpu_trouble() const { return gpu_trouble_; }

 private:
  /// How the repetitions of a range compare with what was judged.
  struct Compared {
    int repetitions = 0, less = 0;
    std::optional<WorkDifference> first_less, first_other;
  };

  void compare_outputs(const RunResult& run);
  void compare_work(const std::vector<RangeTiming>& timings);
  Error give_up(std::string why, bool machines);

  ProgramRuns& runs_;
  RunStep step_;
  const TimedCaseData& data_;
  std::vector<OutputRule> outputs_;
  uint64_t seed_;
  int repetitions_;
  std::optional<JudgedWork> judged_;
  std::map<std::string, Compared> compared_;
  bool machine_failed_ = false;
  std::optional<EmptyRange> empty_range_;
  Sentence wrong_output_;
  std::string gpu_trouble_;
};

}  // namespace warpgrade
