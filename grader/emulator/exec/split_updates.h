// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// A write of what its thread has made of reads of its own, which another thread may come between.
struct SplitUpdate {
  std::vector<uint32_t> reads;  ///< the reads, sorted
  bool any = false;  ///< or any other of the thread's: where some of it comes from is not known
  /// A second thread's change does more, as an addition: where both leave the same, one is lost. A bit that both set is not.
  bool counts = false;
  /// It adds to what is there, which loses nothing unless the thread has put something else there since the read.
  bool adds = false;
  std::string_view opcode = {};  ///< of the instruction that makes the new value, where one does
};

struct SplitUpdates {
  std::map<size_t, SplitUpdate> writes;  ///< by index in the body
  std::vector<size_t>
      turns;  ///< reads that a loop repeats until they find one value: whose turn it is
};

/// A write is a store, an exchange, a compare-and-swap whose result the program does not check, or another atomic but inc and
/// dec. A read is a load or an atomic that returns what it finds. Where the program compares that with one value, or tests a bit
/// of it, before the write, the value says whose turn it is: such a read is left out.
SplitUpdates split_updates(const ptx::Function& function);

}  // namespace warpgrade::emulator
