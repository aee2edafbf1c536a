// SPDX-License-Identifier: MIT
#include "emulator/runtime/at_exit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "emulator/runtime/error.h"
#include "emulator/runtime/graphs.h"
#include "emulator/runtime/machine.h"
#include "emulator/runtime/ranges.h"

namespace warpgrade::emulator {
namespace {

bool cleans_up(std::string_view call) {
  return call.rfind("cudaFree", 0) == 0 || call.find("Destroy") != std::string_view::npos ||
         call == "cudaDeviceReset" || call == "cudaHostUnregister";
}

bool launches(std::string_view call) { return call.rfind("cudaLaunch", 0) == 0; }

Finding told(std::string message) {
  Finding finding;
  finding.checker = "api";
  finding.message = std::move(message);
  return finding;
}

void add_errors(const Machine& machine, std::vector<Finding>& findings) {
  if (const auto& unseen = machine.unseen) {
    if (launches(unseen->call) || unseen->went_on) findings.push_back(told(in_words(*unseen)));
  }
  for (const Device& device : machine.devices) {
    if (device.fault == cudaSuccess || device.fault_known) continue;
    findings.push_back(told("a kernel failed with " + in_words(device.fault) +
                            ", and nothing waited for it to end and asked: check what "
                            "cudaDeviceSynchronize() returns"));
  }
}

/// Made by a call that has a counterpart to give it back.
bool is_the_programs(const Allocation& allocation) {
  const bool by_kind = allocation.kind == AllocationKind::linear ||
                       allocation.kind == AllocationKind::pitched ||
                       allocation.kind == AllocationKind::host_mapped;
  return by_kind && allocation.origin.rfind("cuda", 0) == 0 &&
         allocation.origin != "cudaHostRegister";
}

void add_memory(const Machine& machine, std::vector<Finding>& findings) {
  struct Sum {
    uint64_t count = 0, bytes = 0;
  };
  std::map<std::string, Sum> by_origin;
  for (const Allocation& allocation : machine.memory.allocations()) {
    if (!is_the_programs(allocation)) continue;
    Sum& sum = by_origin[allocation.origin];
    ++sum.count;
    sum.bytes += allocation.size;
  }
  for (const auto& [origin, sum] : by_origin) {
    findings.push_back(told(fmt::format("{} made by {} ({} bytes) {} never freed",
                                        counted(static_cast<long>(sum.count), "allocation"), origin,
                                        sum.bytes, sum.count == 1 ? "was" : "were")));
  }
}

void add_objects(const Machine& machine, std::vector<Finding>& findings) {
  const std::pair<const char*, size_t> objects[] = {
      {"stream", machine.streams.stream_count()},
      {"event", machine.streams.event_count()},
      {"graph", machine.graphs.graph_count()},
      {"executable graph", machine.graphs.executable_count()},
      {"texture or surface object", machine.textures.object_count()}};
  for (const auto& [name, count] : objects) {
    if (count == 0) continue;
    findings.push_back(
        told(fmt::format("{} {} never destroyed", counted(static_cast<long>(count), name),
                         count == 1 ? "was" : "were")));
  }
}

}  // namespace

std::string in_words(const UnseenError& unseen) {
  if (launches(unseen.call))
    return "a kernel launch failed with " + in_words(unseen.error) +
           ", and nothing asked for it: call cudaGetLastError() after launches";
  return fmt::format(
      "{} returned {}, and the program went on without asking what that is: check what CUDA "
      "calls return",
      unseen.call, in_words(unseen.error));
}

void note_result(Machine& machine, const char* call, cudaError_t result) {
  if (machine.unseen) {
    machine.unseen->went_on = machine.unseen->went_on || !cleans_up(call);
  } else if (result != cudaSuccess && result != cudaErrorNotReady) {
    machine.unseen = UnseenError{call, result};
  }
}

std::vector<Finding> tampering(const Machine& machine) {
  if (!machine.settings.graded || !graders_ranges().made_again()) return {};
  Finding finding;
  finding.checker = "harness";
  finding.message = "the program made the NVTX domain \"warpgrade\", which is the grader's";
  return {finding};
}

std::vector<Finding> findings_at_exit(Machine& machine) {
  std::vector<Finding> findings;
  add_errors(machine, findings);
  // A program that a failure cut short is not told what it had no chance to give back.
  const bool failed = std::any_of(machine.devices.begin(), machine.devices.end(),
                                  [](const Device& one) { return one.fault != cudaSuccess; });
  if (failed || machine.unseen) return findings;
  add_memory(machine, findings);
  add_objects(machine, findings);
  return findings;
}

}  // namespace warpgrade::emulator
