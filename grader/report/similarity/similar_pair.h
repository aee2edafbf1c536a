// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/result.h"
#include "report/similarity/similarity.h"

namespace warpgrade {

/// A student's submission as it was compared.
struct ComparedSubmission {
  std::string student;
  std::string hash;  ///< SubmissionResult::inputs has it as `submission`.

  bool operator==(const ComparedSubmission&) const = default;
};

/// Two students whose programs resemble each other: a hint to a person, which moves no points.
struct SimilarPair {
  ComparedSubmission a, b;
  double similarity = 0;
  size_t longest_tokens = 0;
  std::vector<SharedPassage> passages;
};

/// What similar_programs found among `results`, whose sources these are. Members of one group are in no pair.
std::vector<SimilarPair> similar_pairs(const std::vector<SubmissionResult>& results,
                                       const std::vector<std::string>& sources,
                                       const SimilarityOptions& options);

/// JSON with a newline at the end, and back.
std::string format_similar_pairs(const std::vector<SimilarPair>& pairs);
Result<std::vector<SimilarPair>> parse_similar_pairs(std::string_view json);

/// SHA-256 of what the result is of; empty where the result does not say.
std::string submission_hash_of(const SubmissionResult& result);

}  // namespace warpgrade
