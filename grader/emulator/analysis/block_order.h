// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// For each instruction of `function`, and for the end behind them, its place in an order of basic blocks in which each
/// block comes behind those that lead to it, and each loop as a whole before what its lanes go on to. Lanes that run in
/// this order meet where machine code brings them together (BSYNC), wherever the compiler has laid a loop's last
/// block. A block by which some lanes leave a loop for where the others come, too, stands before the loop: those lanes go
/// that way at once. Two blocks that may come in either order keep their layout. A function whose loops
/// have several entrances keeps its layout.
std::vector<uint32_t> block_order(const ptx::Function& function);

}  // namespace warpgrade::emulator
