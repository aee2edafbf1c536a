// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "score/score.h"

namespace warpgrade {

/// The verdicts of runs on the emulated device, for a later seed: where it gives a case the same inputs,
/// the same program does the same again. Keeps those of the last inputs alone.
class VerdictMemo {
 public:
  /// `inputs` is the fingerprint of what the case's run reads.
  std::optional<std::vector<CaseVerdict>> find(const std::string& source,
                                               const std::string& case_id,
                                               const std::string& inputs) const;
  /// What this machine failed to judge is not kept.
  void keep(const std::string& source, const std::string& case_id, const std::string& inputs,
            const std::vector<CaseVerdict>& verdicts);

 private:
  struct Known {
    std::string inputs;
    std::vector<CaseVerdict> verdicts;
  };

  mutable std::mutex lock_;
  std::map<std::pair<std::string, std::string>, Known> known_;  ///< By source's hash and case.
};

}  // namespace warpgrade
