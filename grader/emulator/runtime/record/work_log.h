// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/model/work.h"

namespace warpgrade::emulator {

/// Appends a JSON line to the file, from which the time model's constants are fitted; does nothing
/// where `path` is empty.
void log_work(const std::string& path, const std::string& kernel, const LaunchWork& work);

}  // namespace warpgrade::emulator
