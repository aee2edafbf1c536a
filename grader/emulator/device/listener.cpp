// SPDX-License-Identifier: MIT
#include "emulator/device/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "cudart/wire.h"
#include "emulator/device/session.h"
#include "emulator/runtime/machine.h"

namespace warpgrade::emulator {
namespace {

/// How often the device looks whether its owner wants it to end, where nothing wakes it.
constexpr timespec kLookEvery = {0, 50'000'000};
constexpr size_t kMostPrograms = 64;
constexpr std::chrono::seconds kLastWords{5};

int bind_to(const std::string& path) {
  const cudart::SocketAddress address(path);
  const int descriptor = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  // Programs run as another user, and may come as soon as the socket is there.
  const mode_t before = ::umask(0);
  const bool bound = descriptor >= 0 &&
                     ::bind(descriptor, address.get(), cudart::SocketAddress::size()) == 0 &&
                     ::listen(descriptor, SOMAXCONN) == 0;
  ::umask(before);
  return bound ? descriptor : -1;
}

/// The processes that serve programs.
class Programs {
 public:
  /// Forgets those that have ended.
  void reap() {
    int status = 0;
    for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      serving_.erase(child);
      if (WIFSIGNALED(status))
        failure_ = WTERMSIG(status) == SIGXCPU ? kOutOfTimeExit : kFailedExit;
    }
  }

  void serve(int connection, int listening) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(listening);
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      greet_and_serve(connection, true);
    }
    if (child > 0) serving_.insert(child);
  }

  /// Waits a little for what they have left to write; then they end.
  void end() {
    const auto limit = std::chrono::steady_clock::now() + kLastWords;
    while (!serving_.empty() && std::chrono::steady_clock::now() < limit) {
      reap();
      ::usleep(1000);
    }
    for (const pid_t child : serving_) ::kill(child, SIGKILL);
  }

  size_t count() const { return serving_.size(); }
  /// The exit code of the worst end of a process, or 0.
  int failure() const { return failure_; }

 private:
  std::set<pid_t> serving_;
  int failure_ = 0;
};

void ignore(int) {}

constexpr uint64_t kStartedProgram = 1;

/// Makes the record's file. False where another program has, or none is wanted.
bool begin_record() {
  const char* const path = std::getenv("WARPGRADE_TRACE");
  const int file = path == nullptr
                       ? -1
                       : ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) ::close(file);
  return file >= 0;
}

}  // namespace

int listen_for_programs(const std::string& path, const std::string& until) {
  // SIGCHLD comes only while ppoll waits, so no end of a process is missed.
  sigset_t blocked, waiting;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, &waiting);
  struct sigaction action = {};
  action.sa_handler = ignore;
  ::sigaction(SIGCHLD, &action, nullptr);
  const int listening = bind_to(path);
  if (listening < 0) {
    fmt::print(stderr, "warpgrade-device: cannot listen at {}: {}\n", path, std::strerror(errno));
    return kFailedExit;
  }
  Programs programs;
  while (::access(until.c_str(), F_OK) != 0) {
    programs.reap();
    pollfd ready = {listening, POLLIN, 0};
    if (::ppoll(&ready, 1, &kLookEvery, &waiting) <= 0) continue;
    const int connection = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (programs.count() < kMostPrograms) programs.serve(connection, listening);
    ::close(connection);
  }
  ::close(listening);
  ::unlink(path.c_str());
  programs.end();
  return programs.failure();
}

void greet_and_serve(int socket, bool first_only) {
  cudart::SocketPacket packet;
  int descriptor = -1;
  if (!cudart::receive_packet(socket, packet, descriptor)) ::_exit(0);
  if (descriptor >= 0) ::close(descriptor);
  if (packet.tag != kStartedProgram || (first_only && !begin_record()))
    ::unsetenv("WARPGRADE_TRACE");
  const char* const limit = std::getenv("WARPGRADE_TIME_LIMIT");
  const bool has_deadline = limit != nullptr && std::strcmp(limit, "0") != 0;
  if (packet.packet != cudart::Packet::hello ||
      !cudart::send_packet(socket, {.packet = cudart::Packet::welcome, .tag = has_deadline}))
    ::_exit(0);
  serve_program(socket);
}

}  // namespace warpgrade::emulator
