// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "report/similarity/tokens.h"

namespace warpgrade {

/// Tokens of the shortest passage that is looked at.
constexpr size_t kGramTokens = 12;

/// The hash of each run of kGramTokens tokens, by its first token.
std::vector<uint64_t> grams_of(const std::vector<Token>& tokens);

/// The hashes that Winnowing picks (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document
/// fingerprinting", SIGMOD 2003): the least one of each window. Two programs that share kGramTokens + kWindow - 1 tokens
/// in a row share a fingerprint. Sorted, each once.
std::vector<uint64_t> fingerprints_of(const std::vector<uint64_t>& grams);

constexpr size_t kWindow = 6;

}  // namespace warpgrade
