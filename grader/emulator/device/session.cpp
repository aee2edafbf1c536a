// SPDX-License-Identifier: MIT
#include "emulator/device/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "cudart/wire.h"
#include "emulator/device/served_thread.h"
#include "emulator/memory/address_space.h"
#include "emulator/runtime/machine.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/notices.h"
#include "emulator/runtime/record/places.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Below them are the members and elements of what a null pointer points to.
constexpr uint64_t kNullBytes = 1 << 16;
/// More threads than that call CUDA in no program that a device should serve.
constexpr int kMostChannels = 4096;
/// How long a kernel may hold the machine when its program is gone.
constexpr std::chrono::milliseconds kLeaveAlone{200};
/// How long it may take one that is told to end to say what it has found.
constexpr std::chrono::milliseconds kLastWords{5000};

void open_channel(ProgramLink& link, uint64_t tag) {
  const auto [memory, descriptor] = make_shared_memory(sizeof(cudart::ChannelMemory));
  if (memory == nullptr) return;
  std::thread([&link, channel = static_cast<cudart::ChannelMemory*>(memory)] {
    ServedThread(link, *channel).run();
  }).detach();
  link.send({.packet = cudart::Packet::channel, .tag = tag}, descriptor);
  ::close(descriptor);
}

HostPlace place_of(const cudart::SocketPacket& packet) {
  const std::string_view file(packet.file, ::strnlen(packet.file, sizeof packet.file));
  return HostPlace::from(file, packet.line);
}

Sentence told_of_devices_memory(const DeviceMemory& memory, uint64_t address, bool writes) {
  const Allocation* const allocation = memory.find(address);
  const Sentence where =
      allocation == nullptr
          ? memory.describe(address)
          : say("where.byte",
                {{"offset", address - allocation->begin},
                 {"allocation", say("allocation.made", {{"bytes", allocation->size},
                                                        {"origin", allocation->origin}})}});
  return say("memory.host_access",
             {{"act", say(writes ? "act.writes" : "act.reads")}, {"where", where}});
}

Sentence told_of_no_memory(uint64_t address, bool writes) {
  return say(address < kNullBytes ? "memory.host_null" : "memory.host_nowhere",
             {{"act", say(writes ? "act.writes_to" : "act.reads_from")}});
}

/// The host's own code followed a pointer, which ends the program.
void tell_host_access(const cudart::SocketPacket& packet) {
  const uint64_t address = packet.tag;
  const bool writes = packet.packet == cudart::Packet::host_write;
  const bool is_devices = is_device_address(address);
  Machine* const machine = made_machine();
  if (machine == nullptr) return;
  // A graded program's last call says more than a crash without its line.
  if (!is_devices && packet.line == 0 && machine->settings.graded) return;
  if (!machine->mutex.try_lock_for(kLeaveAlone)) return;
  const std::lock_guard lock(machine->mutex, std::adopt_lock);
  machine->report(
      at_place(finding_of(is_devices ? told_of_devices_memory(machine->memory, address, writes)
                                     : told_of_no_memory(address, writes)),
               place_of(packet)));
}

}  // namespace

void serve_program(int socket) {
  auto& link = *new ProgramLink(socket);
  cudart::SocketPacket packet;
  int channels = 0;
  bool is_crash_told = false;
  cudart::SocketPacket last_place;
  while (cudart::receive_packet(socket, packet)) {
    if (packet.packet == cudart::Packet::host_runs) {
      last_place = packet;
      continue;
    }
    if (packet.packet == cudart::Packet::host_read || packet.packet == cudart::Packet::host_write) {
      if (!std::exchange(is_crash_told, true)) tell_host_access(packet);
      continue;
    }
    if (packet.packet != cudart::Packet::open_channel || ++channels > kMostChannels) break;
    open_channel(link, packet.tag);
  }
  // The program has ended, and its record holds each call that it made.
  if (Machine* const machine = made_machine()) {
    Lookout& lookout = machine->workers.lookout();
    const bool was_running = machine->settings.notice_s > 0 && tell_where_it_ended(lookout);
    // What a kernel that does not end has found is mostly why it does not.
    if (was_running) lookout.dismiss();
    if (machine->mutex.try_lock_for(was_running ? kLastWords : kLeaveAlone)) {
      // What went wrong before is mostly why the host does not end.
      if (!machine->closing && !was_running && !machine->found && last_place.line != 0)
        machine->report(at_place(finding_of(say("time.host", {})), place_of(last_place)));
      if (!machine->closing) machine->print_what_is_left();
      machine->trace.end();
    }
  }
  ::_exit(0);
}

}  // namespace warpgrade::emulator
