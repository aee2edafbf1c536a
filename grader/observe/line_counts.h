// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade {

/// Accesses of one kind to one memory: transfers are sectors of global memory, or turns of the banks of shared memory.
struct AccessCounts {
  uint64_t requests = 0;   ///< Counts requests of warps.
  uint64_t transfers = 0;  ///< That these took.
  uint64_t fewest = 0;     ///< That would do for the same bytes.

  void add(const AccessCounts& more);
  /// Transfers as a multiple of the fewest; 1 where there are none.
  double excess() const;
  bool operator==(const AccessCounts&) const = default;
};

/// What warps did on one line of the source.
struct LineCounts {
  std::string file;  ///< Its base name.
  int line = 0;
  uint64_t warps = 0;    ///< Instructions, counted once for each warp,
  uint64_t threads = 0;  ///< and once for each thread that took part.
  AccessCounts global_loads = {}, global_stores = {}, shared_loads = {}, shared_stores = {};
  uint64_t branches = 0, divergent = 0;
  double ms = 0;  ///< Its part of its kernel's modelled time; 0 = not known.

  /// Adds all but the place.
  void add(const LineCounts& more);
  bool operator==(const LineCounts&) const = default;
};

}  // namespace warpgrade
