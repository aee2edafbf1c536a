// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>

#include <array>
#include <string>

namespace warpgrade::injection {

/// A launch as somebody asked for it.
struct LaunchRequest {
  CUfunction function = nullptr;  ///< Not known of one that the runtime refused.
  std::array<unsigned, 3> grid{}, block{};
  size_t dynamic_shared_bytes = 0;
  CUstream stream = nullptr;
  void** arguments = nullptr;  ///< A pointer to each parameter, or null.
  void** extra = nullptr;      ///< Or all parameters in one buffer.
};

/// Whether the plain name is that of a driver's call that launches one kernel.
bool is_driver_launch(const std::string& name);
LaunchRequest driver_launch(const std::string& name, const void* params);

/// The same for the Runtime API.
bool is_runtime_launch(const std::string& name);
LaunchRequest runtime_launch(const std::string& name, const void* params);

}  // namespace warpgrade::injection
