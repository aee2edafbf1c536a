// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::speed {

/// What the device did between two calls of take().
struct DeviceWork {
  double kernel_ms = 0.0;  ///< length of the union of kernels and copies within the device
  double memset_ms = 0.0;
  std::vector<std::string> kernels;  ///< their names, each once
};

/// Times of all kernels of this process as CUPTI's activity records tell them. One at a time.
class KernelClock {
 public:
  /// Starts CUPTI, before anything else uses the device.
  KernelClock();

  /// Empty, or why there are no records.
  const std::string& error() const { return error_; }

  /// Waits for the device.
  DeviceWork take();

 private:
  std::string error_;
};

}  // namespace warpgrade::speed
