// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check/arrays.h"
#include "check/judgement.h"
#include "pipeline/oracle_program.h"
#include "plan/plan.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// The trusted half of a case: a folder of inputs that all students share, and what they should make of them.
struct CaseData {
  fs::path inputs;
  Arrays expected;
  std::string fingerprint =
      {};  ///< A hash of the inputs, from which the oracle makes the expected outputs.
  bool has_new_elements = false;  ///< of others: see computes_new_elements()
};

/// Reads the case's arrays. It may outlive `data`.
InputReader reader_of(const CaseData& data);

/// The same of a timed case: inputs in 0/, 1/, ... below `inputs`, and what each should make.
struct TimedCaseData {
  fs::path inputs;
  std::vector<Arrays> expected;
};

/// The seed of the inputs with that name. Who finds it from inputs has neither the secret nor the seed of others.
uint64_t seed_of_inputs(uint64_t secret, std::string_view name);

/// Has the oracle make every case once, in the background, several at a time, while programs are still being compiled.
class CaseStore {
 public:
  /// `trusted` runs the oracle. Each case gets a seed of its own, derived from `seed` and its id, and
  /// each of a timed case's inputs one more, as have those of `others`, which are made a second time.
  CaseStore(const Sandbox& trusted, fs::path oracle, fs::path folder, std::vector<RunStep> cases,
            uint64_t seed, std::vector<TimeStep> timed = {}, std::vector<RunStep> others = {});
  ~CaseStore();

  /// Waits for the case. `case_id` must be one of those given.
  const Result<CaseData>& get(const std::string& case_id) const;
  const Result<TimedCaseData>& get_timed(const std::string& case_id) const;
  /// The case with inputs of another seed. `case_id` must be one of `others`.
  const Result<CaseData>& get_other(const std::string& case_id) const;
  const OracleProgram& oracle() const { return oracle_; }

 private:
  template <class Data>
  struct Made {
    std::promise<Result<Data>> promise;
    std::shared_future<Result<Data>> future = promise.get_future().share();
  };

  void make_all();
  /// `seed_name` tells the seed from those of other inputs.
  Result<CaseData> make(const RunStep& step, const fs::path& folder,
                        const std::string& seed_name) const;
  Result<TimedCaseData> make_timed(const TimeStep& step) const;

  OracleProgram oracle_;
  fs::path folder_;
  std::vector<RunStep> cases_;
  std::vector<TimeStep> timed_;
  std::vector<RunStep> others_;
  uint64_t seed_;
  std::map<std::string, Made<CaseData>> made_;
  std::map<std::string, Made<CaseData>> made_others_;
  std::map<std::string, Made<TimedCaseData>> made_timed_;
  std::thread maker_;
};

}  // namespace warpgrade
