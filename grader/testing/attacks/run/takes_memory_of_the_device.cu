// SPDX-License-Identifier: MIT
// attacks: channels without number, all of whose memory it touches in the device's name
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  OwnClient client;
  size_t held = 0;
  for (int i = 0; i < 400; ++i) {
    wire::ChannelMemory* const channel = client.open_channel();
    if (channel == nullptr) break;
    std::memset(channel->body, 1, sizeof channel->body);
    std::memset(channel->bulk, 1, sizeof channel->bulk);
    held += sizeof *channel;
    munmap(channel, sizeof *channel);
  }
  reach(held > size_t{1} << 30, "more than a gigabyte of the device's memory");
}

#include "kit/attack_first.cu"
