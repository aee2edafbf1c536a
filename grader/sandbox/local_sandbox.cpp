// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// Every command is one fresh process tree. Its parent is the calling thread, which waits for it:
// PR_SET_PDEATHSIG, and bubblewrap's
// --die-with-parent, fire when that *thread* ends, so a killed grader leaves nothing running.
//
//   bubblewrap   thread ── bwrap ── (new pid, net, ipc, uts, user and mount namespaces) ── prlimit
//   ── command
//                Killing bwrap kills the pid namespace's first process and with it everything
//                inside, daemons too. bwrap reports the exit code on a pipe of its own; no report
//                means that the sandbox could not start, which is a system error.
//   rlimits      thread ── supervisor ── command
//                The supervisor is the subreaper of its tree: whatever outlives the command becomes
//                its child and is killed.
//
// As root the process first becomes user kFirstUser + slot: bwrap run by root is no boundary,
// RLIMIT_NPROC does not hold for root, and two slots must not see, or starve, one another.
//
// ProcessLimits are rlimits, plus what the waiting thread watches: the wall clock, the bytes of
// output read from the two pipes, and, every kWatchMs, the resident memory of the whole tree
// (RLIMIT_DATA counts neither shared mappings nor a second process). RLIMIT_AS is not used: CUDA
// reserves far more address space than it uses.
#include "sandbox/local_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "sandbox/bubblewrap.h"
#include "sandbox/capture.h"
#include "sandbox/child.h"
#include "sandbox/descriptor.h"
#include "sandbox/process_tree.h"
#include "sandbox/system_call_filter.h"

namespace warpgrade {
namespace {

constexpr uid_t kFirstUser = 20000;
constexpr size_t kKeepBytes = size_t{64} << 10;
constexpr int kWatchMs = 20;
constexpr int kDrainMs = 2000;

using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

ProcessOutcome system_error(std::string why) {
  ProcessOutcome outcome;
  outcome.error = std::move(why);
  return outcome;
}

/// The first number behind `key` in /proc/<process>/status, -1 where there is none.
long status_number(const fs::path& process, std::string_view key) {
  std::ifstream status(process / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key, 0) == 0) return std::strtol(line.c_str() + key.size(), nullptr, 10);
  }
  return -1;
}

/// Threads of all processes of a user, those that ended and wait to be reaped too: RLIMIT_NPROC counts them.
rlim_t threads_of(uid_t user) {
  rlim_t count = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    if (status_number(entry.path(), "Uid:") != static_cast<long>(user)) continue;
    count += static_cast<rlim_t>(std::max(status_number(entry.path(), "Threads:"), 1L));
  }
  return count;
}

/// Waits for one running command, within its limits.
class Watch {
 public:
  Watch(const ProcessLimits& limits, pid_t process, int stop_signal, const Pipe& out,
        const Pipe& err)
      : limits_(limits),
        process_(process),
        stop_signal_(stop_signal),
        pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {
    streams_[0].fd = out.read.get();
    streams_[1].fd = err.read.get();
  }

  ProcessOutcome wait() {
    while (!process_ended_ || open_streams()) {
      if (process_ended_ && elapsed_ms(ended_at_) > kDrainMs) break;
      poll_once();
      if (!process_ended_) enforce();
    }
    return reap();
  }

 private:
  struct Stream {
    int fd = -1;
    Capture capture{kKeepBytes};
  };

  static long elapsed_ms(SteadyClock::time_point since) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - since)
        .count();
  }
  bool open_streams() const { return streams_[0].fd >= 0 || streams_[1].fd >= 0; }

  void poll_once() {
    pollfd waits[] = {{streams_[0].fd, POLLIN, 0},
                      {streams_[1].fd, POLLIN, 0},
                      {process_ended_ ? -1 : pidfd_.get(), POLLIN, 0}};
    ::poll(waits, 3, kWatchMs);
    for (int i = 0; i < 2; ++i) {
      if (waits[i].revents != 0) drain(streams_[i]);
    }
    if (waits[2].revents != 0) {
      process_ended_ = true;
      ended_at_ = SteadyClock::now();
    }
  }

  void drain(Stream& stream) {
    char buffer[16384];
    const ssize_t got = ::read(stream.fd, buffer, sizeof buffer);
    if (got > 0) stream.capture.add({buffer, static_cast<size_t>(got)});
    if (got == 0 || (got < 0 && errno != EINTR)) stream.fd = -1;
  }

  void enforce() {
    if (stopped_for_ != Ending::kExited) {
      if (elapsed_ms(stopped_at_) > kDrainMs) ::kill(process_, SIGKILL);
      return;
    }
    const size_t written = streams_[0].capture.total_bytes() + streams_[1].capture.total_bytes();
    if (written > limits_.output_bytes) return stop(Ending::kOutputExceeded);
    if (elapsed_ms(started_) > limits_.wall_ms) return stop(Ending::kTimedOut);
    if (elapsed_ms(measured_at_) < kWatchMs) return;
    measured_at_ = SteadyClock::now();
    peak_bytes_ = std::max(peak_bytes_, tree_memory_bytes(process_));
    if (peak_bytes_ > limits_.memory_bytes) stop(Ending::kMemoryExceeded);
  }

  void stop(Ending why) {
    stopped_for_ = why;
    stopped_at_ = SteadyClock::now();
    ::kill(process_, stop_signal_);
  }

  ProcessOutcome reap() {
    int status = 0;
    rusage usage{};
    ::wait4(process_, &status, 0, &usage);
    ProcessOutcome outcome;
    outcome.ending = stopped_for_;
    outcome.wall_ms = elapsed_ms(started_);
    outcome.max_rss_bytes = std::max(peak_bytes_, static_cast<size_t>(usage.ru_maxrss) * 1024);
    outcome.out = streams_[0].capture.text();
    outcome.err = streams_[1].capture.text();
    return outcome;
  }

  const ProcessLimits& limits_;
  pid_t process_;
  int stop_signal_;
  Descriptor pidfd_;
  Stream streams_[2];
  SteadyClock::time_point started_ = SteadyClock::now(), measured_at_ = started_, stopped_at_,
                          ended_at_;
  bool process_ended_ = false;
  Ending stopped_for_ = Ending::kExited;
  size_t peak_bytes_ = 0;
};

std::string read_rest(int fd) {
  std::string text(4096, '\0');
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  const ssize_t got = ::read(fd, text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

void set_exit(ProcessOutcome& outcome, int code) {
  // bubblewrap and shells report "killed by signal n" as 128 + n.
  const bool signalled = code > 128 && code < 128 + NSIG;
  outcome.ending = signalled ? Ending::kSignalled : Ending::kExited;
  outcome.code = signalled ? code - 128 : code;
  if (!signalled) return;
  if (outcome.code == SIGXCPU || outcome.code == SIGKILL) outcome.ending = Ending::kTimedOut;
  if (outcome.code == SIGXFSZ) outcome.ending = Ending::kOutputExceeded;
  // RLIMIT_DATA makes an allocation fail; a program that does not handle that ends here.
  const bool out_of_memory =
      outcome.code == SIGABRT && outcome.err.find("std::bad_alloc") != std::string::npos;
  if (out_of_memory) outcome.ending = Ending::kMemoryExceeded;
}

int exit_code_of(SandboxBackend backend, const std::string& report) {
  if (backend == SandboxBackend::kBubblewrap) return bubblewrap_exit_code(report);
  int status = 0;
  if (report.size() != sizeof status) return -1;
  std::memcpy(&status, report.data(), sizeof status);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Launch bubblewrap_launch(const Command& command) {
  Launch launch;
  launch.argv = bubblewrap_argv(command, kStatusDescriptor, kFilterDescriptor);
  return launch;
}

/// Who a slot's commands run as.
uid_t user_of(int slot) {
  return ::geteuid() == 0 ? kFirstUser + static_cast<uid_t>(slot) : ::geteuid();
}

Launch plain_launch(const Command& command) {
  Launch launch;
  launch.argv = command.argv;
  for (const auto& [name, value] : command.environment)
    launch.environment.push_back(name + "=" + value);
  launch.folder = command.folder.string();
  return launch;
}

Launch rlimits_launch(const Command& command) {
  Launch launch = plain_launch(command);
  launch.processes =
      threads_of(user_of(command.slot)) + static_cast<rlim_t>(command.limits.processes);
  launch.filter = system_call_filter();
  return launch;
}

Launch launch_for(SandboxBackend backend, const Command& command) {
  if (backend == SandboxBackend::kBubblewrap) return bubblewrap_launch(command);
  return backend == SandboxBackend::kRlimits ? rlimits_launch(command) : plain_launch(command);
}

/// A pipe that holds the system call filter for bubblewrap to read.
Result<Pipe> filter_pipe() {
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe;
  const std::vector<sock_filter> filter = system_call_filter();
  const size_t bytes = filter.size() * sizeof(sock_filter);
  if (::write(pipe->write.get(), filter.data(), bytes) != static_cast<ssize_t>(bytes))
    return Error{"cannot pass the system call filter"};
  pipe->write.reset();
  return pipe;
}

}  // namespace

ProcessOutcome LocalSandbox::run(const Command& command) const {
  const bool wrapped = backend_ == SandboxBackend::kBubblewrap;
  Launch launch = launch_for(backend_, command);
  launch.limits = command.limits;
  if (::geteuid() == 0 && backend_ != SandboxBackend::kNone) launch.user = user_of(command.slot);
  Result<Pipe> out = make_pipe(), err = make_pipe(), status = make_pipe(),
               filter = wrapped ? filter_pipe() : Pipe{};
  for (const Result<Pipe>* pipe : {&out, &err, &status, &filter}) {
    if (!*pipe) return system_error(pipe->error().message);
  }
  launch.out = out->write.get();
  launch.err = err->write.get();
  launch.status = status->write.get();
  launch.filter_pipe = filter->read.get();

  const pid_t process = wrapped ? start_directly(launch) : start_supervised(launch);
  if (process < 0)
    return system_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  for (Result<Pipe>* pipe : {&out, &err, &status}) (*pipe)->write.reset();

  ProcessOutcome outcome =
      Watch(command.limits, process, wrapped ? SIGKILL : SIGTERM, *out, *err).wait();
  if (outcome.ending != Ending::kExited) return outcome;
  const int code = exit_code_of(backend_, read_rest(status->read.get()));
  if (code < 0)
    return system_error(fmt::format("the sandbox ({}) could not start {}: {}", name(),
                                    command.argv[0], outcome.err));
  set_exit(outcome, code);
  return outcome;
}

bool LocalSandbox::hand_over(const fs::path& path, int slot) const {
  if (::geteuid() != 0) return true;
  return ::lchown(path.c_str(), user_of(slot), user_of(slot)) == 0;
}

std::string LocalSandbox::name() const {
  if (backend_ == SandboxBackend::kBubblewrap) return "bubblewrap";
  return backend_ == SandboxBackend::kRlimits ? "rlimits" : "none";
}

LocalSandbox open_sandbox() {
  const LocalSandbox bubblewrap(SandboxBackend::kBubblewrap);
  Command nothing;
  nothing.argv = {"/usr/bin/true"};
  return bubblewrap.run(nothing).succeeded() ? bubblewrap : LocalSandbox(SandboxBackend::kRlimits);
}

}  // namespace warpgrade
