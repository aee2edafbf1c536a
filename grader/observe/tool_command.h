// SPDX-License-Identifier: MIT
#pragma once

#include "sandbox/sandbox.h"

namespace warpgrade {

/// The folder of a tool of NVIDIA's with all that it reads when it runs: that of its installation.
fs::path tool_folder(const fs::path& tool);

/// Lets `command` run `tool`, which starts the program itself: shows its folder, gives it `scratch` for files of
/// its own, and leaves CUDA's places for tools, which hold one at a time, to it.
void make_room_for_tool(const fs::path& tool, const fs::path& scratch, Command& command);

/// What a tool said at its end: its errors, or else its last lines; empty where it said nothing.
std::string last_said(std::string_view text);

}  // namespace warpgrade
