// SPDX-License-Identifier: MIT
#include "emulator/device/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "cudart/wire.h"
#include "emulator/device/session.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/machine.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostPrograms = 64;
constexpr std::chrono::seconds kLastWords{5};
constexpr timespec kLookAgain = {0, 50'000'000};

int bind_to(const std::string& path, mode_t refused) {
  const cudart::SocketAddress address(path);
  const int descriptor = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const mode_t before = ::umask(refused);
  const bool bound = descriptor >= 0 &&
                     ::bind(descriptor, address.get(), cudart::SocketAddress::size()) == 0 &&
                     ::listen(descriptor, SOMAXCONN) == 0;
  ::umask(before);
  if (bound) return descriptor;
  fmt::print(stderr, "warpgrade-device: cannot listen at {}: {}\n", path, std::strerror(errno));
  return -1;
}

/// What the end of a process by this signal means. The machine kills where it lacks memory, and sends SIGBUS where it lacks room.
int exit_code_for(int signal) {
  if (signal == SIGXCPU) return kOutOfTimeExit;
  return signal == SIGSEGV || signal == SIGABRT || signal == SIGFPE ? kCrashedExit : kFailedExit;
}

/// The processes that serve the programs of a run.
class Programs {
 public:
  /// Forgets those that have ended.
  void reap() {
    int status = 0;
    rusage usage{};
    for (pid_t child = 0; (child = ::wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      serving_.erase(child);
      over_.max_rss_bytes =
          std::max(over_.max_rss_bytes, static_cast<uint64_t>(usage.ru_maxrss) * 1024);
      if (WIFSIGNALED(status)) failure_ = exit_code_for(WTERMSIG(status));
    }
  }

  void serve(int connection, std::initializer_list<int> others) {
    if (serving_.size() == kMostPrograms) return;
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int other : others) ::close(other);
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      greet_and_serve(connection, true);
    }
    if (child > 0) serving_.insert(child);
  }

  /// Waits a little for what they have left to write; then they end. SIGCHLD is blocked.
  cudart::RunOver end() {
    sigset_t child_ended;
    ::sigemptyset(&child_ended);
    ::sigaddset(&child_ended, SIGCHLD);
    const auto limit = std::chrono::steady_clock::now() + kLastWords;
    for (reap(); !serving_.empty() && std::chrono::steady_clock::now() < limit; reap())
      ::sigtimedwait(&child_ended, nullptr, &kLookAgain);
    for (const pid_t child : serving_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    serving_.clear();
    return std::exchange(over_, {});
  }

  /// The exit code of the worst end of a process, or 0.
  int failure() const { return failure_; }

 private:
  std::set<pid_t> serving_;
  cudart::RunOver over_;
  int failure_ = 0;
};

void ignore(int) {}

constexpr uint64_t kStartedProgram = 1;
constexpr int kTookTooMuchExit = 98;

bool lacks_room(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again ||
           error.code() == std::errc::not_enough_memory;
  } catch (...) {
    return false;
  }
  return false;
}

/// A program that takes all the threads and memory that the device may have ends; any other exception is a fault of ours.
[[noreturn]] void end_for_lack_of_room() {
  if (!lacks_room(std::current_exception())) std::abort();
  fmt::print(stderr, "warpgrade: the program takes more threads or memory than the device has\n");
  end_program(kTookTooMuchExit);
}

/// Makes the record's file. False where another program has, or none is wanted.
bool begin_record() {
  const char* const path = std::getenv("WARPGRADE_TRACE");
  const int file = path == nullptr
                       ? -1
                       : ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) ::close(file);
  return file >= 0;
}

/// What the owner wants. False where the device is to end.
bool end_run(Programs& programs, int owner, int listening) {
  cudart::RunOver over;
  if (::recv(owner, &over, sizeof over, 0) != sizeof over) return false;
  over = programs.end();
  // Programs of the run that is over may have connected and left before anyone looked.
  for (int late = 0; (late = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
    ::close(late);
  return programs.failure() == 0 && ::send(owner, &over, sizeof over, MSG_NOSIGNAL) == sizeof over;
}

}  // namespace

int listen_for_programs(const std::string& path, const std::string& control_path) {
  // SIGCHLD comes only while ppoll waits, so no end of a process is missed.
  sigset_t blocked, waiting;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &blocked, &waiting);
  struct sigaction action = {};
  action.sa_handler = ignore;
  ::sigaction(SIGCHLD, &action, nullptr);
  const int control = bind_to(control_path, S_IRWXG | S_IRWXO);
  // Programs run as another user, and may come as soon as the socket is there.
  const int listening = control < 0 ? -1 : bind_to(path, 0);
  if (listening < 0) return kFailedExit;
  Programs programs;
  for (int owner = -1;;) {
    programs.reap();
    pollfd ready[] = {{listening, POLLIN, 0}, {owner < 0 ? control : owner, POLLIN, 0}};
    if (::ppoll(ready, 2, nullptr, &waiting) <= 0) continue;
    if (ready[1].revents != 0 && owner < 0) {
      owner = ::accept4(control, nullptr, nullptr, SOCK_CLOEXEC);
    } else if (ready[1].revents != 0 && !end_run(programs, owner, listening)) {
      break;
    } else if (const int connection = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
               connection >= 0) {
      programs.serve(connection, {listening, control, owner});
      ::close(connection);
    }
  }
  programs.end();
  return programs.failure();
}

void greet_and_serve(int socket, bool first_only) {
  std::set_terminate(end_for_lack_of_room);
  cudart::SocketPacket packet;
  if (!cudart::receive_packet(socket, packet)) ::_exit(0);
  if (packet.tag != kStartedProgram || (first_only && !begin_record())) {
    ::unsetenv("WARPGRADE_TRACE");
    // What the device holds in place of inputs must not be learned where it is not recorded.
    ::unsetenv("WARPGRADE_SWAPPED_INPUTS");
    ::unsetenv("WARPGRADE_WITHHELD");
  }
  const char* const limit = std::getenv("WARPGRADE_TIME_LIMIT");
  const bool has_deadline = limit != nullptr && std::strcmp(limit, "0") != 0;
  if (packet.packet != cudart::Packet::hello ||
      !cudart::send_packet(socket, {.packet = cudart::Packet::welcome, .tag = has_deadline}))
    ::_exit(0);
  serve_program(socket);
}

}  // namespace warpgrade::emulator
