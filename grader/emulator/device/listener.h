// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade::emulator {

/// What listen_for_programs() returns where a process of it died, where one did so by a mistake in it, and where one was
/// out of processor time.
constexpr int kFailedExit = 98, kCrashedExit = 97, kOutOfTimeExit = 24;

/// Serves the programs that connect to a socket at `path`, each in a process of its own, one run after another. The
/// owner, whom programs cannot reach, connects at `control_path`: see cudart::RunOver. In each run only the first
/// program that was started as one is recorded, and no process that it forks. Returns an exit code once a process
/// failed or the owner is gone; 0 where all went well.
int listen_for_programs(const std::string& path, const std::string& control_path);

/// Greets the program on a connected socket, then serves it. With `first_only`, it is recorded only where nothing is on
/// record yet.
[[noreturn]] void greet_and_serve(int socket, bool first_only);

}  // namespace warpgrade::emulator
