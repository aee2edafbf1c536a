// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace warpgrade {

/// The argument list that runs `command` under bubblewrap, which reports on `status_fd` and reads
/// its system call filter from `filter_fd`.
std::vector<std::string> bubblewrap_argv(const Command& command, int status_fd, int filter_fd);

/// The argument list of a room: `view`'s files, and `supervisor` as its first process.
std::vector<std::string> bubblewrap_room_argv(const Command& view, int filter_fd,
                                              const std::string& supervisor);

/// The exit code in bubblewrap's report (128 + n after signal n); -1 where the command was never
/// started.
int bubblewrap_exit_code(const std::string& report);

}  // namespace warpgrade
