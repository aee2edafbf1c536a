// SPDX-License-Identifier: MIT
// attacks: sockets whose families no namespace contains: vsock, netlink, packets, the kernel's crypto
// control: honest
// earns: exactly its control
// must stay: network
// undefended: running reaches it
#include <sys/socket.h>

#include "kit/attack.h"

static void attack() {
  for (const int family : {AF_VSOCK, AF_NETLINK, AF_PACKET, AF_ALG, AF_BLUETOOTH, AF_XDP, AF_INET6})
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
      reach(socket(family, type, 0) >= 0, "a socket of another family");
}

#include "kit/attack_first.cu"
