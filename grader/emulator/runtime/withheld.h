// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// What one range's kernels have to do without in this run: WARPGRADE_WITHHELD, "shared_memory:range" and the like. What they
/// compute then shows whether it depended on that.
struct Withheld {
  std::string what, range;

  /// True of `what` for launches in the range.
  bool is(const std::string& wanted, const std::string& launched_in) const {
    return what == wanted && range == launched_in;
  }
};
const Withheld& withheld();

/// A module's __constant__ variables, which hold zeros from the launch to its end.
class WithheldConstants {
 public:
  WithheldConstants(const LoadedModule& module, DeviceMemory& memory);
  /// Brings them back.
  void restore(DeviceMemory& memory);

 private:
  struct Kept {
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
  };
  std::vector<Kept> kept_;
};

}  // namespace warpgrade::emulator
