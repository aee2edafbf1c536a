// SPDX-License-Identifier: MIT
#include "emulator/runtime/at_exit.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "emulator/runtime/error.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/machine.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/places.h"
#include "emulator/runtime/record/ranges.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

bool cleans_up(std::string_view call) {
  return call.rfind("cudaFree", 0) == 0 || call.find("Destroy") != std::string_view::npos ||
         call == "cudaDeviceReset" || call == "cudaHostUnregister";
}

bool launches(std::string_view call) { return call.rfind("cudaLaunch", 0) == 0; }

/// Whether the program gets the result as it is: cuBLAS and its like give statuses of their own.
bool gives_result(std::string_view call) {
  const bool of_driver =
      call.starts_with("cu") && call.size() > 2 && call[2] >= 'A' && call[2] <= 'Z';
  return of_driver || call.starts_with("cuda") || !call.starts_with("cu");
}

void add_errors(const Machine& machine, std::vector<Finding>& findings) {
  if (const auto& unseen = machine.unseen) {
    if (launches(unseen->call) || unseen->went_on) findings.push_back(finding_of(*unseen));
  }
  for (const Device& device : machine.devices) {
    if (device.fault == cudaSuccess || device.fault_known) continue;
    findings.push_back(finding_of(say("api.kernel_failed", {{"error", in_words(device.fault)}})));
  }
}

/// CUDA Programming Guide, "Formatted Output": what no call has shown is lost when the program ends.
void add_lost_text(const Machine& machine, std::vector<Finding>& findings) {
  const std::string& text = machine.to_print;
  if (text.empty()) return;
  const auto ends = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
  const uint64_t lines = ends + (text.ends_with('\n') ? 0 : 1);
  findings.push_back(finding_of(say("api.text_lost", {{"lines", lines}})));
}

/// Made by a call that has a counterpart to give it back.
bool is_the_programs(const Allocation& allocation) {
  const bool by_kind = allocation.kind == AllocationKind::linear ||
                       allocation.kind == AllocationKind::pitched ||
                       allocation.kind == AllocationKind::host_mapped;
  return by_kind && allocation.origin.rfind("cuda", 0) == 0 &&
         allocation.origin != "cudaHostRegister";
}

Sentence verb(uint64_t count) { return say(count == 1 ? "verb.was" : "verb.were"); }

void add_memory(const Machine& machine, std::vector<Finding>& findings) {
  struct Sum {
    uint64_t count = 0, bytes = 0;
    HostPlace first = {};
  };
  std::map<std::string, Sum> by_origin;
  for (const Allocation& allocation : machine.memory.allocations()) {
    if (!is_the_programs(allocation)) continue;
    Sum& sum = by_origin[allocation.origin];
    const auto made = machine.made_at.find(allocation.begin);
    if (sum.count++ == 0 && made != machine.made_at.end()) sum.first = made->second;
    sum.bytes += allocation.size;
  }
  for (const auto& [origin, sum] : by_origin) {
    findings.push_back(at_place(finding_of(say("api.not_freed", {{"count", sum.count},
                                                                 {"origin", origin},
                                                                 {"bytes", sum.bytes},
                                                                 {"verb", verb(sum.count)}})),
                                sum.first));
  }
  if (const DeviceHeap::Taken left = machine.taken_in_kernels(); left.blocks != 0) {
    findings.push_back(finding_of(
        say("api.not_freed_in_kernels",
            {{"count", left.blocks}, {"bytes", left.bytes}, {"verb", verb(left.blocks)}})));
  }
}

void add_objects(const Machine& machine, std::vector<Finding>& findings) {
  const std::pair<const char*, size_t> objects[] = {
      {"objects.streams", machine.streams.stream_count()},
      {"objects.events", machine.streams.event_count()},
      {"objects.graphs", machine.graphs.graph_count()},
      {"objects.executable_graphs", machine.graphs.executable_count()},
      {"objects.textures", machine.textures.object_count()}};
  for (const auto& [kind, count] : objects) {
    if (count == 0) continue;
    findings.push_back(finding_of(say(
        "api.not_destroyed", {{"objects", say(kind, {{"count", count}})}, {"verb", verb(count)}})));
  }
}

}  // namespace

Finding finding_of(const UnseenError& unseen) {
  const std::string error = in_words(unseen.error);
  Sentence sentence = launches(unseen.call)
                          ? say("api.launch_failed", {{"error", error}})
                          : say("api.call_failed", {{"call", unseen.call}, {"error", error}});
  return at_place(finding_of(std::move(sentence)), unseen.place);
}

void note_result(Machine& machine, const char* call, cudaError_t result) {
  if (machine.unseen) {
    machine.unseen->went_on = machine.unseen->went_on || !cleans_up(call);
  } else if (result != cudaSuccess && gives_result(call) &&
             (result != cudaErrorNotReady || std::string_view(call) == "cudaEventElapsedTime")) {
    machine.unseen = UnseenError{call, result, has_host() ? host().place(0) : HostPlace{}};
  }
}

std::vector<Finding> tampering(const Machine& machine) {
  if (!machine.settings.graded || !graders_ranges().made_again()) return {};
  return {finding_of(say("harness.domain"))};
}

std::vector<Finding> findings_at_exit(Machine& machine) {
  std::vector<Finding> findings;
  add_errors(machine, findings);
  add_lost_text(machine, findings);
  // A program that a failure cut short is not told what it had no chance to give back.
  const bool failed = std::any_of(machine.devices.begin(), machine.devices.end(),
                                  [](const Device& one) { return one.fault != cudaSuccess; });
  if (failed || machine.unseen) return findings;
  add_memory(machine, findings);
  add_objects(machine, findings);
  return findings;
}

}  // namespace warpgrade::emulator
