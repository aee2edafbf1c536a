// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "course/graded_case.h"
#include "course/wrong_answers.h"
#include "pipeline/verdict_memo.h"

namespace warpgrade {

/// What the proof of an assignment under one seed leaves for the others, which may run at the same time: the handout and the cases'
/// own proof, which no seed changes, verdicts on inputs that the next seed may make again, and where each wrong
/// answer lost its items.
struct AssignmentMemory {
  struct Unseeded {
    std::vector<std::string> complaints;
    std::vector<CaseProof> cases;
  };
  std::mutex lock;  ///< of all but the verdicts, which have their own
  std::optional<Unseeded> unseeded;
  std::map<std::string, GradedCase> reference;  ///< The reference's last run of each case.
  VerdictMemo verdicts;
  std::map<std::string, std::set<std::string>> telling;  ///< Cases, by a wrong answer's name.
};

/// By slug. It outlives the checks that use it.
using SeedMemory = std::map<std::string, AssignmentMemory>;

}  // namespace warpgrade
