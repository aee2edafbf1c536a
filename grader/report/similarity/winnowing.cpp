// SPDX-License-Identifier: MIT
#include "report/similarity/winnowing.h"

#include <algorithm>

namespace warpgrade {

std::vector<uint64_t> grams_of(const std::vector<Token>& tokens) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::vector<uint64_t> grams;
  for (size_t i = 0; i + kGramTokens <= tokens.size(); ++i) {
    uint64_t hash = kBasis;
    for (size_t j = i; j < i + kGramTokens; ++j) {
      hash = (hash ^ tokens[j].kind) * kPrime;
      hash ^= hash >> 29;
    }
    grams.push_back(hash);
  }
  return grams;
}

std::vector<uint64_t> fingerprints_of(const std::vector<uint64_t>& grams) {
  std::vector<uint64_t> picked;
  const size_t width = std::min(kWindow, grams.size());
  for (size_t i = 0; width > 0 && i + width <= grams.size(); ++i)
    picked.push_back(*std::min_element(grams.begin() + static_cast<long>(i),
                                       grams.begin() + static_cast<long>(i + width)));
  std::sort(picked.begin(), picked.end());
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

}  // namespace warpgrade
