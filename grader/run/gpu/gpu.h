// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// A process that uses a GPU; `bytes` of its memory, 0 where the driver does not say.
struct GpuProcess {
  int pid = 0;
  std::string name;
  size_t bytes = 0;
};

/// One GPU as its driver describes it; 0 where the driver does not say.
struct Gpu {
  int index = 0;
  int minor_number = 0;  ///< of its node /dev/nvidia<n>, which need not be `index`
  std::string uuid;
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::string pci_bus_id;
  size_t memory_bytes = 0;
  int sm_count = 0;
  int max_sm_mhz = 0;
  int max_memory_mhz = 0;
  int memory_bus_bits = 0;
  std::string compute_mode;  ///< default, exclusive_process or prohibited
  bool persistence = false;
  std::vector<GpuProcess> processes;
  bool mig = false;

  /// What its memory could move and its cores compute at their highest clocks, by 32-bit floating-point numbers and
  /// without tensor cores. 0 = not known.
  double peak_gb_per_s() const;
  double peak_gflop_per_s() const;
};

/// The GPUs of this machine. `error` says why there are none, or why one of them does not answer.
struct GpuMachine {
  std::string driver;  ///< its version
  std::string cuda;    ///< the newest CUDA that the driver runs
  std::string error;
  std::vector<Gpu> gpus;
  std::vector<fs::path> driver_folders;  ///< where programs find libcuda.so.1
};

/// Reads what gpu-probe prints.
Result<GpuMachine> parse_gpus(std::string_view json);

/// Asks gpu-probe, a program of its own with a deadline: a driver may hang.
GpuMachine find_gpus(const Sandbox& trusted, const fs::path& probe);

}  // namespace warpgrade
