// SPDX-License-Identifier: MIT
#include "check/sent_inputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

// Many times what pointers, sizes and factors take; an array by value takes more.
constexpr size_t kMostParameterBytes = 256;

using Copies = std::vector<const ApiCall*>;

std::string hash_of(std::string_view bytes) { return hex64(fnv1a_64(bytes)); }

size_t parameter_bytes(const KernelLaunch& launch) {
  size_t bytes = 0;
  for (const std::string& parameter : launch.params) bytes += parameter.size();
  return bytes;
}

Copies copies_to_device(const Trace& trace, const std::string& range) {
  Copies copies;
  for (const ApiCall& call : trace.calls) {
    const bool sends = call.result == 0 && call.name.rfind("cudaMemcpy", 0) == 0 &&
                       call.text("direction") == "HtoD" && call.args.contains("content_hash");
    if (sends && call.range == range) copies.push_back(&call);
  }
  return copies;
}

/// Whether kernels of the range may read what the copy brought. A result that was sent for nothing is none of theirs.
bool is_read(const ApiCall& copy, const Trace& trace, const std::string& range) {
  const std::vector<Allocation> allocations = allocations_of(trace);
  const Allocation* const target = allocation_at(allocations, copy.number("dst"), copy.seq);
  if (target == nullptr) return true;
  const std::vector<const KernelLaunch*> launches = launches_in(trace, range);
  return std::any_of(launches.begin(), launches.end(), [&](const KernelLaunch* launch) {
    return launch->seq > copy.seq &&
           std::any_of(launch->memory.begin(), launch->memory.end(),
                       [&](const Touch& touch) { return touch.ptr == target->ptr && touch.read; });
  });
}

/// Where the run of pieces that lie side by side on the host begins, by each piece's address.
std::map<uint64_t, uint64_t> run_begins(const Copies& copies) {
  std::map<uint64_t, uint64_t> ends, begins;
  for (const ApiCall* copy : copies) {
    uint64_t& end = ends[copy->number("src")];
    end = std::max(end, copy->number("src") + copy->number("count"));
  }
  uint64_t run_begin = 0, run_end = 0;
  for (const auto& [begin, end] : ends) {
    if (begins.empty() || begin > run_end) run_begin = begin;
    run_end = std::max(run_end, end);
    begins[begin] = run_begin;
  }
  return begins;
}

/// The case's inputs, and what copies may move of them.
class Inputs {
 public:
  Inputs(const Arrays& arrays, const Copies& copies)
      : arrays_(arrays), run_begins_(run_begins(copies)) {}

  bool hold(const ApiCall& copy) {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& named) {
      const NpyArray& input = named.second;
      const std::string_view bytes(reinterpret_cast<const char*>(input.bytes.data()),
                                   input.bytes.size());
      return hash_of(bytes) == copy.text("content_hash") || hold_rows(bytes, copy) ||
             hold_piece(bytes, copy);
    });
  }

 private:
  static bool hold_rows(std::string_view input, const ApiCall& copy) {
    const std::vector<std::string> rows = copy.words("row_hashes");
    const size_t width = copy.number("width");
    if (rows.empty() || width == 0) return false;
    std::set<std::string> known;
    for (size_t at = 0; at + width <= input.size(); at += width)
      known.insert(hash_of(input.substr(at, width)));
    return std::all_of(rows.begin(), rows.end(),
                       [&](const std::string& row) { return known.contains(row); });
  }

  /// A piece lies in the input where it lies in its run, or is one of equal slices or the last one.
  bool hold_piece(std::string_view input, const ApiCall& copy) const {
    const size_t bytes = copy.number("count");
    const auto run = run_begins_.find(copy.number("src"));
    if (bytes == 0 || bytes > input.size() || copy.args.contains("width")) return false;
    const auto lies_at = [&](size_t offset) {
      return offset <= input.size() - bytes &&
             hash_of(input.substr(offset, bytes)) == copy.text("content_hash");
    };
    if (lies_at(input.size() - bytes)) return true;
    if (run != run_begins_.end() && lies_at(copy.number("src") - run->second)) return true;
    for (size_t offset = 0; offset + bytes <= input.size(); offset += bytes)
      if (lies_at(offset)) return true;
    return false;
  }

  const Arrays& arrays_;
  const std::map<uint64_t, uint64_t> run_begins_;
};

}  // namespace

Sentence breach(const SendsInputsRule& rule, const CaseFacts& facts) {
  const Result<Arrays> arrays = facts.inputs ? facts.inputs() : Arrays();
  // What the grader cannot read costs no point.
  if (!arrays || arrays->empty()) return {};
  const Copies copies = copies_to_device(facts.trace, rule.range);
  Inputs inputs(*arrays, copies);
  const auto foreign = std::find_if(copies.begin(), copies.end(), [&](const ApiCall* copy) {
    return !inputs.hold(*copy) && is_read(*copy, facts.trace, rule.range);
  });
  if (foreign != copies.end())
    return say("device_work.sent", {{"call", (*foreign)->name}, {"range", rule.range}});
  for (const KernelLaunch* launch : launches_in(facts.trace, rule.range)) {
    const size_t bytes = parameter_bytes(*launch);
    if (bytes > kMostParameterBytes)
      return say("device_work.parameters", {{"kernel", launch->kernel}, {"bytes", bytes}});
  }
  return {};
}

}  // namespace warpgrade
