// SPDX-License-Identifier: MIT
// attacks: every message of the device's language, and some that are none, with bodies of noise and sizes that are lies
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <chrono>
#include <random>

#include "kit/attack.h"
#include "kit/own_client.h"

/// One connection, until the device ends it.
static void speak(std::minstd_rand& random) {
  static const unsigned kMessages = 24;
  OwnClient client;
  wire::ChannelMemory* const channel = client.open_channel();
  if (channel == nullptr) return;
  bool goes_on = true;
  for (unsigned round = 0; goes_on && round < 8; ++round) {
    std::vector<unsigned char> body(random() % (round % 3 == 0 ? 64 : 4096));
    for (unsigned char& each : body) each = round % 2 == 0 ? random() & 0xff : random() % 4;
    const uint64_t claims[] = {body.size(), body.size(), body.size(), ~uint64_t{0}, wire::kMessageBytes + 1};
    goes_on = client.say(*channel, random() % kMessages, body, claims[random() % 5]);
  }
  munmap(channel, sizeof *channel);
}

static void attack() {
  static std::minstd_rand random(7);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
  while (std::chrono::steady_clock::now() < until) speak(random);
}

#include "kit/attack_first.cu"
