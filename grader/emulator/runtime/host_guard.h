// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpgrade::emulator {

/// Whole pages of host memory that work under way still uses.
struct GuardedPages {
  uint64_t begin = 0, end = 0;
  bool against_reads = false;  ///< the work writes them; else the host may read them
};

struct HostTouch {
  uint64_t address = 0;
  bool writes = false;
};

/// Sees the host touch memory that it must leave alone for now.
///
/// Theory of operation: the pages are protected while the program runs its own code, and accessible
/// whenever the emulator does. A touch raises SIGSEGV, whose handler notes it, makes all pages
/// accessible again and lets the program go on. A page is guarded only where the work uses all of
/// its bytes, so that a program without a race never meets a guard, in system calls neither.
/// A program with a handler of its own for SIGSEGV is not guarded against.
class HostGuard {
 public:
  /// Protects these pages, which must lie in memory of DeviceMemory::allocate_host(); the first
  /// kMostRanges of them. Call lift() before.
  static void set(const std::vector<GuardedPages>& pages);
  static void lift();
  /// The first touch since the last call.
  static std::optional<HostTouch> take_touch();

  static constexpr size_t kMostRanges = 64;
};

}  // namespace warpgrade::emulator
