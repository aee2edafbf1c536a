// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "pipeline/line_rows.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// What a result shows of public cases alone, in a bounded size: the costs of lines, where outputs are wrong, and what baselines did.
class PublicEvidence {
 public:
  static constexpr size_t kMostMaps = 8;

  explicit PublicEvidence(const Rubric& rubric) : rubric_(rubric), lines_(rubric.submission) {}

  /// A case that ran, hidden or not, and what it says of each item.
  void add(const std::string& case_id, const Trace& trace,
           const std::vector<CaseVerdict>& verdicts);
  /// What the baselines did in the case.
  void add_baselines(const std::string& case_id, const std::vector<ProgramWork>& work);
  void give(SubmissionResult& result) const;

 private:
  bool is_public(const std::string& case_id) const;

  const Rubric& rubric_;
  LineRows lines_;
  std::vector<WrongOutput> wrong_outputs_;
  std::vector<ProgramWork> baseline_work_;
};

}  // namespace warpgrade
