// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "build/builder.h"
#include "check/judgement.h"
#include "pipeline/case_store.h"
#include "pipeline/installation.h"
#include "report/program_work.h"
#include "run/runner.h"

namespace warpgrade {

/// Sources by name of the programs that the rubric's performance items compare with: "reference" is
/// the model answer, any other reference/<slug>/baselines/<name>.cu. Empty where there is no
/// reference/<slug>, as in a student's handout; an Error where only that file is missing.
Result<std::map<std::string, std::string>> read_baselines(const Paths& paths, const Rubric& rubric);

/// What it takes to run a baseline: a student's program of the course's own.
struct BaselineTools {
  const Runner& runner;
  const CaseStore& cases;
  std::function<Result<fs::path>(const std::string& source, const BuildPlace& place)> build;
  fs::path folder;
  int first_slot = 0;
  int compile_s = 60;
};

/// Builds each baseline and runs it on its cases, once for all submissions, in the background.
class Baselines {
 public:
  Baselines(const Rubric& rubric, const std::map<std::string, std::string>& sources,
            const std::vector<RunStep>& steps, const BaselineTools& tools);
  ~Baselines();

  /// The times of the case's baselines, by name. Waits for them.
  std::map<std::string, BaselineTimes> times(const std::string& case_id) const;
  /// What each of them did in the case, by the time model. Waits for them.
  std::vector<ProgramWork> work(const std::string& case_id) const;
  /// The baseline's program, once it is built. An Error where it does not build, or is none of those.
  Result<fs::path> program(const std::string& name) const;

  /// What is known about one baseline.
  struct Baseline {
    Result<fs::path> program;
    std::map<std::string, BaselineTimes> times;  ///< by case
    std::map<std::string, ProgramWork> work;     ///< likewise
  };

 private:
  std::map<std::string, std::shared_future<Baseline>> runs_;
};

}  // namespace warpgrade
