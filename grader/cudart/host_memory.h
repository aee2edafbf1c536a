// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cudart/wire.h"

// Memory that the program and the device both see: each piece is a memfd of the device's, mapped here at
// the address that the program uses.
namespace warpgrade::cudart {

/// Maps `bytes` of a descriptor at `begin` and closes it. False where something else lies there.
bool expose_memory(uint64_t begin, uint64_t bytes, int descriptor);
void withdraw_memory(uint64_t begin, uint64_t bytes);
/// Moves the program's own whole pages onto a descriptor, as cudaHostRegister needs it, and closes that.
/// The calling thread's stack may be among them.
Adoption adopt_memory(uint64_t begin, uint64_t bytes, int descriptor);
/// In a child process: gives it copies of its own.
void part_from_memory();

}  // namespace warpgrade::cudart
