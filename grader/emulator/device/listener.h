// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade::emulator {

/// What listen_for_programs() returns where a process of it died, and where one was out of processor time.
constexpr int kFailedExit = 98, kOutOfTimeExit = 24;

/// Serves the programs that connect to a socket at `path`, each in a process of its own, until one connection
/// says that no more come. Only the first program is recorded. Returns an exit code, 0 where all went well.
int listen_for_programs(const std::string& path);

/// Greets the program on a connected socket, then serves it.
[[noreturn]] void greet_and_serve(int socket);

}  // namespace warpgrade::emulator
