// SPDX-License-Identifier: MIT
#include "emulator/runtime/api.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/places.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace warpgrade::emulator {
namespace {

/// Whether another call gives back what this one makes.
bool makes(std::string_view call) {
  constexpr std::string_view kBeginnings[] = {
      "cudaMalloc",        "cudaHostAlloc",   "cudaHostRegister",     "cudaEventCreate",
      "cudaStreamCreate",  "cudaGraphCreate", "cudaGraphInstantiate", "cudaGraphAddMemAllocNode",
      "cudaMemPoolCreate", "cudaCreate"};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view each) { return call.starts_with(each); });
}

}  // namespace

ApiCall::ApiCall(const char* name)
    : record_{name}, machine_(emulator::machine()), thread_(this_thread()), lock_(machine_.mutex) {
  ++machine_.calls;
  for (const Finding& finding :
       machine_.stream_races.lift_guard(range_of_call(machine_.settings.graded)))
    machine_.report(finding);
}

// As seen on an H200 with driver 580.
cudaError_t ApiCall::lacks_device() const {
  if (machine_.no_device == cudaSuccess) return cudaSuccess;
  constexpr std::string_view kWithoutDevice[] = {"cudaGetLastError", "cudaPeekAtLastError",
                                                 "cudaRuntimeGetVersion", "cudaDriverGetVersion"};
  const auto* const end = std::end(kWithoutDevice);
  return std::find(kWithoutDevice, end, record_.name) != end ? cudaSuccess : machine_.no_device;
}

void ApiCall::add(const char* key, CallRecord::Arg arg) {
  record_.args.emplace_back(key, std::move(arg));
}

void ApiCall::note_transfer(const char* direction, size_t bytes, double ms) {
  Transferred& done = record_.transfers[direction];
  ++done.count;
  done.bytes += bytes;
  done.ms += ms;
}

void ApiCall::find(Sentence message) { machine_.report(at_call(finding_of(std::move(message)))); }

CUstream_st* ApiCall::stream(cudaStream_t handle) {
  CUstream_st* found = machine_.streams.find(handle, device_index(), thread_.host_thread);
  if (found == nullptr) return nullptr;
  note("stream", found->recorded_id());
  if (!machine_.waiting_kernels.empty()) machine_.waiting_kernels.finish_before(*this, *found);
  return found;
}

cudaError_t ApiCall::after_kernels(EarlierFault when, cudaError_t result) {
  machine_.waiting_kernels.take_turns(*this);
  const bool waited = result == cudaSuccess && when == EarlierFault::found;
  return waited ? device().fault_for(when) : result;
}

cudaError_t ApiCall::finish(cudaError_t result) {
  // Whoever polls gets cudaErrorNotReady as an answer; it leaves no error behind.
  const bool is_error = result != cudaSuccess && result != cudaErrorNotReady;
  if (is_error && !keeps_last_error_) thread_.last_error = result;
  if (keeps_last_error_) {
    machine_.unseen.reset();
  } else {
    note_result(machine_, name(), result);
  }
  if (result == cudaSuccess && makes(record_.name)) note_maker();
  if (recorded_) write_record(result);
  machine_.stream_races.guard_host_memory(!machine_.waiting_kernels.empty());
  return result;
}

void ApiCall::note_maker() {
  // A leak in a loop is told once, by the first call; asking for the line of each costs time.
  constexpr uint64_t kMost = 1000;
  if (has_host() && ++machine_.makers <= kMost) record_.place = host().place(0);
  for (const auto& [key, arg] : record_.args) {
    const auto* const pointer = std::get_if<uint64_t>(&arg);
    if (key != "ptr" || pointer == nullptr) continue;
    // The memory may have been another call's before.
    machine_.made_at.erase(*pointer);
    if (record_.place.line != 0) machine_.made_at.emplace(*pointer, record_.place);
  }
}

void ApiCall::write_record(cudaError_t result) {
  if (!machine_.trace.enabled()) return;
  const cudaError_t came_to = result == cudaSuccess ? abandoned_by_ : result;
  Json args = Json::object();
  for (const auto& [key, arg] : record_.args)
    std::visit([&args, &name = key](const auto& value) { args[name] = value; }, arg);
  for (const auto& [key, texts] : record_.lists) args[key] = texts;
  Json line = {{"name", record_.name},
               {"result", static_cast<int>(came_to)},
               {"device", device_index()},
               {"range", range_of_call(machine_.settings.graded)},
               {"args", args}};
  if (record_.place.line != 0) {
    line["file"] = record_.place.file;
    line["line"] = record_.place.line;
  }
  for (const auto& [direction, done] : record_.transfers)
    line["transfers"].push_back(
        {{"direction", direction}, {"count", done.count}, {"bytes", done.bytes}, {"ms", done.ms}});
  machine_.trace.write("api", line);
}

}  // namespace warpgrade::emulator
