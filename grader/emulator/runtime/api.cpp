// SPDX-License-Identifier: MIT
#include "emulator/runtime/api.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace warpgrade::emulator {

ApiCall::ApiCall(const char* name)
    : name_(name), machine_(emulator::machine()), thread_(this_thread()), lock_(machine_.mutex) {}

void ApiCall::add(const char* key, Arg arg) { args_.emplace_back(key, std::move(arg)); }

void ApiCall::find(const char* checker, std::string message) {
  Finding finding;
  finding.checker = checker;
  finding.message = std::move(message);
  machine_.report(finding);
}

CUstream_st* ApiCall::stream(cudaStream_t handle) {
  CUstream_st* found = machine_.streams.find(handle, device_index());
  if (found != nullptr) note("stream", found->id);
  return found;
}

cudaError_t ApiCall::finish(cudaError_t result) {
  if (result != cudaSuccess && !keeps_last_error_) thread_.last_error = result;
  if (keeps_last_error_) {
    machine_.unseen.reset();
  } else {
    note_result(machine_, name_, result);
  }
  const cudaError_t came_to = result == cudaSuccess ? abandoned_by_ : result;
  if (recorded_ && machine_.trace.enabled()) {
    Json args = Json::object();
    for (const auto& [key, arg] : args_)
      std::visit([&args, &name = key](const auto& value) { args[name] = value; }, arg);
    for (const auto& [key, texts] : lists_) args[key] = texts;
    machine_.trace.write("api", {{"name", name_},
                                 {"result", static_cast<int>(came_to)},
                                 {"device", device_index()},
                                 {"range", range_of_call(machine_.settings.is_graded())},
                                 {"args", args}});
  }
  return result;
}

}  // namespace warpgrade::emulator
