// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/measured.h"
#include "observe/timing/protocol.h"
#include "pipeline/baselines.h"
#include "pipeline/case_store.h"
#include "pipeline/faults.h"
#include "pipeline/instruments.h"
#include "pipeline/timed_process.h"
#include "pipeline/together.h"
#include "report/measurement.h"
#include "run/gpu/gpu_pool.h"
#include "score/score.h"

namespace warpgrade {

/// What a batch needs of a machine to run programs on its GPUs.
struct GpuServices {
  GpuPool& pool;
  std::function<std::unique_ptr<Runner>(const Gpu&)> runner_on;
  std::function<std::unique_ptr<GpuWatch>(const Gpu&)> watch;
  Clock& clock;
  std::string driver;  ///< its version
  Instruments instruments;
  const Sandbox& sandbox;
  TimingPlan timing = {};  ///< its time is for all of a submission's cases
  bool is_timed = true;    ///< else nothing says how fast a program is
};

/// One case as it was timed.
struct MeasuredCase {
  std::string case_id;
  Measured measured;
};

/// What one of the machine's GPUs says about a submission.
struct GpuGrade {
  std::string gpu_name;
  std::vector<CaseVerdict> verdicts;
  std::vector<MeasuredCase> measured;
  std::vector<GpuHold> holds;
  std::vector<Unobserved>
      unobserved;  ///< cases of which nothing was recorded, and something should have been
  bool observed_any = false;  ///< something was recorded of some run

  /// Something should have been recorded and nothing was, in any run: the machine is to blame rather than a case.
  bool saw_nothing() const;
};

/// What the emulated device said of a submission.
struct EmulatedSide {
  const std::vector<CaseVerdict>& verdicts;  ///< an answer that is wrong there is not timed
  const std::set<std::string>& used;  ///< cases with calls of CUDA, which a GPU must see as well
  const Faults& faults;               ///< calls that are left out here as they were there
  /// By case, what it ran; null where nothing is compared with it.
  const std::map<std::string, WorkByRange>* work = nullptr;
};

/// The GPU half of grading: every case once under the trace, beside others, and then the performance
/// items' cases timed, alone on the GPU and in turns with their baselines.
class GpuBench {
 public:
  /// `seed` decides the order of the inputs in timed runs.
  GpuBench(const Rubric& rubric, const CaseStore& cases, const Baselines& baselines,
           GpuServices services, uint64_t seed)
      : rubric_(rubric),
        cases_(cases),
        baselines_(baselines),
        services_(std::move(services)),
        seed_(seed) {}

  /// `place` is that of the student's program; what else runs gets folders below its folder.
  GpuGrade grade(const ProgramPlace& place, const EmulatedSide& emulated) const;

 private:
  void run_cases(const ProgramPlace& place, const EmulatedSide& emulated, GpuGrade& grade) const;
  std::map<std::string, CaseRun> run_together(const std::vector<RunStep>& steps,
                                              ProgramRuns& runs) const;
  /// Runs cases again whose answer is wrong here and right on the emulated device, alone on the GPU: beside
  /// others, there may be too little memory for it.
  void run_again(const ProgramPlace& place, const EmulatedSide& emulated, GpuGrade& grade) const;
  std::vector<CaseVerdict> judge(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                                 const RunResult& ran, const Result<Trace>& trace,
                                 const Faults& faults) const;
  Ending run_case(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                  const EmulatedSide& emulated, GpuGrade& grade) const;
  /// What the program did before the calls that `step` leaves out ended it counts here as on the emulated device: items that
  /// only the GPU fails are judged in a run that leaves nothing out.
  void look_before_faults(const RunStep& step, const Gpu& gpu, ProgramRuns& runs,
                          const EmulatedSide& emulated, std::vector<CaseVerdict>& verdicts) const;
  void time_cases(const ProgramPlace& place, const EmulatedSide& emulated, GpuGrade& grade) const;
  /// Their cases, with the calls left out that ended them badly on the emulated device.
  std::vector<RunStep> steps(const Faults& faults) const;
  Measured time_one(const TimeStep& step, const std::vector<const Item*>& items,
                    const ProgramPlace& place, const Gpu& gpu, const TimedCaseData& data,
                    const TimingPlan& plan, std::optional<JudgedWork> judged) const;
  std::optional<JudgedWork> judged_work(const TimeStep& step, const EmulatedSide& emulated) const;

  const Rubric& rubric_;
  const CaseStore& cases_;
  const Baselines& baselines_;
  GpuServices services_;
  uint64_t seed_;
};

}  // namespace warpgrade
