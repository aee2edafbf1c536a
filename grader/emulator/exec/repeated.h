// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// Marks the loads and stores of `function`, decoded as `code`, that find their lanes' addresses in
/// the pattern of an earlier one: the same lanes take them from the same register with nothing
/// between that could change either. They share its memo and need not compare.
void mark_repeated(const ptx::Function& function, const FunctionCode& code, Program& program);

}  // namespace warpgrade::emulator
