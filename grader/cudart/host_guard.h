// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cudart/wire.h"

namespace warpgrade::cudart {

/// Sees the host touch memory that it must leave alone for now.
///
/// Theory of operation: the pages are protected while the program runs its own code, and accessible
/// whenever it is in a call. A touch raises SIGSEGV, whose handler notes it, makes all pages
/// accessible again and lets the program go on. A page is guarded only where the work uses all of
/// its bytes, so that a program without a race never meets a guard, in system calls neither.
/// A program with a handler of its own for SIGSEGV is not guarded against.
class HostGuard {
 public:
  /// Calls `tell` in the signal handler, before a fault of the program's own ends it.
  static void before_crash(void (*tell)(const Touch& touch));
  /// Protects these pages of memory that both sides see, and no others; the first kMostGuardedRanges of them.
  static void set(const std::vector<GuardedPages>& pages);
  static void lift();
  /// The same in a child process, whose parent's threads may have been anywhere.
  static void lift_in_child();
  /// The first touch since the last call.
  static Touch take_touch();
};

}  // namespace warpgrade::cudart
