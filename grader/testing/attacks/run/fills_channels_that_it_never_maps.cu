// SPDX-License-Identifier: MIT
// attacks: writes into the device's channels through their descriptors, so that no process has the pages mapped
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#include <fcntl.h>

#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  cudaFree(nullptr);
  static char bytes[sizeof(wire::ChannelMemory)];
  std::memset(bytes, 1, sizeof bytes);
  size_t held = 0;
  for (int file = 3; file < 64; ++file) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) continue;
    for (int k = 0; k < 500; ++k) {
      wire::SocketPacket packet;
      packet.packet = wire::Packet::open_channel;
      packet.tag = 2 * (1 << 20) + 2 * k;
      if (!wire::send_packet(file, packet)) break;
      int descriptor = -1;
      if (!wire::receive_packet(file, packet, descriptor) || descriptor < 0) break;
      const ssize_t wrote = pwrite(descriptor, bytes + 4096, sizeof bytes - 4096, 4096);
      if (wrote > 0) held += wrote;
      close(descriptor);
    }
  }
  reach(held > size_t{1} << 30, "more than a gigabyte of the device's channels");
}

#include "kit/attack_first.cu"
