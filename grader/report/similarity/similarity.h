// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

/// The first and last line of a passage, from 1.
struct LineRange {
  size_t first = 0, last = 0;

  bool operator==(const LineRange&) const = default;
};

/// A passage that two programs share.
struct SharedPassage {
  size_t tokens = 0;
  LineRange a, b;
};

/// Two programs that resemble each other, by their places among the sources.
struct SimilarPrograms {
  size_t a = 0, b = 0;
  double similarity = 0;  ///< 0 to 1: the part of both programs' own fingerprints that they share.
  size_t longest_tokens = 0;            ///< The length of the longest shared passage.
  std::vector<SharedPassage> passages;  ///< The longest first.
};

/// What is compared, and what is worth showing.
struct SimilarityOptions {
  std::string skeleton = {};  ///< Handed out: nobody's own.
  double at_least = 0.3;
  size_t most_pairs = 50;
};

/// Pairs by similarity, the most similar first. Code of the skeleton and code that more than half of a class of
/// kClassForCommon has is nobody's own. Programs with little of their own are in no pair.
std::vector<SimilarPrograms> similar_programs(const std::vector<std::string>& sources,
                                              const SimilarityOptions& options);

/// In smaller classes two who copied would make their own code common.
constexpr size_t kClassForCommon = 8;

}  // namespace warpgrade
