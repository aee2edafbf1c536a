// SPDX-License-Identifier: MIT
#include "pipeline/verdict_memo.h"

#include <algorithm>

#include "base/hash.h"

namespace warpgrade {

std::optional<std::vector<CaseVerdict>> VerdictMemo::find(const std::string& source,
                                                          const std::string& case_id,
                                                          const std::string& inputs) const {
  const std::lock_guard guard(lock_);
  const auto found = known_.find({sha256_hex(source), case_id});
  if (found == known_.end() || found->second.inputs != inputs) return std::nullopt;
  return found->second.verdicts;
}

void VerdictMemo::keep(const std::string& source, const std::string& case_id,
                       const std::string& inputs, const std::vector<CaseVerdict>& verdicts) {
  const bool ours = std::any_of(verdicts.begin(), verdicts.end(), [](const CaseVerdict& verdict) {
    return verdict.status == Outcome::kSystemError;
  });
  const std::lock_guard guard(lock_);
  if (!ours) known_[{sha256_hex(source), case_id}] = {inputs, verdicts};
}

}  // namespace warpgrade
