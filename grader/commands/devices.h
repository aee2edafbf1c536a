// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/gpu/gpu.h"

namespace warpgrade {

/// What one assignment asks of the device that grades it.
struct DeviceDemand {
  std::string assignment;
  std::string wanted;  ///< in words; empty: any device
  std::function<bool(int major, int minor)> accepts;
};

/// The machine's GPUs and the devices that can be emulated, each with what it can grade.
std::string devices_text(const GpuMachine& machine, const std::vector<DeviceDemand>& demands);
std::string devices_json(const GpuMachine& machine, const std::vector<DeviceDemand>& demands);

}  // namespace warpgrade
