// SPDX-License-Identifier: MIT
// attacks: listens for another student's program, and looks for one that listens
// control: honest
// earns: exactly its control
// must stay: neighbours, network
// handed in: twice
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "kit/attack.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path + 1, "@MARK@class");
  const socklen_t bytes = offsetof(sockaddr_un, sun_path) + 1 + std::strlen("@MARK@class");
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  reach(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes) != 0,
        "another program holds the name");
  listen(listener, 8);
  usleep(200000);
}

#include "kit/attack_first.cu"
