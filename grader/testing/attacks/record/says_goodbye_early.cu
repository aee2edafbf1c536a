// SPDX-License-Identifier: MIT
// attacks: says goodbye on a channel of its own, so that what follows comes after the end of the record
// control: reads_uninitialised
// earns: at most its control
// must stay: neighbours, processes
#include <fcntl.h>

#include "kit/own_client.h"

static void say_goodbye() {
  OwnClient client;
  wire::ChannelMemory* const channel = client.open_channel();
  const std::vector<unsigned char> touch(sizeof(wire::Touch));
  if (channel != nullptr) client.say(*channel, static_cast<uint32_t>(wire::Message::goodbye), touch, touch.size());
}

__attribute__((constructor)) static void come_and_go() { say_goodbye(); }

#include "controls/reads_uninitialised.cu"
