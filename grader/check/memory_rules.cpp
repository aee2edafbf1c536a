// SPDX-License-Identifier: MIT
#include "check/memory_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "check/no_launch.h"
#include "check/rules.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// An allocation as the kernels of a range used it.
struct Used {
  const Allocation* allocation;
  bool read = false;
  bool written = false;
  long first_launch = 0;
  long last_launch = 0;
};

/// Everything that kernels of a range touched. Memory that no call allocated is a variable: it may
/// hold sizes and factors that kernels read, as __constant__ ones do, but no result.
struct Usage {
  std::vector<Allocation> allocations;
  std::vector<Used> used;
  std::string foreign_kernel;  ///< a kernel that wrote such memory
};

Usage usage_of(const Trace& trace, const std::string& range) {
  Usage usage;
  usage.allocations = allocations_of(trace);
  for (const KernelLaunch* launch : launches_run_in(trace, range)) {
    for (const Touch& touch : launch->memory) {
      const Allocation* allocation = allocation_at(usage.allocations, touch.ptr, launch->seq);
      if (allocation == nullptr) {
        if (touch.written) usage.foreign_kernel = launch->kernel;
        continue;
      }
      auto known = std::find_if(usage.used.begin(), usage.used.end(),
                                [&](const Used& used) { return used.allocation == allocation; });
      if (known == usage.used.end())
        known = usage.used.insert(known, {allocation, false, false, launch->seq, launch->seq});
      known->read |= touch.read;
      known->written |= touch.written;
      known->last_launch = launch->seq;
    }
  }
  return usage;
}

using Size = std::pair<uint64_t, uint64_t>;  ///< bytes in a row, rows

Sentence in_words(const Size& size) {
  const auto& [width, height] = size;
  return height == 1 ? say("size.row", {{"bytes", width}})
                     : say("size.rows", {{"bytes", width}, {"rows", height}});
}

Filling sizes(std::string place, const std::vector<Size>& sizes) {
  std::vector<Sentence> all;
  for (const Size& size : sizes) all.push_back(in_words(size));
  return sizes.empty() ? Filling(std::move(place), say("size.none"))
                       : listed(std::move(place), all, ", ");
}

Size size_of(const Allocation& allocation) { return {allocation.width, allocation.height}; }

/// A rectangle that a copy moved, as the device's side sees it.
struct Moved {
  uint64_t pitch;
  uint64_t width;
  uint64_t height;  ///< rows, over all slices
};

bool is_copy(const ApiCall& call) {
  return call.alike().starts_with("cudaMemcpy") && call.name.find("Symbol") == std::string::npos;
}

Moved moved_by(const ApiCall& call, bool to_device) {
  if (!call.args.contains("width")) return {call.number("count"), call.number("count"), 1};
  const uint64_t slices = call.args.contains("depth") ? call.number("depth") : 1;
  return {call.number(to_device ? "dpitch" : "spitch"), call.number("width"),
          call.number("height") * slices};
}

Sentence wrong_rectangle(const ApiCall& call, const Moved& moved, const Allocation& allocation) {
  if (!call.args.contains("width")) return {};
  if (moved.pitch != allocation.pitch && moved.height > 1) {
    if (allocation.pitch == allocation.width && allocation.height <= 1)
      return say("copies.pitch_of_linear",
                 {{"call", call.name}, {"pitch", moved.pitch}, {"api", allocation.api}});
    return say("copies.pitch", {{"call", call.name},
                                {"pitch", moved.pitch},
                                {"api", allocation.api},
                                {"wanted", allocation.pitch}});
  }
  if (moved.width != allocation.width) {
    return say("copies.width",
               {{"call", call.name}, {"width", moved.width}, {"wanted", allocation.width}});
  }
  return {};
}

/// What is wrong with how one allocation was filled (`to_device`) or read back.
Sentence transfer_breach(const CopiesRule& rule, const Trace& trace, const Used& used,
                         bool to_device) {
  const Allocation& allocation = *used.allocation;
  uint64_t bytes = 0;
  for (const ApiCall& call : trace.calls) {
    const bool in_time = to_device ? call.seq < used.last_launch : call.seq > used.first_launch;
    const bool ours = call.result == 0 && is_copy(call) && in_time &&
                      call.text("direction") == (to_device ? "HtoD" : "DtoH") &&
                      allocation.holds(call.number(to_device ? "dst" : "src"), call.seq);
    if (!ours) continue;
    if (call.alike() != rule.api && call.alike() != rule.api + "Async") {
      return say(
          "copies.api",
          {{"call", call.name}, {"size", in_words(size_of(allocation))}, {"wanted", rule.api}});
    }
    const Moved moved = moved_by(call, to_device);
    if (Sentence wrong = wrong_rectangle(call, moved, allocation); !wrong.empty()) return wrong;
    bytes += moved.width * moved.height;
  }
  const uint64_t wanted = allocation.width * allocation.height;
  if (bytes == wanted) return {};
  return say(to_device ? "copies.to_device" : "copies.to_host",
             {{"api", rule.api}, {"bytes", bytes}, {"wanted", wanted}});
}

struct PitchedPointer {
  uint64_t ptr, pitch, xsize, ysize;
  bool operator==(const PitchedPointer&) const = default;
};

/// The 8-aligned place in the parameters where a cudaPitchedPtr to `ptr` would begin.
std::optional<PitchedPointer> find_pointer(const KernelLaunch& launch, uint64_t ptr) {
  for (const std::string& param : launch.params) {
    for (size_t at = 0; at + sizeof(PitchedPointer) <= param.size(); at += 8) {
      PitchedPointer found;
      std::memcpy(&found, param.data() + at, sizeof found);
      if (found.ptr == ptr) return found;
    }
  }
  return std::nullopt;
}

/// The cudaPitchedPtrs that describe an allocation: `shapes` says what one without padding may hold.
std::vector<PitchedPointer> descriptions_of(const Allocation& allocation,
                                            const std::vector<Size>& shapes,
                                            uint64_t element_bytes) {
  if (allocation.api != "cudaMalloc") {
    return {
        {allocation.ptr, allocation.pitch, allocation.width / element_bytes, allocation.height}};
  }
  std::vector<PitchedPointer> all;
  for (const auto& [width, height] : shapes) {
    if (width * height == allocation.width * allocation.height)
      all.push_back({allocation.ptr, width, width / element_bytes, height});
  }
  return all;
}

/// Whether the launch gets a pointer into the allocation other than by a right cudaPitchedPtr.
bool gets_bare_pointer(const KernelLaunch& launch, const Allocation& allocation,
                       const std::vector<PitchedPointer>& right) {
  for (const std::string& param : launch.params) {
    for (size_t at = 0; at + sizeof(uint64_t) <= param.size(); at += sizeof(uint64_t)) {
      PitchedPointer found{};
      std::memcpy(&found, param.data() + at, std::min(sizeof found, param.size() - at));
      if (allocation.holds(found.ptr, launch.seq) &&
          std::find(right.begin(), right.end(), found) == right.end())
        return true;
    }
  }
  return false;
}

Sentence parameter_breach(const KernelLaunch& launch, const Allocation& allocation,
                          const std::vector<PitchedPointer>& right) {
  const std::optional<PitchedPointer> found = find_pointer(launch, allocation.ptr);
  if (!found || right.empty()) {
    return say("pitched.no_pointer",
               {{"kernel", launch.kernel}, {"size", in_words(size_of(allocation))}});
  }
  if (std::find(right.begin(), right.end(), *found) != right.end()) {
    if (!gets_bare_pointer(launch, allocation, right)) return {};
    return say("pitched.bare",
               {{"kernel", launch.kernel}, {"size", in_words(size_of(allocation))}});
  }
  return say("pitched.pointer", {{"kernel", launch.kernel},
                                 {"pitch", found->pitch},
                                 {"xsize", found->xsize},
                                 {"ysize", found->ysize},
                                 {"right_pitch", right.front().pitch},
                                 {"right_xsize", right.front().xsize},
                                 {"right_ysize", right.front().ysize}});
}

/// What the rubric's shapes come to, or the first that the case cannot compute.
Result<std::vector<Size>> sizes_of(const std::vector<AllocationShape>& shapes,
                                   const CaseFacts& facts) {
  std::vector<Size> sizes;
  for (const AllocationShape& shape : shapes) {
    const Result<long> width = shape.width_bytes.value(facts.values),
                       height = shape.height.value(facts.values);
    if (!width || !height) return width.ok() ? height.error() : width.error();
    sizes.emplace_back(*width, *height);
  }
  return sizes;
}

/// What is in `all` more often than in `others`.
std::vector<Size> surplus(std::vector<Size> all, const std::vector<Size>& others) {
  for (const Size& other : others) {
    const auto found = std::find(all.begin(), all.end(), other);
    if (found != all.end()) all.erase(found);
  }
  return all;
}

// What a forgotten sizeof makes too small.
constexpr uint64_t kElementSizes[] = {2, 4, 8};

Sentence size_breach(const AllocationsRule& rule, const std::vector<Size>& seen,
                     const std::vector<Size>& wanted) {
  const std::vector<Size> missing = surplus(wanted, seen), extra = surplus(seen, wanted);
  if (missing.empty() && extra.empty()) return {};
  if (missing.empty())
    return say(
        "allocations.extra",
        {{"range", rule.range}, {"extra", in_words(extra.front())}, sizes("wanted", wanted)});
  for (const Size& one : extra) {
    for (const uint64_t factor : kElementSizes) {
      if (one.second == missing.front().second && one.first * factor == missing.front().first)
        return say("allocations.factor", {{"api", rule.api},
                                          {"seen", one.first},
                                          {"wanted", missing.front().first},
                                          {"factor", factor}});
    }
  }
  return say("allocations.missing", {{"range", rule.range},
                                     {"missing", in_words(missing.front())},
                                     {"api", rule.api},
                                     sizes("seen", seen)});
}

}  // namespace

Sentence breach(const AllocationsRule& rule, const CaseFacts& facts) {
  if (launches_in(facts.trace, rule.range).empty()) return why_no_launch(facts.trace, rule.range);
  const Usage usage = usage_of(facts.trace, rule.range);
  if (!usage.foreign_kernel.empty())
    return say("allocations.foreign", {{"kernel", usage.foreign_kernel}, {"api", rule.api}});
  std::vector<Size> seen;
  for (const Used& used : usage.used) {
    if (used.allocation->api != rule.api) {
      return say("allocations.api", {{"api", used.allocation->api},
                                     {"size", in_words(size_of(*used.allocation))},
                                     {"wanted", rule.api}});
    }
    seen.push_back(size_of(*used.allocation));
  }
  const Result<std::vector<Size>> wanted = sizes_of(rule.shapes, facts);
  if (!wanted) return uncomputable(wanted.error());
  return size_breach(rule, seen, *wanted);
}

Sentence breach(const CopiesRule& rule, const CaseFacts& facts) {
  const Usage usage = usage_of(facts.trace, rule.range);
  if (usage.used.empty() || launches_in(facts.trace, rule.range).empty())
    return why_no_launch(facts.trace, rule.range);
  for (const Used& used : usage.used) {
    // A result that the kernel also reads (c += ...) may start from cudaMemset.
    Sentence wrong =
        used.read && !used.written ? transfer_breach(rule, facts.trace, used, true) : Sentence();
    if (wrong.empty() && used.written) wrong = transfer_breach(rule, facts.trace, used, false);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

Sentence breach(const PitchedParamsRule& rule, const CaseFacts& facts) {
  const std::vector<Allocation> allocations = allocations_of(facts.trace);
  const Result<std::vector<Size>> shapes = sizes_of(rule.shapes, facts);
  if (!shapes) return uncomputable(shapes.error());
  bool any = false;
  for (const KernelLaunch* launch : launches_run_in(facts.trace, rule.range)) {
    for (const Touch& touch : launch->memory) {
      const Allocation* allocation = allocation_at(allocations, touch.ptr, launch->seq);
      if (allocation == nullptr || (allocation->api == "cudaMalloc" && shapes->empty())) continue;
      any = any || !launch->has_faulted;
      Sentence wrong = parameter_breach(
          *launch, *allocation,
          descriptions_of(*allocation, *shapes, static_cast<uint64_t>(rule.element_bytes)));
      if (!wrong.empty()) return wrong;
    }
  }
  return any ? Sentence() : say("pitched.none", {{"range", rule.range}});
}

Sentence breach(const PaddingUntouchedRule& rule, const CaseFacts& facts) {
  if (launches_in(facts.trace, rule.range).empty()) return why_no_launch(facts.trace, rule.range);
  const std::vector<const KernelLaunch*> launches = launches_run_in(facts.trace, rule.range);
  const auto mentions = [&](const Finding& finding) {
    return (finding.checker == "memory" || finding.checker == "padding") &&
           std::any_of(launches.begin(), launches.end(), [&](const KernelLaunch* launch) {
             return launch->kernel == finding.kernel;
           });
  };
  const auto& findings = facts.trace.findings;
  const auto found = std::find_if(findings.begin(), findings.end(), mentions);
  if (found != findings.end()) return finding_sentence(*found);
  for (const KernelLaunch* launch : launches) {
    for (const Touch& touch : launch->memory) {
      if (!touch.padding_read && !touch.padding_written) continue;
      return say(touch.padding_written ? "padding.written" : "padding.read",
                 {{"kernel", launch->kernel}});
    }
  }
  return {};
}

}  // namespace warpgrade
