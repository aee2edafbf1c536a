// SPDX-License-Identifier: MIT
#include "run/gpu/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace warpgrade {
namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

/// Sets `function` to the first of `names` that the library has, or to null.
template <class Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
  function = nullptr;
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function>(::dlsym(library, name));
  }
}

void find_all(void* library, Nvml& nvml) {
  find(library, nvml.error_string, {"nvmlErrorString"});
  find(library, nvml.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, nvml.cuda_version,
       {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  find(library, nvml.process_name, {"nvmlSystemGetProcessName"});
  find(library, nvml.device_count, {"nvmlDeviceGetCount_v2"});
  find(library, nvml.device_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  find(library, nvml.device_by_uuid, {"nvmlDeviceGetHandleByUUID"});
  find(library, nvml.minor_number, {"nvmlDeviceGetMinorNumber"});
  find(library, nvml.uuid, {"nvmlDeviceGetUUID"});
  find(library, nvml.name, {"nvmlDeviceGetName"});
  find(library, nvml.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
  find(library, nvml.pci, {"nvmlDeviceGetPciInfo_v3"});
  find(library, nvml.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, nvml.cores, {"nvmlDeviceGetNumGpuCores"});
  find(library, nvml.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find(library, nvml.clock, {"nvmlDeviceGetClockInfo"});
  find(library, nvml.bus_width, {"nvmlDeviceGetMemoryBusWidth"});
  find(library, nvml.compute_mode, {"nvmlDeviceGetComputeMode"});
  find(library, nvml.persistence, {"nvmlDeviceGetPersistenceMode"});
  find(library, nvml.compute_processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library, nvml.graphics_processes,
       {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  find(library, nvml.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, nvml.clock_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, nvml.temperature, {"nvmlDeviceGetTemperature"});
  find(library, nvml.power, {"nvmlDeviceGetPowerUsage"});
}

}  // namespace

Result<Nvml> Nvml::open() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{fmt::format("no NVIDIA driver: {} was not found", kLibrary)};
  Nvml nvml{};
  find_all(library, nvml);
  int (*start)() = nullptr;
  find(library, start, {"nvmlInit_v2"});
  if (start == nullptr || nvml.device_count == nullptr || nvml.device_by_index == nullptr ||
      nvml.device_by_uuid == nullptr || nvml.error_string == nullptr)
    return Error{fmt::format("{} is too old: install a newer NVIDIA driver", kLibrary)};
  if (const int status = start(); status != kNvmlSuccess)
    return Error{fmt::format("the NVIDIA driver does not work: {}", nvml.error_string(status))};
  return nvml;
}

}  // namespace warpgrade
