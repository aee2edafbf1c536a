// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

namespace warpgrade {

using NvmlDevice = struct NvmlDeviceHandle*;

// As libnvidia-ml.so.1 lays them out; what is not read here is only kept in its place.
struct NvmlMemory {
  unsigned long long total, free, used;
};
struct NvmlPci {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

constexpr int kNvmlSuccess = 0;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlClockMemory = 2;
constexpr int kNvmlTemperatureGpu = 0;
constexpr int kNvmlComputeProhibited = 2;
constexpr int kNvmlComputeExclusiveProcess = 3;

/// The calls of NVIDIA's management library that the probe makes. Only open() loads it; a function that an older driver
/// lacks is null.
struct Nvml {
  const char* (*error_string)(int);
  int (*driver_version)(char*, unsigned);
  int (*cuda_version)(int*);
  int (*process_name)(unsigned, char*, unsigned);
  int (*device_count)(unsigned*);
  int (*device_by_index)(unsigned, NvmlDevice*);
  int (*device_by_uuid)(const char*, NvmlDevice*);
  int (*minor_number)(NvmlDevice, unsigned*);
  int (*uuid)(NvmlDevice, char*, unsigned);
  int (*name)(NvmlDevice, char*, unsigned);
  int (*compute_capability)(NvmlDevice, int*, int*);
  int (*pci)(NvmlDevice, NvmlPci*);
  int (*memory)(NvmlDevice, NvmlMemory*);
  int (*cores)(NvmlDevice, unsigned*);
  int (*max_clock)(NvmlDevice, int, unsigned*);
  int (*clock)(NvmlDevice, int, unsigned*);
  int (*bus_width)(NvmlDevice, unsigned*);
  int (*compute_mode)(NvmlDevice, int*);
  int (*persistence)(NvmlDevice, int*);
  int (*compute_processes)(NvmlDevice, unsigned*, NvmlProcess*);
  int (*graphics_processes)(NvmlDevice, unsigned*, NvmlProcess*);
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*);
  int (*clock_reasons)(NvmlDevice, unsigned long long*);
  int (*temperature)(NvmlDevice, int, unsigned*);
  int (*power)(NvmlDevice, unsigned*);

  /// Loads and starts the library; it stays until the process ends.
  static Result<Nvml> open();
};

}  // namespace warpgrade
