// SPDX-License-Identifier: MIT
// warpgrade-device: the emulated device, a process of its own. Programs reach it through the libcudart of
// cudart/. Its settings are the environment's WARPGRADE_* (runtime/settings.h).
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "emulator/device/listener.h"

namespace {

constexpr int kUsageExit = 2;

/// Leaves the program's other descriptors and its output to it; findings go to its stderr.
void keep_only(int socket) {
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto kept = static_cast<unsigned>(socket);
  if (kept > first) ::close_range(first, kept - 1, 0);
  ::close_range(kept + 1, ~0U, 0);
}

}  // namespace

int main(int count, char** words) {
  // A process of the same user can neither trace it nor look at its memory.
  ::prctl(PR_SET_DUMPABLE, 0);
  // Memory that the program registers may be larger than any file may become: then it cannot be registered.
  ::signal(SIGXFSZ, SIG_IGN);
  const std::string_view option = count > 2 ? words[1] : "";
  if (option == "--listen" && count == 4)
    return warpgrade::emulator::listen_for_programs(words[2], words[3]);
  if (option != "--serve") {
    fmt::print(stderr,
               "usage: warpgrade-device --listen SOCKET CONTROL_SOCKET | --serve DESCRIPTOR\n");
    return kUsageExit;
  }
  const int socket = std::atoi(words[2]);
  // The program that started it waits for this process only, and not for the one that serves it.
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  keep_only(socket);
  warpgrade::emulator::greet_and_serve(socket, false);
}
