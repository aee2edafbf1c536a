// SPDX-License-Identifier: MIT
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// How the program's libcudart (the client) and the emulated device talk. Both come from one build, so the
// format carries one number, kWireVersion, and no compatibility.
//
// Theory of operation: a unix socket (SOCK_SEQPACKET) connects the two; over it pass only the greeting and
// descriptors. Each thread of the program has a channel: a piece of shared memory that holds one message,
// and a word that says whose turn it is. The client sends a call and waits; the device answers with the
// result, or first asks the program for something (bytes of its memory, a callback), which the client
// answers in the same way. The device takes nothing that a program writes for granted.
namespace warpgrade::cudart {

constexpr uint32_t kWireVersion = 2;
constexpr size_t kMessageBytes = size_t{4} << 20;
constexpr size_t kBulkBytes = size_t{1} << 20;
/// Where memory that both sides see lies, but for registered memory.
constexpr uint64_t kExposedBase = 0x1800'0000'0000, kExposedBytes = uint64_t{1} << 40;
/// The end of all addresses that the device gives out; they begin with those.
constexpr uint64_t kDevicesEnd = 0x3300'0000'0000;
constexpr const char* kSocketVariable = "WARPGRADE_DEVICE";
/// Set where as many programs run as there are cores, or more: neither side looks for its turn before it sleeps.
constexpr const char* kSharesCoresVariable = "WARPGRADE_SHARES_CORES";
/// How long the program may run, in ms, where a grader limits it.
constexpr const char* kWallVariable = "WARPGRADE_WALL_MS";

/// What a message is. The first ones go from the program to the device.
enum class Message : uint32_t {
  call,          ///< a call of the Runtime API: Touch, Sent, id, parameters
  unsupported,   ///< the same for one that the device does not have: Touch, its name
  registration,  ///< of device code, kernels and variables: Registration, its fields
  layout,      ///< a kernel's host address or handle; the result has its parameters' sizes in bytes
  range,       ///< RangeEvent, id, name
  error_seen,  ///< the program has asked what went wrong
  goodbye,     ///< the program ends in order; the result has the exit code that findings ask for
  answer,      ///< to what the device asked
  result,      ///< Trailer, then what the message asks for
  read,        ///< pieces of the program's memory: into the bulk area
  write,       ///< the same from the bulk area
  call_host,   ///< function, data
  call_stream,  ///< function, stream, status, data
  print,        ///< Stream, bytes: from the bulk area
  write_file,  ///< path, text: a file that the program asked for; the answer is 1 where it was written
  expose,      ///< tag, begin, bytes: memory that both sides see, its descriptor is on the socket
  withdraw,  ///< begin, bytes
  adopt,  ///< tag, begin, bytes: the program's own pages move onto that descriptor; the answer is an Adoption
  threads,  ///< the answer is how many threads the program has
  place,  ///< address, or 0 for the call under way; the answer is a file and a line, empty and 0 for unknown ones
  thread_ends,  ///< the channel is used no more
};

/// What became of pages that were to move.
enum class Adoption : uint8_t {
  failed,  ///< for lack of what the machine has
  done,
  no_access,  ///< to some of them, by the program itself
};

enum class Registration : uint32_t {
  image,
  remove_image,
  load_image,
  kernel,
  variable,
  managed,
  texture,  ///< handle of a texture object, address of the texture reference that has it from now on
  extent,   ///< address; the result has the bytes from there to the end of its allocation
};
enum class RangeEvent : uint32_t { make_domain, push, pop, start, end, push_graders, pop_graders };
enum class Output : uint32_t { standard, error };

/// The first touch of guarded memory since the last call, as host_guard.h sees it; address 0: none.
struct Touch {
  uint64_t address = 0;
  uint64_t writes = 0;
  uint64_t code = 0;  ///< the address of the instruction
};

/// Bytes of the program's memory that came with a call, in the bulk area, since it is sure to read them.
struct Sent {
  uint64_t address = 0, bytes = 0;
};

/// Pages of memory that both sides see and that work under way still uses.
struct GuardedPages {
  uint64_t begin = 0, end = 0;
  uint64_t against_reads = 0;  ///< the work writes them; else the host may read them
};
constexpr size_t kMostGuardedRanges = 64;

enum class Turn : uint32_t { programs, devices };

/// One thread's channel. The device makes it and seals its size.
struct ChannelMemory {
  std::atomic<Turn> turn;
  uint32_t message;  ///< a Message
  uint64_t bytes;    ///< of the body
  alignas(64) std::byte body[kMessageBytes];
  alignas(4096) std::byte bulk[kBulkBytes];
};
static_assert(std::atomic<Turn>::is_always_lock_free);

/// What goes over the socket. With `channel` and `memory` comes a descriptor. The tag of `hello` is 1 from the process
/// that was started as the program, and 0 from one that it forked; the tag of `finish` is the exit code with which
/// the device wants the program to end; the tag of `host_read` and `host_write` is the address by which the host's
/// own code did what ends the program now. `host_runs` says at which line the host's own code is after half of the
/// program's time or more.
enum class Packet : uint32_t {
  hello,
  welcome,
  open_channel,
  channel,
  memory,
  finish,
  host_read,
  host_write,
  host_runs
};
struct SocketPacket {
  uint32_t version = kWireVersion;
  Packet packet{};
  uint64_t tag = 0;    ///< tells descriptors apart
  uint32_t line = 0;   ///< of the source, where host code is; 0: unknown
  char file[60] = {};  ///< the beginning of its file's name, with a 0 behind it
};

/// Zeros that have a type, which needs no constructor: unions of the toolkit have none.
template <class T>
union Raw {
  Raw() { std::memset(static_cast<void*>(this), 0, sizeof *this); }
  T value;
};

// A value may be a handle, which is a pointer: its own size is what travels.
// NOLINTBEGIN(bugprone-sizeof-expression)

/// Appends values to a message.
class Writer {
 public:
  void put(const void* bytes, size_t count) {
    const auto* const begin = static_cast<const std::byte*>(bytes);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&value, sizeof value);
  }
  void put_text(std::string_view text) {
    put(uint64_t{text.size()});
    put(text.data(), text.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes values from a message. Past its end it gives zeros, and ok() is false from then on.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  bool take(void* to, size_t count) {
    if (count > left_.size()) {
      ok_ = false;
      std::memset(to, 0, count);
      return false;
    }
    std::memcpy(to, left_.data(), count);
    left_ = left_.subspan(count);
    return true;
  }
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    Raw<T> raw;
    take(&raw.value, sizeof raw.value);
    return raw.value;
  }
  /// Whether `count` elements of that size are left; asks before room is made for them.
  bool has(uint64_t count, size_t element_bytes) {
    if (count <= left_.size() / element_bytes) return true;
    ok_ = false;
    return false;
  }
  std::string take_text() {
    const auto count = take<uint64_t>();
    if (!has(count, 1)) return "";
    std::string text(reinterpret_cast<const char*>(left_.data()), count);
    left_ = left_.subspan(count);
    return text;
  }
  bool ok() const { return ok_; }
  void fail() { ok_ = false; }
  size_t left() const { return left_.size(); }

 private:
  std::span<const std::byte> left_;
  bool ok_ = true;
};

// NOLINTEND(bugprone-sizeof-expression)

/// Waits until it is that side's turn. False after `limit_ms`; below 0: waits for ever.
bool wait_for_turn(ChannelMemory& channel, Turn turn, int limit_ms);
/// Gives the turn to the other side.
void give_turn(ChannelMemory& channel, Turn turn);

/// The address of a socket in the file system. A path too long for one goes through a descriptor of its folder.
class SocketAddress {
 public:
  explicit SocketAddress(const std::string& path);
  ~SocketAddress();
  SocketAddress(const SocketAddress&) = delete;
  SocketAddress& operator=(const SocketAddress&) = delete;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  static constexpr socklen_t size() { return sizeof(sockaddr_un); }

 private:
  sockaddr_un address_{};
  int folder_ = -1;
};

/// Sends a packet, with a descriptor where that is not negative. False where the other side is gone.
bool send_packet(int socket, const SocketPacket& packet, int descriptor = -1);
/// The next packet; its descriptor, or -1. False where the other side is gone or sent no packet.
bool receive_packet(int socket, SocketPacket& packet, int& descriptor);
/// The same from a side that has no descriptors to send: the system closes those that come along.
bool receive_packet(int socket, SocketPacket& packet);

/// What a device's owner sends to the device's control socket when a run is over, and what the device answers when
/// none of its processes serves a program any more. The device ends where the owner closes the connection.
struct RunOver {
  uint64_t max_rss_bytes = 0;  ///< of the largest process that served the run
};

}  // namespace warpgrade::cudart
