// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::emulator {

/// Host memory behind a range of made-up addresses. Its pages cost nothing until they are touched,
/// and it counts for no limit but that of resident memory.
///
/// Theory of operation: a shared mapping is no part of RLIMIT_DATA, and MAP_NORESERVE commits none
/// of it; the pages that exist are the process's resident shared memory, which a sandbox watches.
/// One mapping serves a whole range, so the number of mappings does not grow with the program's
/// allocations. A host that grants no such mapping (RLIMIT_AS) gets one mapping for each block.
class Arena {
 public:
  /// Addresses count from 0 to `bytes`.
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;

  /// Zeros for [begin, begin + bytes); null where the host has no room.
  uint8_t* take(uint64_t begin, size_t bytes) const;
  /// Gives a block back; no byte between `low` and `high` belongs to another one.
  void give_back(uint8_t* block, uint64_t begin, size_t bytes, uint64_t low, uint64_t high) const;

 private:
  size_t bytes_;
  uint8_t* base_;  ///< Null where each block has a mapping of its own.
};

/// Makes bytes of an arena zeros and gives their pages back to the host.
void clear_pages(uint8_t* begin, size_t bytes);
/// Makes bytes of an arena zeros and keeps their pages; makes none.
void clear_touched(uint8_t* begin, size_t bytes);

/// Bytes from `begin` on, `bytes` at most, whose pages were all touched, or all were not. `begin`
/// lies in an arena. A page that was never touched holds zeros; reading it would make it.
struct PageRun {
  size_t bytes;
  bool touched;
};
PageRun page_run(const uint8_t* begin, size_t bytes);

}  // namespace warpgrade::emulator
