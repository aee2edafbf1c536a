// SPDX-License-Identifier: MIT
#include "cudart/client.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "cudart/host_guard.h"
#include "cudart/host_memory.h"
#include "cudart/lines/source_lines.h"
#include "cudart/own_default_stream.h"
#include "cudart/toolkit.h"

namespace warpgrade::cudart {
namespace {

constexpr int kLookEveryMs = 200;
constexpr int kConnectAttempts = 50'000;
constexpr long kBetweenAttemptsNs = 200'000;

struct Process {
  std::mutex mutex;
  Client* client = nullptr;
  bool is_child_without_device = false;
  std::string socket_path;  ///< As it was when the program started.
  pid_t started = 0;        ///< The process that was started.
};

Process& process() {
  static auto& only = *new Process;
  return only;
}

// A channel lives as long as its thread; the main thread's lives to the process's end.
thread_local ChannelMemory* threads_channel = nullptr;

struct ChannelCloser {
  ~ChannelCloser() {
    if (::gettid() == ::getpid() || threads_channel == nullptr) return;
    threads_channel->message = static_cast<uint32_t>(Message::thread_ends);
    give_turn(*threads_channel, Turn::devices);
    ::munmap(threads_channel, sizeof *threads_channel);
    threads_channel = nullptr;
  }
};

void close_with_thread() {
  thread_local const ChannelCloser closer;
  static_cast<void>(closer);
}

void before_fork() { process().mutex.lock(); }
void after_fork() { process().mutex.unlock(); }

/// A program may fork before it uses a device; each child then has one of its own.
void enter_child() {
  Process& all = process();
  if (all.client != nullptr) {
    all.is_child_without_device = true;
    HostGuard::lift_in_child();
    part_from_memory();
  }
  threads_channel = nullptr;
  all.mutex.unlock();
}

__attribute__((constructor)) void prepare() {
  const char* const path = std::getenv(kSocketVariable);
  process().socket_path = path == nullptr ? "" : path;
  process().started = ::getpid();
  ::pthread_atfork(before_fork, after_fork, enter_child);
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "warpgrade: %s\n", why.c_str());
  std::fflush(nullptr);
  ::_exit(kMachineFailedExit);
}

int connect_to(const std::string& path) {
  const SocketAddress address(path);
  const int descriptor = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  for (int i = 0; i < kConnectAttempts; ++i) {
    if (::connect(descriptor, address.get(), SocketAddress::size()) == 0) return descriptor;
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN) break;
    const timespec pause = {0, kBetweenAttemptsNs};
    ::nanosleep(&pause, nullptr);
  }
  fail("the emulated device does not answer at " + path + ": " + std::strerror(errno));
}

/// The device's program lies beside this library, or where the build leaves it.
std::string device_program() {
  Dl_info info = {};
  ::dladdr(reinterpret_cast<const void*>(&device_program), &info);
  const std::string library = info.dli_fname == nullptr ? "" : info.dli_fname;
  const size_t slash = library.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : library.substr(0, slash);
  for (const char* const place : {"/warpgrade-device", "/../emulator/device/warpgrade-device",
                                  "/../../emulator/device/warpgrade-device"}) {
    if (::access((folder + place).c_str(), X_OK) == 0) return folder + place;
  }
  fail("no warpgrade-device lies beside " + library);
}

int start_device() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    fail("no socket can be made for the emulated device");
  const std::string program = device_program();
  const int theirs = ::fcntl(ends[1], F_DUPFD, 3);
  std::string number = std::to_string(theirs);
  std::string name = program, option = "--serve";
  char* arguments[] = {name.data(), option.data(), number.data(), nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ);
  ::close(theirs);
  ::close(ends[1]);
  if (error != 0) fail(program + " cannot be started");
  // It goes into the background at once.
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ends[0];
}

void write_piece(const std::byte* here, void* there, size_t bytes) {
  std::memcpy(there, here, bytes);
}

/// Visits pieces of the program's memory, which lie one behind the other in the bulk area.
template <class Visit>
void for_pieces(Reader& list, ChannelMemory& channel, Visit visit) {
  std::byte* here = channel.bulk;
  for (auto left = list.take<uint32_t>(); left > 0 && list.ok(); --left) {
    const auto address = list.take<uint64_t>();
    const auto bytes = list.take<uint64_t>();
    visit(here, reinterpret_cast<void*>(address), bytes);
    here += bytes;
  }
}

/// Runs what the device asked for, and leaves the answer in the channel.
class Servant {
 public:
  Servant(Client& client, ChannelMemory& channel, Reader& asked)
      : client_(client), channel_(channel), asked_(asked) {}

  /// False for a message that asks nothing.
  bool serve(Message message, Writer& answer) {
    switch (message) {
      case Message::read:
        for_pieces(asked_, channel_, [](std::byte* here, void* there, size_t bytes) {
          std::memcpy(here, there, bytes);
        });
        return true;
      case Message::write:
        for_pieces(asked_, channel_, write_piece);
        return true;
      case Message::print:
        print();
        return true;
      case Message::call_host: {
        const auto function = asked_.take<cudaHostFn_t>();
        const NullStream null_stream(false);
        function(asked_.take<void*>());
        return true;
      }
      case Message::call_stream:
        call_stream();
        return true;
      case Message::write_file:
        answer.put(uint8_t{write_file()});
        return true;
      case Message::threads:
        answer.put(client_.count_threads());
        return true;
      case Message::place: {
        const SourcePlace place = find_place(asked_.take<uint64_t>());
        answer.put_text(file_name(place));
        answer.put(place.line);
        return true;
      }
      case Message::expose: {
        const int descriptor = client_.take_descriptor(asked_.take<uint64_t>());
        const auto [begin, bytes] = place();
        answer.put(uint8_t{expose_memory(begin, bytes, descriptor)});
        return true;
      }
      case Message::adopt: {
        const int descriptor = client_.take_descriptor(asked_.take<uint64_t>());
        const auto [begin, bytes] = place();
        answer.put(adopt_memory(begin, bytes, descriptor));
        return true;
      }
      case Message::withdraw: {
        const auto [begin, bytes] = place();
        withdraw_memory(begin, bytes);
        return true;
      }
      default:
        return false;
    }
  }

 private:
  std::pair<uint64_t, uint64_t> place() {
    const auto begin = asked_.take<uint64_t>();
    return {begin, asked_.take<uint64_t>()};
  }

  static SourcePlace find_place(uint64_t address) {
    if (address == 0) return calling_place();
    return has_lines() ? own_place(address) : SourcePlace{};
  }

  void print() {
    const auto where = asked_.take<Output>();
    const auto bytes = asked_.take<uint64_t>();
    FILE* const file = where == Output::standard ? stdout : stderr;
    std::fwrite(channel_.bulk, 1, bytes, file);
  }

  void call_stream() {
    const auto function = asked_.take<cudaStreamCallback_t>();
    const auto stream = asked_.take<cudaStream_t>();
    const auto status = asked_.take<cudaError_t>();
    const NullStream null_stream(false);
    function(stream, status, asked_.take<void*>());
  }

  bool write_file() {
    const std::string path = asked_.take_text();
    const std::string text = asked_.take_text();
    FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && whole;
  }

  Client& client_;
  ChannelMemory& channel_;
  Reader& asked_;
};

void put_message(ChannelMemory& channel, Message message, std::span<const std::byte> body) {
  if (body.size() > kMessageBytes) fail("a call of the program has more arguments than a message");
  channel.message = static_cast<uint32_t>(message);
  channel.bytes = body.size();
  std::memcpy(channel.body, body.data(), body.size());
}

/// The result's trailer: bytes for the program's memory, and what it must leave alone until the next call.
void take_trailer(Reader& result, ChannelMemory& channel) {
  for_pieces(result, channel, write_piece);
  const auto count = result.take<uint32_t>();
  if (count == 0 || !result.has(count, sizeof(GuardedPages))) return;
  std::vector<GuardedPages> pages(count);
  result.take(pages.data(), count * sizeof(GuardedPages));
  HostGuard::set(pages);
}

}  // namespace

Client* Client::if_connected() {
  Process& all = process();
  return all.is_child_without_device ? nullptr : all.client;
}

Client* Client::connected() {
  Process& all = process();
  if (all.is_child_without_device) return nullptr;
  if (all.client == nullptr) {
    const std::lock_guard lock(all.mutex);
    if (all.client == nullptr) {
      all.client = connect();
      register_all(*all.client);
    }
  }
  return all.client;
}

Client* Client::connect() {
  const std::string& path = process().socket_path;
  const int socket = path.empty() ? start_device() : connect_to(path);
  SocketPacket packet;
  packet.packet = Packet::hello;
  packet.tag = ::getpid() == process().started ? 1 : 0;
  int none = -1;
  if (!send_packet(socket, packet) || !receive_packet(socket, packet, none) ||
      packet.packet != Packet::welcome)
    fail("the emulated device cannot be used");
  auto* const client = new Client(socket);
  if (packet.tag != 0) client->end_with_device();
  tell_device_of_crashes();
  tell_device_of_long_runs();
  return client;
}

void Client::lose_device() {
  while (true) {
    SocketPacket packet;
    int descriptor = -1;
    if (!receive_packet(socket_, packet, descriptor))
      fail("the emulated device has ended before the program");
    if (packet.packet != Packet::finish) continue;
    std::fflush(nullptr);
    ::_exit(static_cast<int>(packet.tag));
  }
}

// A program that hangs in its own code ends when the device's time limit is over.
void Client::end_with_device() {
  ++own_threads_;
  std::thread([this] {
    pollfd socket = {socket_, POLLRDHUP, 0};
    while (::poll(&socket, 1, -1) < 0 && errno == EINTR) {
    }
    lose_device();
  }).detach();
}

uint32_t Client::count_threads() const {
  uint32_t count = 0;
  if (DIR* const tasks = ::opendir("/proc/self/task")) {
    while (const dirent* const task = ::readdir(tasks)) count += task->d_name[0] != '.';
    ::closedir(tasks);
  }
  return count > own_threads_ ? count - own_threads_ : 1;
}

int Client::take_descriptor(uint64_t tag) {
  const std::lock_guard lock(socket_mutex_);
  for (size_t i = 0; i < early_.size(); ++i) {
    if (early_[i].first != tag) continue;
    const int descriptor = early_[i].second;
    early_.erase(early_.begin() + static_cast<long>(i));
    return descriptor;
  }
  while (true) {
    SocketPacket packet;
    int descriptor = -1;
    if (!receive_packet(socket_, packet, descriptor) || descriptor < 0) lose_device();
    if (packet.tag == tag) return descriptor;
    early_.emplace_back(packet.tag, descriptor);
  }
}

ChannelMemory& Client::channel() {
  if (threads_channel != nullptr) return *threads_channel;
  SocketPacket packet;
  packet.packet = Packet::open_channel;
  {
    const std::lock_guard lock(socket_mutex_);
    // Even ones are channels', odd ones the device's own.
    packet.tag = 2 * next_tag_++;
    if (!send_packet(socket_, packet)) lose_device();
  }
  const int descriptor = take_descriptor(packet.tag);
  void* const memory =
      ::mmap(nullptr, sizeof(ChannelMemory), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (memory == MAP_FAILED) fail("no memory is left to talk to the emulated device");
  threads_channel = static_cast<ChannelMemory*>(memory);
  close_with_thread();
  return *threads_channel;
}

void Client::wait(ChannelMemory& channel) {
  while (!wait_for_turn(channel, Turn::programs, kLookEveryMs)) {
    pollfd socket = {socket_, 0, 0};
    if (::poll(&socket, 1, 0) > 0 && (socket.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0)
      lose_device();
  }
}

Reader Client::exchange(Message message, const Writer& body, const Sent& sent) {
  ChannelMemory& mine = channel();
  put_message(mine, message, body.bytes());
  if (sent.bytes != 0)
    std::memcpy(mine.bulk, reinterpret_cast<const void*>(sent.address), sent.bytes);
  while (true) {
    give_turn(mine, Turn::devices);
    wait(mine);
    const auto said = static_cast<Message>(mine.message);
    Reader reader({mine.body, mine.bytes});
    if (said == Message::result) {
      take_trailer(reader, mine);
      return reader;
    }
    // A callback may make calls of its own over this channel.
    const std::vector<std::byte> asked(mine.body, mine.body + mine.bytes);
    Reader asked_reader(asked);
    Writer answer;
    if (!Servant(*this, mine, asked_reader).serve(said, answer)) lose_device();
    put_message(mine, Message::answer, answer.bytes());
  }
}

namespace {

/// Runs after the program's own exit handlers.
__attribute__((destructor)) void say_goodbye() {
  const bool asked_for = !process().socket_path.empty() && has_registered();
  Client* const client = asked_for ? Client::connected() : Client::if_connected();
  if (client == nullptr) return;
  HostGuard::lift();
  Writer body;
  body.put(HostGuard::take_touch());
  Reader result = client->exchange(Message::goodbye, body);
  const auto code = result.take<int32_t>();
  if (code == 0) return;
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

}  // namespace warpgrade::cudart
