// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "run/runner.h"

namespace warpgrade {

/// Why a run that ended badly says nothing about its program: the disk below `folder` had no room
/// left, in which the program itself had no part, since a run that writes too much is stopped for
/// that. Empty where there was room, or the run ended well and its files are whole.
std::string disk_trouble(const RunResult& run, const fs::path& folder);

/// The same of a program that the loader could not start, or to which a library of ours had no
/// function that it called. Asks the loader in `room`, with the view and environment of `command`.
std::string loader_trouble(const ProcessOutcome& ended, Command command, Room& room);

}  // namespace warpgrade
