// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/checkers/tell.h"
#include "emulator/memory/device_memory.h"

// Data that a kernel reads through a cache which does not see what the kernel writes: ld.global.nc,
// which __ldg() and const __restrict__ pointers become, wants data that nothing writes from the
// kernel's beginning to its end (PTX ISA 9.7.9, "ld.global.nc"), in whatever order; a texture fetch
// wants data that the kernel has not written before (CUDA C++ Programming Guide, "Read/Write
// Coherency"). No barrier helps. A thread that alone reads a word and writes it afterwards, as in place through a
// const __restrict__ pointer, gets what it wants. A write is remembered by the cell of its word, as long as no
// thread of another block reads the word in an ordinary way; a read by a mark beside the cell.

namespace warpgrade::emulator {

/// The allocation's marks, made when first asked for; null where there is no room for them.
inline uint16_t* constant_marks(const Allocation& allocation) {
  if (uint16_t* const held = __atomic_load_n(&allocation.shadow.constant_in, __ATOMIC_ACQUIRE))
    return held;
  return make_constant_marks(const_cast<Allocation&>(allocation).shadow);
}

/// Reports one lane's access to data that the kernel both writes and reads as constants.
void tell_constant(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                   uint64_t address, unsigned bytes, const Accessor& me, const Cell* cell);

}  // namespace warpgrade::emulator
