// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/command_text.h"

namespace warpgrade {

/// docs/commands.md: all commands with their options and examples, in Markdown.
std::string page_of_commands(const CommandText& program);

}  // namespace warpgrade
