// SPDX-License-Identifier: MIT
#include "emulator/checkers/kept_reads.h"

#include <algorithm>

#include "emulator/exec/split_updates.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostWords = 1 << 16, kMostOfWord = 16;

}  // namespace

void KeptReads::note(const Cell* cell, uint32_t thread, const Read& read) {
  // What was read last is what threads go on from: the oldest are dropped, not the newest.
  if (reads_.size() >= kMostWords) reads_.clear();
  std::vector<Read>& reads = reads_[key_of(cell, thread)];
  std::erase_if(reads, [&](const Read& one) { return one.pc == read.pc; });
  if (reads.size() >= kMostOfWord) reads.erase(reads.begin());
  reads.push_back(read);
}

KeptReads::Origin KeptReads::origin(const Cell* cell, uint32_t thread,
                                    const SplitUpdate* update) const {
  Origin origin;
  const auto found = reads_.find(key_of(cell, thread));
  if (found == reads_.end()) return origin;
  const std::vector<Read>& reads = found->second;
  if (std::any_of(reads.begin(), reads.end(), [](const Read& read) { return read.turn; }))
    return origin;
  for (const Read& read : reads) {
    const bool counts = !read.waits && !read.passed;
    origin.any |= counts;
    if (update == nullptr) continue;
    const bool is_source = std::binary_search(update->reads.begin(), update->reads.end(), read.pc);
    if (!is_source && !(update->any && counts)) continue;
    if (update->adds && !read.wiped) continue;
    origin.made = true;
    if (origin.read.met == 0) origin.read = read;
  }
  return origin;
}

void KeptReads::pass(const Cell* cell, uint32_t thread, bool wipes) {
  const auto found = reads_.find(key_of(cell, thread));
  if (found == reads_.end()) return;
  for (Read& read : found->second) {
    read.passed = true;
    read.wiped |= wipes;
  }
}

}  // namespace warpgrade::emulator
