// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace warpgrade::emulator {

/// Pages that the program sees under an address of its own and the device somewhere else. All sizes are
/// whole pages.
class HostPages {
 public:
  virtual ~HostPages() = default;

  /// New zeros that the program sees at `begin`: where the device sees them, or null where the host has no
  /// room.
  virtual uint8_t* expose(uint64_t begin, size_t bytes) = 0;
  /// The same for pages that the program has at `begin` already; their bytes stay. An Error where the program itself may not
  /// read all of them.
  virtual Result<uint8_t*> adopt(uint64_t begin, size_t bytes) = 0;
  /// The device sees the pages no more; with `from_program`, the program neither.
  virtual void withdraw(uint64_t begin, uint8_t* at, size_t bytes, bool from_program) = 0;
};

/// For a program that is this process itself: both see the same addresses.
std::unique_ptr<HostPages> pages_of_this_process();

}  // namespace warpgrade::emulator
