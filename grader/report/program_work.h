// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "observe/trace.h"

namespace warpgrade {

/// What some launches in one case computed and moved, and how long the model of the device says that they took.
struct ProgramWork {
  std::string case_id;
  std::string program;    ///< A baseline's name, or a kernel.
  double flops = 0;       ///< In single and double precision; a multiply-add is two.
  double dram_bytes = 0;  ///< Between device memory and the L2 cache.
  double ms = 0;

  /// Adds a launch; what was not modelled adds nothing.
  void add(const std::map<std::string, double>& metrics, const std::optional<KernelTime>& time);

  /// 0 where nothing was moved, or took any time.
  double flops_per_byte() const { return dram_bytes > 0 ? flops / dram_bytes : 0; }
  double gflop_per_s() const { return ms > 0 ? flops / ms / 1e6 : 0; }
  double gb_per_s() const { return ms > 0 ? dram_bytes / ms / 1e6 : 0; }
  bool operator==(const ProgramWork&) const = default;
};

}  // namespace warpgrade
