// SPDX-License-Identifier: MIT
// attacks: pipes and sockets in place of its outputs, at which a reader waits
// control: honest
// earns: at most its control
// must stay: neighbours
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "kit/attack.h"

__attribute__((destructor)) static void leave() {
  for (const char* name : {"C.npy", "status.npy"}) {
    unlink(name);
    mkfifo(name, 0666);
  }
  unlink("guards.npy");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, "guards.npy");
  bind(socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address), sizeof address);
}

static void attack() {}

#include "kit/attack_first.cu"
