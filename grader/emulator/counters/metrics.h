// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/counters/access_memo.h"
#include "emulator/exec/program.h"

namespace warpgrade::emulator {

void add(ExecutionCount& total, const ExecutionCount& part);
void add(RareCount& total, const RareCount& part);

/// What each instruction of a program did in one launch.
struct Counts {
  const Program& program;
  const std::vector<ExecutionCount>& of;
  const std::vector<RareCount>& rare;
};

/// A launch's counters under ncu's names. What counts PTX instructions, which are not those that a
/// GPU executes, is called ptx__... instead.
std::map<std::string, double> metrics_of(const Counts& counts);

/// The same for each line of the source that ran.
std::vector<LineMetrics> lines_of(const LoadedModule& module, const Counts& counts);

/// Gives each of these lines its part of `ms`, where `shares` are those of the program's instructions.
void add_times(const LoadedModule& module, const std::vector<double>& shares, double ms,
               std::vector<LineMetrics>& lines);

}  // namespace warpgrade::emulator
