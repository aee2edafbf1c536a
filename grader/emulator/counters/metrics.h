// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/counters/access_memo.h"
#include "emulator/exec/program.h"

namespace warpgrade::emulator {

void add(ExecutionCount& total, const ExecutionCount& part);

/// A launch's counters under ncu's names, from how often each instruction ran. Instruction counts
/// are of PTX.
std::map<std::string, double> metrics_of(const Program& program,
                                         const std::vector<ExecutionCount>& counts);

}  // namespace warpgrade::emulator
