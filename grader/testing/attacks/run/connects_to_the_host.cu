// SPDX-License-Identifier: MIT
// attacks: talks to services of the host and of the network
// control: honest
// earns: exactly its control
// must stay: network
// undefended: running reaches it
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "kit/attack.h"

static void attack() {
  const int internet = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in host{};
  host.sin_family = AF_INET;
  host.sin_port = htons(std::atoi("@PORT@"));
  host.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  reach(connect(internet, reinterpret_cast<sockaddr*>(&host), sizeof host) == 0,
        "a port of the host");
  const int local = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un abstract{};
  abstract.sun_family = AF_UNIX;
  std::strcpy(abstract.sun_path + 1, "@MARK@");
  const socklen_t bytes = offsetof(sockaddr_un, sun_path) + 1 + std::strlen("@MARK@");
  reach(connect(local, reinterpret_cast<sockaddr*>(&abstract), bytes) == 0,
        "an abstract socket of the host");
}

#include "kit/attack_first.cu"
