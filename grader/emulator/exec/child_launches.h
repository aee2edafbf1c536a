// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/exec/launch.h"

namespace warpgrade::emulator {

/// One side of a copy that a kernel asks for.
struct TransferSide {
  uint64_t address = 0;
  size_t pitch = 0, slice_pitch = 0;
};

/// A copy or a fill of memory that a kernel asks for, in bytes and rows.
struct Transfer {
  TransferSide to, from;
  size_t width = 0, height = 1, depth = 1;
  bool is_fill = false;
  uint8_t value = 0;
};

/// A launch or a transfer that a kernel made. It starts when the kernel has ended.
struct ChildLaunch {
  std::string kernel;  ///< Mangled.
  Dim3 grid, block;
  size_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool is_tail = false;              ///< It starts after all others of its kernel.
  std::optional<Transfer> transfer;  ///< Set: it launches no kernel.
};

/// The launches that the blocks of one worker make. A block stays with its worker, and a worker with its thread.
struct ChildLaunches {
  std::map<uint64_t, ChildLaunch> prepared;            ///< By the address of the parameters.
  std::vector<std::pair<uint64_t, ChildLaunch>> made;  ///< With the block that made it.
  std::map<std::pair<uint64_t, uint32_t>, int32_t> last_errors;  ///< By block and thread in it.
  uint64_t next_handle = 1;  ///< The number of the next stream or event.
  std::map<std::pair<int, bool>, uint64_t>
      texts;  ///< Where texts and names of errors lie, by error and name.
};

/// Those of the calling worker's thread.
ChildLaunches& workers_child_launches();

/// Those that the last launch() on the calling thread made, in the order of blocks.
std::vector<ChildLaunch> take_child_launches();
/// For launch(): what take_child_launches() will give.
void keep_child_launches(std::vector<std::pair<uint64_t, ChildLaunch>> made);

}  // namespace warpgrade::emulator
