// SPDX-License-Identifier: MIT
#include "pipeline/seen_by_host.h"

#include <algorithm>
#include <map>
#include <vector>

#include "check/rules.h"

namespace warpgrade {
namespace {

constexpr uint64_t kSlackBytes = 64, kPartOfInputs = 32;

/// The hash is one copy's, where a call makes several.
bool is_single(const ApiCall& call) { return call.copies() == 1; }

bool moved_the_same(const ApiCall& one, const ApiCall& other) {
  const std::string hash = one.text("content_hash");
  return is_single(one) && is_single(other) && !hash.empty() &&
         hash == other.text("content_hash") &&
         one.bytes_moved("DtoH") == other.bytes_moved("DtoH") &&
         one.words("row_hashes") == other.words("row_hashes");
}

/// By range: the copies to the host, whatever makes them: a call, a node of a graph, a kernel.
std::map<std::string, std::vector<const ApiCall*>> copies_to_host(const Trace& trace) {
  std::map<std::string, std::vector<const ApiCall*>> copies;
  for (const ApiCall& call : trace.calls)
    if (call.bytes_moved("DtoH") > 0) copies[call.range].push_back(&call);
  return copies;
}

}  // namespace

uint64_t seen_bytes(const Trace& trace, const std::string& range, const Copies& harmless) {
  uint64_t bytes = 0;
  long last = 0;
  for (const KernelLaunch* launch : launches_run_in(trace, range))
    last = std::max(last, launch->seq);
  for (const ApiCall& call : trace.calls) {
    if (call.seq > last) continue;
    // Several copies in one call, of which the last may have failed, too.
    if (!is_single(call) || !harmless.contains(&call)) bytes += call.bytes_moved("DtoH");
    if (call.result != 0) continue;
    bytes += call.number("shown");
    // The time that a kernel takes depends on what it reads.
    if (call.name.starts_with("cudaEventElapsedTime")) bytes += sizeof(float);
  }
  return bytes;
}

uint64_t bytes_allowed_to_be_seen(uint64_t input_bytes, uint64_t output_bytes) {
  const uint64_t sums = input_bytes / kPartOfInputs;
  return kSlackBytes + (output_bytes < sums ? sums : 0);
}

Copies unchanged_copies(const Trace& same, const Trace& other) {
  Copies unchanged;
  const auto sames = copies_to_host(same);
  for (const auto& [range, others] : copies_to_host(other)) {
    const auto found = sames.find(range);
    const size_t both = found == sames.end() ? 0 : std::min(found->second.size(), others.size());
    for (size_t i = 0; i < both; ++i)
      if (moved_the_same(*found->second[i], *others[i])) unchanged.insert(others[i]);
  }
  return unchanged;
}

bool tells_runs_apart(const Trace& trace) {
  return std::any_of(trace.calls.begin(), trace.calls.end(),
                     [](const ApiCall& call) { return call.number("apart") > 0; });
}

}  // namespace warpgrade
