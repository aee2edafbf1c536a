// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/command_text.h"

namespace warpgrade {

// What a shell loads to complete commands, options, values that are few, and the names of a course's assignments.
std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

}  // namespace warpgrade
