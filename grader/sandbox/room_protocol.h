// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace warpgrade {

// What a room and its supervisor say to one another, over one SOCK_SEQPACKET socket:
//   supervisor  kReady                                   nothing of an earlier command is left
//   room        RoomRequest, words; two descriptors      a command, and where its output goes
//   supervisor  RoomReply                                it has ended, and all of its processes

constexpr int kSupervisorDescriptor = 5;  ///< the supervisor's own program
constexpr int kControlDescriptor = 6;     ///< its end of the socket
constexpr char kReady = 'R';
constexpr uint32_t kLargestRequestBytes = 64 << 10;

/// Followed by the folder, the arguments and the environment (NAME=value), each ended by a NUL.
struct RoomRequest {
  uint64_t cpu_s, memory_bytes, file_bytes, processes;
  uint32_t arguments, variables;
};

struct RoomReply {
  int32_t error;        ///< errno of a command that could not be started, or 0
  int32_t wait_status;  ///< as waitpid gives it
  int64_t max_rss_bytes;
};

}  // namespace warpgrade
