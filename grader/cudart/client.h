// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "cudart/wire.h"

namespace warpgrade::cudart {

/// The program's end of the wire. It connects at the first call that needs a device: to the device that
/// WARPGRADE_DEVICE names (a socket's path), or to one that it starts.
class Client {
 public:
  /// The process's client, or null in a child of a process that has used a device: it has none.
  static Client* connected();
  /// The same where there is a connection already.
  static Client* if_connected();

  /// Sends a message on the calling thread's channel, does what the device asks, and gives the result's body.
  Reader exchange(Message message, const Writer& body, const Sent& sent = {});

  /// Sends a packet of its own; a signal handler may.
  void tell(const SocketPacket& packet) { send_packet(socket_, packet); }

  /// The program's threads.
  uint32_t count_threads() const;

  /// A descriptor that the device sends with this tag.
  int take_descriptor(uint64_t tag);

 private:
  explicit Client(int socket) : socket_(socket) {}
  static Client* connect();

  ChannelMemory& channel();
  void wait(ChannelMemory& channel);
  [[noreturn]] void lose_device();
  void end_with_device();

  int socket_;
  uint32_t own_threads_ = 0;
  std::mutex socket_mutex_;
  std::vector<std::pair<uint64_t, int>> early_;  ///< descriptors for other threads
  uint64_t next_tag_ = 1;
};

/// Ends the process where it stands, as the harness ends a program that the machine fails.
constexpr int kMachineFailedExit = 98;

/// From now on the device hears which address the host's own code uses when that ends the program.
void tell_device_of_crashes();
/// From now on the device hears now and then where the host's own code is, once that has run for half of the time that
/// kWallVariable gives it. Does nothing without that, and where the program handles SIGVTALRM itself.
void tell_device_of_long_runs();
/// Sends what the program has registered so far; `client` was connected just now.
void register_all(Client& client);
/// The program has registered code.
bool has_registered();

}  // namespace warpgrade::cudart
