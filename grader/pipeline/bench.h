// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <thread>

#include "build/builder.h"
#include "pipeline/baselines.h"
#include "pipeline/case_store.h"
#include "pipeline/faults.h"
#include "pipeline/gpu_side.h"
#include "pipeline/installation.h"
#include "pipeline/model_answer.h"
#include "pipeline/other_inputs.h"
#include "pipeline/verdict_memo.h"
#include "pipeline/workspace.h"
#include "report/result.h"
#include "report/versions.h"
#include "run/emulated_runner.h"

namespace warpgrade {

/// Sees a run of a submission, and what was expected of it.
using RunObserver =
    std::function<void(const RunStep& step, const RunResult& run, const Arrays& expected)>;

/// What a grading may be asked for besides the result.
struct BenchOptions {
  RunObserver observe = {};  ///< may be empty
  /// Is told of each case before it runs; may be empty.
  std::function<void(const std::string& case_id, size_t number, size_t all)> begin = {};
  /// Where there are any, no other case is run, and none of the others speaks against an item: what is lost here is
  /// lost in all cases together as well.
  std::set<std::string> only_cases = {};
};

/// Everything that the submissions of one batch share: the rubric, the driver (compiled once) and the cases (made once).
class Bench {
 public:
  /// `slots` is how many submissions may be graded at once. `memo` spares runs that an earlier Bench of the
  /// same rubric did on the same inputs; where there is a GPU it is not used. An Error where the course or the
  /// machine lacks something.
  static Result<std::unique_ptr<Bench>> open(const Installation& installation, Rubric rubric,
                                             uint64_t seed, int slots, VerdictMemo* memo = nullptr);
  ~Bench();

  const Rubric& rubric() const { return rubric_; }
  /// Whether speed is measured, on a GPU of this machine.
  bool is_on_gpu() const { return gpu_ != nullptr; }
  /// What of the machine's GPUs is not used and why; empty where nobody asked for them.
  const std::string& gpu_note() const { return gpu_choice_.note; }

  /// Hashes of all that decides a result, under the names that the result keeps them by.
  std::map<std::string, std::string> input_hashes(const Submission& submission) const;
  /// Those of them that all submissions share.
  Versions versions() const;

  /// Builds, runs and judges one submission. Calls at the same time have different slots below `slots`.
  SubmissionResult grade(const Submission& submission, int slot,
                         const BenchOptions& options = {}) const;

 private:
  Bench(const Installation& installation, Rubric rubric, std::unique_ptr<Workspace> workspace);
  fs::path device_library() const;
  /// Copies of them in the workspace.
  Result<DeviceParts> device_parts(uint64_t seed, int slots) const;
  Status prepare(uint64_t seed, int slots);
  void start_driver(const SourceFile& driver, int slots);
  void start_baselines(int slots);

  SubmissionResult blank_result(const Submission& submission) const;
  struct Emulated {
    std::vector<CaseVerdict> verdicts;
    std::set<std::string> used;  ///< cases in which the program used its device
    /// The checker that found a mistake after which a GPU may do anything, by the case.
    std::map<std::string, std::string> undefined;
    Faults faults;
    std::map<std::string, WorkByRange> work = {};  ///< by case
    Doubts doubts = {};
  };
  void mark_what_the_driver_did(CaseRuns& ran) const;
  void note_work(const std::string& case_id, const Trace& trace, Emulated& emulated) const;
  Emulated run_emulated(const Submission& submission, const ProgramPlace& place,
                        const BenchOptions& options, SubmissionResult& result) const;
  struct RunsToRepeat;
  RunsToRepeat runs_to_repeat(const Submission& submission) const;
  void repeat(const ProgramPlace& place, const RunsToRepeat& again, Emulated& emulated) const;
  void run_on_gpu(const ProgramPlace& place, const Emulated& emulated,
                  std::vector<CaseVerdict>& verdicts, SubmissionResult& result) const;
  Score run_and_judge(const Submission& submission, const BuildResult& build, int slot,
                      const BenchOptions& options, SubmissionResult& result) const;
  /// What the memo knows of the case; nullopt where it has to be run.
  std::optional<std::vector<CaseVerdict>> known_verdicts(const Submission& submission,
                                                         const std::string& case_id,
                                                         const CaseData& data) const;
  fs::path slot_folder(int slot) const {
    return workspace_->folder() / ("slot-" + std::to_string(slot));
  }

  const Installation& installation_;
  Rubric rubric_;
  std::unique_ptr<Workspace> workspace_;
  Builder builder_;
  std::unique_ptr<EmulatedRunner> runner_;
  std::map<std::string, std::string> headers_;
  std::string driver_key_;
  std::string driver_source_;
  std::set<std::string> judged_ranges_;  ///< that items name
  uint64_t seed_ = 0;
  fs::path oracle_;
  std::shared_future<Result<fs::path>> driver_;
  std::shared_future<std::vector<std::string>> driver_code_;  ///< hashes of its containers
  std::unique_ptr<CaseStore> cases_;
  std::map<std::string, std::string> baseline_sources_;
  std::unique_ptr<Baselines> baselines_;
  std::unique_ptr<ModelAnswer> model_answer_;  ///< null where there is no model answer
  GpuChoice gpu_choice_;
  std::unique_ptr<GpuSide> gpu_;
  VerdictMemo* memo_ = nullptr;
};

}  // namespace warpgrade
