// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade::emulator {

/// What listen_for_programs() returns where a process of it died, and where one was out of processor time.
constexpr int kFailedExit = 98, kOutOfTimeExit = 24;

/// Serves the programs that connect to a socket at `path`, each in a process of its own, until a file appears at
/// `until`; any connection makes it look at once. Only the first program that was started as one is recorded, and no
/// process that it forks. Returns an exit code, 0 where all went well.
int listen_for_programs(const std::string& path, const std::string& until);

/// Greets the program on a connected socket, then serves it. With `first_only`, it is recorded only where nothing is on
/// record yet.
[[noreturn]] void greet_and_serve(int socket, bool first_only);

}  // namespace warpgrade::emulator
