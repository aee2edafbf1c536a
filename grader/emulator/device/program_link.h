// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "cudart/wire.h"

namespace warpgrade::emulator {

/// The socket to a program, over which descriptors go to it.
class ProgramLink {
 public:
  explicit ProgramLink(int socket) : socket_(socket) { only() = this; }

  /// The link of this process, or null.
  static ProgramLink*& only();

  void send(const cudart::SocketPacket& packet, int descriptor);
  /// Sends the descriptor of memory; the program finds it by the tag.
  uint64_t send_memory(int descriptor);

 private:
  const int socket_;
  std::mutex mutex_;
  uint64_t next_tag_ = 1;  ///< Odd; even ones are the program's.
};

/// Memory of that size whose size the program cannot change: where it lies here, and its descriptor. Null
/// and -1 where there is no room.
std::pair<void*, int> make_shared_memory(size_t bytes);

}  // namespace warpgrade::emulator
