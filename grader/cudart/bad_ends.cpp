// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cudart/client.h"
#include "cudart/host_guard.h"
#include "cudart/lines/source_lines.h"

namespace warpgrade::cudart {
namespace {

void put_place(const SourcePlace& place, SocketPacket& packet) {
  packet.line = place.line;
  const std::string_view file = file_name(place);
  std::copy_n(file.begin(), std::min(file.size(), sizeof packet.file - 1), packet.file);
}

/// The address may be the device's, which knows what lies there. Where a function of the C library crashed, the place is
/// its caller's.
void tell_crash(const Touch& touch) {
  Client* const client = Client::if_connected();
  if (client == nullptr) return;
  SocketPacket packet = {.packet = touch.writes != 0 ? Packet::host_write : Packet::host_read,
                         .tag = touch.address};
  put_place(own_place(own_code(touch.code)), packet);
  client->tell(packet);
}

void on_long_run(int) {
  Client* const client = Client::if_connected();
  const SourcePlace place = calling_place();
  if (client == nullptr || place.line == 0) return;
  SocketPacket packet = {.packet = Packet::host_runs};
  put_place(place, packet);
  client->tell(packet);
}

/// What a graded program printed before it crashed is what its author looks for.
__attribute__((constructor)) void print_line_by_line() {
  if (std::getenv(kSocketVariable) != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

}  // namespace

void tell_device_of_crashes() {
  // Signal handlers cannot read files, nor load what unwinds the stack.
  static_cast<void>(calling_place());
  HostGuard::before_crash(tell_crash);
}

// The timer counts what the program's own code runs, not what it waits. The device keeps the last place of several.
void tell_device_of_long_runs() {
  const char* const wall_ms = std::getenv(kWallVariable);
  const long limit_ms = wall_ms == nullptr ? 0 : std::atol(wall_ms);
  struct sigaction current = {};
  if (limit_ms <= 0 || ::sigaction(SIGVTALRM, nullptr, &current) != 0 ||
      (current.sa_flags & SA_SIGINFO) != 0 || current.sa_handler != SIG_DFL)
    return;
  struct sigaction mine = {};
  mine.sa_handler = on_long_run;
  mine.sa_flags = SA_RESTART;
  ::sigemptyset(&mine.sa_mask);
  const auto time_of = [](long ms) { return timeval{ms / 1000, ms % 1000 * 1000}; };
  const itimerval timer = {time_of(limit_ms / 8), time_of(limit_ms / 2)};
  if (::sigaction(SIGVTALRM, &mine, nullptr) == 0) ::setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace warpgrade::cudart
