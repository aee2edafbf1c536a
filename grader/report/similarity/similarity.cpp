// SPDX-License-Identifier: MIT
#include "report/similarity/similarity.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "report/similarity/winnowing.h"

namespace warpgrade {
namespace {

/// Fingerprints below which likeness is chance.
constexpr size_t kLeastOwn = 8;

using Hashes = std::unordered_set<uint64_t>;

struct Program {
  std::vector<Token> tokens;
  std::vector<uint64_t> grams;
  std::vector<uint64_t> own;    ///< Fingerprints that are not common.
  std::vector<bool> is_common;  ///< Each token: part of a passage that is nobody's own.
};

Program read_program(const std::string& source) {
  Program program;
  program.tokens = read_tokens(source);
  program.grams = grams_of(program.tokens);
  return program;
}

/// Passages of the skeleton, and those that most of the class has.
Hashes common_grams(const std::vector<Program>& programs, const std::string& skeleton) {
  const std::vector<uint64_t> given = grams_of(read_tokens(skeleton));
  Hashes common(given.begin(), given.end());
  if (programs.size() < kClassForCommon) return common;
  std::unordered_map<uint64_t, size_t> holders;
  for (const Program& program : programs) {
    for (const uint64_t gram : Hashes(program.grams.begin(), program.grams.end())) ++holders[gram];
  }
  for (const auto& [gram, count] : holders) {
    if (2 * count > programs.size()) common.insert(gram);
  }
  return common;
}

void set_common_apart(Program& program, const Hashes& common) {
  program.own = fingerprints_of(program.grams);
  std::erase_if(program.own, [&](uint64_t hash) { return common.contains(hash); });
  program.is_common.assign(program.tokens.size(), false);
  for (size_t i = 0; i < program.grams.size(); ++i) {
    if (!common.contains(program.grams[i])) continue;
    const auto begin = program.is_common.begin() + static_cast<long>(i);
    std::fill(begin, begin + kGramTokens, true);
  }
}

/// How many own fingerprints each pair shares, of those that share any.
std::map<std::pair<size_t, size_t>, size_t> shared_counts(const std::vector<Program>& programs) {
  std::unordered_map<uint64_t, std::vector<size_t>> holders;
  for (size_t i = 0; i < programs.size(); ++i) {
    for (const uint64_t hash : programs[i].own) holders[hash].push_back(i);
  }
  std::map<std::pair<size_t, size_t>, size_t> shared;
  for (const auto& [hash, who] : holders) {
    for (size_t i = 0; i < who.size(); ++i) {
      for (size_t j = i + 1; j < who.size(); ++j) ++shared[{who[i], who[j]}];
    }
  }
  return shared;
}

/// A run of equal tokens: where it begins in both programs.
struct Run {
  size_t length, a, b;
};

bool is_longer(const Run& x, const Run& y) {
  return std::tie(x.length, x.a, x.b) > std::tie(y.length, y.a, y.b);
}

/// Runs of equal tokens that cannot be made longer, the longest first. Quadratic, for the few pairs that are shown: of a
/// program only its first kMostTokens are looked at, and of the runs the longest kMostRuns are kept.
std::vector<Run> runs_of(const Program& a, const Program& b) {
  constexpr size_t kMostTokens = 1 << 14, kMostRuns = 1 << 12;
  const size_t in_a = std::min(a.tokens.size(), kMostTokens),
               in_b = std::min(b.tokens.size(), kMostTokens);
  std::vector<Run> runs;
  std::vector<size_t> above(in_b + 1, 0), row(in_b + 1, 0);
  for (size_t i = in_a; i-- > 0;) {
    for (size_t j = in_b; j-- > 0;) {
      const bool equal = a.tokens[i] == b.tokens[j] && !a.is_common[i] && !b.is_common[j];
      row[j] = equal ? above[j + 1] + 1 : 0;
      const bool begins = i == 0 || j == 0 || !(a.tokens[i - 1] == b.tokens[j - 1]) ||
                          a.is_common[i - 1] || b.is_common[j - 1];
      if (begins && row[j] >= kGramTokens) runs.push_back({row[j], i, j});
    }
    std::swap(above, row);
    if (runs.size() < 2 * kMostRuns) continue;
    std::nth_element(runs.begin(), runs.begin() + kMostRuns, runs.end(), is_longer);
    runs.resize(kMostRuns);
  }
  std::sort(runs.begin(), runs.end(), is_longer);
  return runs;
}

/// The longest runs that do not overlap.
void find_passages(const Program& a, const Program& b, SimilarPrograms& pair) {
  std::vector<bool> in_a(a.tokens.size(), false), in_b(b.tokens.size(), false);
  const auto is_free = [](const std::vector<bool>& taken, size_t begin, size_t length) {
    const auto from = taken.begin() + static_cast<long>(begin);
    return std::find(from, from + static_cast<long>(length), true) ==
           from + static_cast<long>(length);
  };
  for (const Run& run : runs_of(a, b)) {
    if (!is_free(in_a, run.a, run.length) || !is_free(in_b, run.b, run.length)) continue;
    std::fill_n(in_a.begin() + static_cast<long>(run.a), run.length, true);
    std::fill_n(in_b.begin() + static_cast<long>(run.b), run.length, true);
    const size_t last = run.length - 1;
    pair.passages.push_back({run.length,
                             {a.tokens[run.a].line, a.tokens[run.a + last].line},
                             {b.tokens[run.b].line, b.tokens[run.b + last].line}});
  }
  pair.longest_tokens = pair.passages.empty() ? 0 : pair.passages.front().tokens;
}

}  // namespace

std::vector<SimilarPrograms> similar_programs(const std::vector<std::string>& sources,
                                              const SimilarityOptions& options) {
  std::vector<Program> programs;
  for (const std::string& source : sources) programs.push_back(read_program(source));
  const Hashes common = common_grams(programs, options.skeleton);
  for (Program& program : programs) set_common_apart(program, common);
  std::vector<SimilarPrograms> pairs;
  for (const auto& [who, shared] : shared_counts(programs)) {
    const size_t a = programs[who.first].own.size(), b = programs[who.second].own.size();
    const double similarity = 2.0 * static_cast<double>(shared) / static_cast<double>(a + b);
    if (std::min(a, b) >= kLeastOwn && similarity >= options.at_least)
      pairs.push_back({who.first, who.second, similarity, 0, {}});
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& x, const auto& y) { return x.similarity > y.similarity; });
  if (pairs.size() > options.most_pairs) pairs.resize(options.most_pairs);
  for (SimilarPrograms& pair : pairs) find_passages(programs[pair.a], programs[pair.b], pair);
  return pairs;
}

}  // namespace warpgrade
