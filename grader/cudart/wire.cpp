// SPDX-License-Identifier: MIT
#include "cudart/wire.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>

namespace warpgrade::cudart {
namespace {

long futex(std::atomic<Turn>& word, int operation, Turn value, const timespec* limit) {
  return ::syscall(SYS_futex, &word, operation, static_cast<uint32_t>(value), limit, nullptr, 0);
}

union Control {
  cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

}  // namespace

/// Asked once: a program may change its environment while another thread waits.
static bool shares_cores() {
  static const bool shares = std::getenv(kSharesCoresVariable) != nullptr;
  return shares;
}

// An idle core takes some 50 us to wake up, and a call takes 1 us to serve. Where others wait for the cores, looking
// costs them three times what all else in a graded run does, though it yields.
static bool gets_turn_soon(const ChannelMemory& channel, Turn turn) {
  if (shares_cores()) return false;
  constexpr auto kSoon = std::chrono::microseconds(100);
  const auto end = std::chrono::steady_clock::now() + kSoon;
  do {
    if (channel.turn.load(std::memory_order_acquire) == turn) return true;
    ::sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

bool wait_for_turn(ChannelMemory& channel, Turn turn, int limit_ms) {
  if (gets_turn_soon(channel, turn)) return true;
  const timespec limit = {limit_ms / 1000, limit_ms % 1000 * 1000000L};
  while (true) {
    const Turn now = channel.turn.load(std::memory_order_acquire);
    if (now == turn) return true;
    const long woken = futex(channel.turn, FUTEX_WAIT, now, limit_ms < 0 ? nullptr : &limit);
    if (woken != 0 && errno == ETIMEDOUT) return channel.turn.load() == turn;
  }
}

void give_turn(ChannelMemory& channel, Turn turn) {
  channel.turn.store(turn, std::memory_order_release);
  futex(channel.turn, FUTEX_WAKE, Turn{1}, nullptr);
}

SocketAddress::SocketAddress(const std::string& path) {
  address_.sun_family = AF_UNIX;
  std::string shorter = path;
  if (path.size() >= sizeof address_.sun_path) {
    const size_t slash = path.rfind('/');
    folder_ = ::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    shorter = "/proc/self/fd/" + std::to_string(folder_) + path.substr(slash);
  }
  shorter.copy(address_.sun_path, sizeof address_.sun_path - 1);
}

SocketAddress::~SocketAddress() {
  if (folder_ >= 0) ::close(folder_);
}

bool send_packet(int socket, const SocketPacket& packet, int descriptor) {
  SocketPacket copy = packet;
  iovec part = {&copy, sizeof copy};
  Control control = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof copy);
}

namespace {

/// How many bytes came for the packet.
ssize_t receive(int socket, SocketPacket& packet, msghdr& message) {
  iovec part = {&packet, sizeof packet};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  return received;
}

bool is_whole(ssize_t received, const SocketPacket& packet) {
  return received == static_cast<ssize_t>(sizeof packet) && packet.version == kWireVersion;
}

}  // namespace

bool receive_packet(int socket, SocketPacket& packet, int& descriptor) {
  Control control = {};
  msghdr message = {};
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  descriptor = -1;
  const ssize_t received = receive(socket, packet, message);
  const cmsghdr* const header = received > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return is_whole(received, packet);
}

bool receive_packet(int socket, SocketPacket& packet) {
  msghdr message = {};
  return is_whole(receive(socket, packet, message), packet);
}

}  // namespace warpgrade::cudart
