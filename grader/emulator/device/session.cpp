// SPDX-License-Identifier: MIT
#include "emulator/device/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "cudart/wire.h"
#include "emulator/device/served_thread.h"
#include "emulator/runtime/machine.h"

namespace warpgrade::emulator {
namespace {

/// More threads than that call CUDA in no program that a device should serve.
constexpr int kMostChannels = 4096;
/// How long a kernel may hold the machine when its program is gone.
constexpr std::chrono::milliseconds kLeaveAlone{200};

void open_channel(ProgramLink& link, uint64_t tag) {
  const auto [memory, descriptor] = make_shared_memory(sizeof(cudart::ChannelMemory));
  if (memory == nullptr) return;
  std::thread([&link, channel = static_cast<cudart::ChannelMemory*>(memory)] {
    ServedThread(link, *channel).run();
  }).detach();
  link.send({.packet = cudart::Packet::channel, .tag = tag}, descriptor);
  ::close(descriptor);
}

}  // namespace

void serve_program(int socket) {
  auto& link = *new ProgramLink(socket);
  cudart::SocketPacket packet;
  int descriptor = -1, channels = 0;
  while (cudart::receive_packet(socket, packet, descriptor)) {
    if (descriptor >= 0) ::close(descriptor);
    if (packet.packet != cudart::Packet::open_channel || ++channels > kMostChannels) break;
    open_channel(link, packet.tag);
  }
  // The program has ended, and its record holds each call that it made.
  if (Machine* const machine = made_machine()) {
    if (machine->mutex.try_lock_for(kLeaveAlone)) machine->trace.end();
  }
  ::_exit(0);
}

}  // namespace warpgrade::emulator
