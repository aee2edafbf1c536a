// SPDX-License-Identifier: MIT
// attacks: every message of the device's language, and some that are none, with bodies of noise and sizes that are lies
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <random>

#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  std::minstd_rand random(7);
  OwnClient client;
  static const unsigned kMessages = 24, kRounds = 12;
  for (unsigned message = 0; message < kMessages; ++message) {
    wire::ChannelMemory* const channel = client.open_channel();
    if (channel == nullptr) continue;
    for (unsigned round = 0; round < kRounds; ++round) {
      std::vector<unsigned char> body(random() % (round % 3 == 0 ? 64 : 4096));
      for (unsigned char& each : body) each = round % 2 == 0 ? random() & 0xff : random() % 4;
      const uint64_t lies[] = {body.size(), ~uint64_t{0}, wire::kMessageBytes + 1, uint64_t{1} << 32};
      if (!OwnClient::say(*channel, message, body, round < 9 ? body.size() : lies[round % 4])) break;
    }
  }
}

#include "kit/attack_first.cu"
