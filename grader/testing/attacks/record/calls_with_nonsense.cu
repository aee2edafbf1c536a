// SPDX-License-Identifier: MIT
// attacks: every call of the Runtime API by its number, with parameters of noise
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <random>

#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  std::minstd_rand random(11);
  OwnClient client;
  static const uint32_t kCalls = 300;
  wire::ChannelMemory* channel = client.open_channel();
  for (uint32_t call = 0; call < kCalls && channel != nullptr; ++call) {
    wire::Writer body;
    body.put(wire::Touch());
    body.put(call);
    for (int i = 0; i < 40; ++i) body.put(random() % 3 == 0 ? uint64_t{random()} : uint64_t{random() % 3});
    const auto* const bytes = reinterpret_cast<const unsigned char*>(body.bytes().data());
    const std::vector<unsigned char> all(bytes, bytes + 4 + random() % (body.bytes().size() - 4));
    if (!OwnClient::say(*channel, 0, all, all.size())) channel = client.open_channel();
  }
}

#include "kit/attack_first.cu"
