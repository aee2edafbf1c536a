// SPDX-License-Identifier: MIT
#include "emulator/device/listener.h"

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

constexpr int kFinishExit = 42;  ///< Of a process whose connection said that no more programs come.
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
  /// Forgets those that have ended. True where one of them was told to finish.
  bool reap(int how) {
    int status = 0;
    bool finish = false;
    for (pid_t child = 0; (child = ::waitpid(-1, &status, how)) > 0;) {
      serving_.erase(child);
      finish = finish || (WIFEXITED(status) && WEXITSTATUS(status) == kFinishExit);
      if (WIFSIGNALED(status))
        failure_ = WTERMSIG(status) == SIGXCPU ? kOutOfTimeExit : kFailedExit;
    }
    return finish;
  }

  void serve(int connection, int listening) {
    const bool recorded = !std::exchange(came_, true);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(listening);
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      if (!recorded) ::unsetenv("WARPGRADE_TRACE");
      greet_and_serve(connection);
    }
    if (child > 0) serving_.insert(child);
  }

  /// Waits a little for what they have left to write; then they end.
  void end() {
    const auto limit = std::chrono::steady_clock::now() + kLastWords;
    while (!serving_.empty() && std::chrono::steady_clock::now() < limit) {
      reap(WNOHANG);
      ::usleep(1000);
    }
    for (const pid_t child : serving_) ::kill(child, SIGKILL);
  }

  size_t count() const { return serving_.size(); }
  /// The exit code of the worst end of a process, or 0.
  int failure() const { return failure_; }

 private:
  std::set<pid_t> serving_;
  bool came_ = false;
  int failure_ = 0;
};

void ignore(int) {}

}  // namespace

int listen_for_programs(const std::string& path) {
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
  while (!programs.reap(WNOHANG)) {
    pollfd ready = {listening, POLLIN, 0};
    if (::ppoll(&ready, 1, nullptr, &waiting) <= 0) continue;
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

void greet_and_serve(int socket) {
  cudart::SocketPacket packet;
  int descriptor = -1;
  if (!cudart::receive_packet(socket, packet, descriptor)) ::_exit(0);
  if (descriptor >= 0) ::close(descriptor);
  if (packet.packet == cudart::Packet::finish) ::_exit(kFinishExit);
  const char* const limit = std::getenv("WARPGRADE_TIME_LIMIT");
  const bool has_deadline = limit != nullptr && std::strcmp(limit, "0") != 0;
  if (packet.packet != cudart::Packet::hello ||
      !cudart::send_packet(socket, {.packet = cudart::Packet::welcome, .tag = has_deadline}))
    ::_exit(0);
  serve_program(socket);
}

}  // namespace warpgrade::emulator
