// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "observe/injection/recorder.h"

namespace warpgrade::injection {

/// Memory that a program holds and kernels can reach.
struct LiveMemory {
  uint64_t ptr = 0;
  uint64_t pitch = 0;  ///< Bytes from row to row.
  uint64_t width = 0;  ///< Bytes asked for in each row; what follows up to the pitch is padding.
  uint64_t rows = 1;
  bool on_device = false;  ///< In a device's own memory: neither managed nor page-locked.

  uint64_t bytes() const { return pitch * rows; }
};

/// The memory that a program holds now, as its successful calls tell.
class LiveAllocations {
 public:
  /// What the call allocated, if it did.
  std::optional<LiveMemory> note(const std::string& api, const Json& args);
  /// A context is gone, and its device memory with it.
  void forget_device_memory();
  std::optional<LiveMemory> holding(uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, LiveMemory> by_ptr_;
};

}  // namespace warpgrade::injection
