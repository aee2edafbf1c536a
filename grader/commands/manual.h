// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/command_text.h"

namespace warpgrade {

/// warpgrade(1): what all commands are for.
std::string manual_of_program(const CommandText& program);

/// warpgrade-COMMAND(1).
std::string manual_of_command(const CommandText& command);

}  // namespace warpgrade
