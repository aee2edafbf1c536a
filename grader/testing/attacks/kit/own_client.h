// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "cudart/wire.h"
#include "cudart/wire.cpp"

namespace wire = warpgrade::cudart;

/// A client of the device that is the program's own, so that it may say what the library never says.
class OwnClient {
 public:
  /// Connects, and sends `first` in place of the greeting.
  explicit OwnClient(wire::Packet first = wire::Packet::hello) {
    const char* const path = std::getenv(wire::kSocketVariable);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path == nullptr ? "" : path, sizeof address.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
    for (int i = 0; i < 1000; ++i) {
      if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) break;
      usleep(1000);
    }
    wire::SocketPacket packet;
    packet.packet = first;
    wire::send_packet(socket_, packet);
    int none = -1;
    if (first == wire::Packet::hello && answers()) wire::receive_packet(socket_, packet, none);
  }

  ~OwnClient() { ::close(socket_); }
  OwnClient(const OwnClient&) = delete;
  OwnClient& operator=(const OwnClient&) = delete;

  /// A new channel; none where the device gives none.
  wire::ChannelMemory* open_channel() {
    wire::SocketPacket packet;
    packet.packet = wire::Packet::open_channel;
    packet.tag = 2 * ++tag_;
    int descriptor = -1;
    if (!wire::send_packet(socket_, packet) || !answers() || !wire::receive_packet(socket_, packet, descriptor))
      return nullptr;
    void* const memory =
        mmap(nullptr, sizeof(wire::ChannelMemory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    return memory == MAP_FAILED ? nullptr : static_cast<wire::ChannelMemory*>(memory);
  }

  /// Says a message with a body that it claims to be of that size. False where the device has ended the connection, or
  /// answers nothing for a moment.
  bool say(wire::ChannelMemory& channel, uint32_t message, const std::vector<unsigned char>& body, uint64_t claimed) {
    channel.message = message;
    channel.bytes = claimed;
    std::memcpy(channel.body, body.data(), body.size() < wire::kMessageBytes ? body.size() : wire::kMessageBytes);
    wire::give_turn(channel, wire::Turn::devices);
    for (int i = 0; i < 20; ++i) {
      if (wire::wait_for_turn(channel, wire::Turn::programs, 3)) return true;
      pollfd ready = {socket_, 0, 0};
      if (poll(&ready, 1, 0) > 0) return false;
    }
    return false;
  }

 private:
  bool answers() const {
    pollfd ready = {socket_, POLLIN, 0};
    return poll(&ready, 1, 1000) > 0;
  }

  int socket_ = -1;
  uint64_t tag_ = 1 << 20;
};
