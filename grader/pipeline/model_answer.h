// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "pipeline/baselines.h"
#include "pipeline/driver_ranges.h"
#include "run/emulated_runner.h"

namespace warpgrade {

/// What the model answer's runs of a case show.
struct ModelRun {
  RangeCounts ranges;         ///< that the driver opens
  bool is_swappable = false;  ///< On a device with other inputs, no doubt is raised.
};

/// Runs of the model answer, to which those of submissions are compared.
class ModelAnswer {
 public:
  /// Builds and runs it in the background, unless a file of `cache`, which may be empty, tells for `key`. What `runner` and
  /// `tools` refer to must outlive it.
  ModelAnswer(const Rubric& rubric, const std::string& source, const std::string& key,
              const fs::path& cache, const std::vector<RunStep>& steps,
              const EmulatedRunner& runner, const BaselineTools& tools);
  ~ModelAnswer();

  /// Waits for it. Null where the model answer did not come to its end.
  const ModelRun* in_case(const std::string& case_id) const;

 private:
  std::shared_future<std::map<std::string, ModelRun>> runs_;
};

}  // namespace warpgrade
