// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "check/arrays.h"
#include "plan/plan.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// The trusted half of a case: a folder of inputs that all students share, and what they should make of them.
struct CaseData {
  fs::path inputs;
  Arrays expected;
};

/// Has the oracle make every case once, in the background, while programs are still being compiled.
class CaseStore {
 public:
  /// `trusted` runs the oracle. Each case gets a seed of its own, derived from `seed` and its id.
  CaseStore(const Sandbox& trusted, fs::path oracle, fs::path folder, std::vector<RunStep> cases,
            uint64_t seed);
  ~CaseStore();

  /// Waits for the case. `case_id` must be one of those given.
  const Result<CaseData>& get(const std::string& case_id) const;

 private:
  Result<CaseData> make(const RunStep& step) const;
  Status call(const char* verb, const RunStep& step, const fs::path& folder) const;

  const Sandbox& trusted_;
  fs::path oracle_;
  fs::path folder_;
  std::vector<RunStep> cases_;
  uint64_t seed_;
  std::map<std::string, std::promise<Result<CaseData>>> promises_;
  std::map<std::string, std::shared_future<Result<CaseData>>> futures_;
  std::thread maker_;
};

}  // namespace warpgrade
