// SPDX-License-Identifier: MIT
// attacks: every call of the Runtime API by its number, with parameters of noise
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <chrono>
#include <random>

#include "kit/attack.h"
#include "kit/own_client.h"

/// One connection, until the device ends it.
static void speak(std::minstd_rand& random) {
  static const uint32_t kCalls = 300;
  OwnClient client;
  wire::ChannelMemory* const channel = client.open_channel();
  bool goes_on = channel != nullptr;
  while (goes_on) {
    wire::Writer body;
    body.put(wire::Touch());
    body.put(static_cast<uint32_t>(random() % kCalls));
    const unsigned words = random() % 12;
    for (unsigned i = 0; i < words; ++i) body.put(random() % 3 == 0 ? uint64_t{random()} << 20 : uint64_t{random() % 3});
    for (unsigned i = random() % 8; i > 0; --i) body.put(static_cast<unsigned char>(random() % 2));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(body.bytes().data());
    goes_on = client.say(*channel, 0, {bytes, bytes + body.bytes().size()}, body.bytes().size());
  }
  if (channel != nullptr) munmap(channel, sizeof *channel);
}

static void attack() {
  static std::minstd_rand random(11);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
  while (std::chrono::steady_clock::now() < until) speak(random);
}

#include "kit/attack_first.cu"
