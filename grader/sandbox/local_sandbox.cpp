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
//   room         thread ── bwrap ── room supervisor ── command, one after another
//                See room_supervisor.cpp.
//   rlimits      thread ── supervisor ── command
//                The supervisor is the subreaper of its tree: whatever outlives the command becomes
//                its child and is killed.
//   none         thread ── command
//                One of our own programs. What it starts is of its process group and is killed with it.
//
// As root the process first becomes user kFirstUser + slot: bwrap run by root is no boundary,
// RLIMIT_NPROC does not hold for root, and two slots must not see, or starve, one another.
//
// ProcessLimits are rlimits, plus what the waiting thread watches: the wall clock, the bytes of
// output read from the two pipes, and, every kWatchMs, the memory that the whole tree holds
// (RLIMIT_DATA counts neither shared mappings nor a second process). RLIMIT_AS is not used: CUDA
// reserves far more address space than it uses. Where the machine permits control groups, the kernel
// holds the tree to a bound as a whole: its memory, its files in memory and the sandbox itself; and it
// knows of memory that no process has open.
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
#include "sandbox/bubblewrap_room.h"
#include "sandbox/child.h"
#include "sandbox/devices.h"
#include "sandbox/outcome.h"
#include "sandbox/pipe.h"
#include "sandbox/system_call_filter.h"
#include "sandbox/watch.h"

namespace warpgrade {
namespace {

constexpr uid_t kFirstUser = 20000;
// What the sandbox's own processes take.
constexpr size_t kSandboxBytes = size_t{64} << 20;
constexpr int kSandboxProcesses = 16;

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

/// `status` is what wait() said of the process that was started.
int reported_code(SandboxBackend backend, int status, const std::string& report) {
  if (backend == SandboxBackend::kBubblewrap) return bubblewrap_exit_code(report);
  if (backend == SandboxBackend::kNone) return exit_code_of(status);
  if (report.size() != sizeof status) return -1;
  std::memcpy(&status, report.data(), sizeof status);
  return exit_code_of(status);
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

/// Notes in `outcome` what memory the ended process took, and returns its wait status.
int reap(pid_t process, ProcessOutcome& outcome) {
  rusage usage{};
  int status = 0;
  ::wait4(process, &status, 0, &usage);
  outcome.max_rss_bytes =
      std::max(outcome.max_rss_bytes, static_cast<size_t>(usage.ru_maxrss) * 1024);
  return status;
}

Launch launch_for(SandboxBackend backend, const Command& command) {
  if (backend == SandboxBackend::kBubblewrap) return bubblewrap_launch(command);
  return backend == SandboxBackend::kRlimits ? rlimits_launch(command) : plain_launch(command);
}

}  // namespace

ProcessOutcome LocalSandbox::run(const Command& command) const {
  if (const Status found = find_devices(command); !found)
    return system_error(found.error().message);
  const bool wrapped = backend_ == SandboxBackend::kBubblewrap;
  Launch launch = launch_for(backend_, command);
  launch.limits = command.limits;
  const Result<GroupLease> group =
      lease_group(backend_ == SandboxBackend::kNone ? nullptr : groups_);
  if (!group) return system_error(group.error().message);
  if (const Status limited = limit_group(*group, command.limits); !limited)
    return system_error(limited.error().message);
  const Result<std::vector<Descriptor>> doors =
      group->get() == nullptr ? std::vector<Descriptor>() : group->get()->doors();
  if (!doors) return system_error(doors.error().message);
  for (const Descriptor& door : *doors) launch.doors.push_back(door.get());
  if (::geteuid() == 0 && backend_ != SandboxBackend::kNone) launch.user = user_of(command.slot);
  Result<Pipe> out = make_pipe(), err = make_pipe(), status = make_pipe(),
               filter = wrapped ? make_filter_pipe(command.loopback) : Pipe{};
  for (const Result<Pipe>* pipe : {&out, &err, &status, &filter}) {
    if (!*pipe) return system_error(pipe->error().message);
  }
  launch.out = out->write.get();
  launch.err = err->write.get();
  launch.status = status->write.get();
  launch.filter_pipe = filter->read.get();

  const bool supervised = backend_ == SandboxBackend::kRlimits;
  const pid_t process = supervised ? start_supervised(launch) : start_directly(launch);
  if (process < 0)
    return system_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  for (Result<Pipe>* pipe : {&out, &err, &status}) (*pipe)->write.reset();

  const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  const Watched watched{.process = process,
                        .ended = ended.get(),
                        .stop_signal = supervised ? SIGTERM : SIGKILL,
                        .is_leader = !supervised,
                        .out = out->read.get(),
                        .err = err->read.get(),
                        .writable = command.writable,
                        .group = group->get(),
                        .patience = command.patience};
  ProcessOutcome outcome = Watch(command.limits, watched).wait();
  // What the command left: its group is named after it until it is waited for.
  if (!supervised) ::kill(-process, SIGKILL);
  const int wait_status = reap(process, outcome);
  if (outcome.ending != Ending::kExited) return outcome;
  const int code = reported_code(backend_, wait_status, read_rest(status->read.get()));
  if (code < 0 && outcome.group_ran_out) {
    outcome.ending = Ending::kMemoryExceeded;
    return outcome;
  }
  if (code < 0)
    return system_error(fmt::format("the sandbox ({}) could not start {}: {}", name(),
                                    command.argv[0], outcome.err));
  set_exit(outcome, code);
  return outcome;
}

std::unique_ptr<Room> LocalSandbox::open(const Command& view) const {
  if (backend_ != SandboxBackend::kBubblewrap || ::access(supervisor_.c_str(), R_OK) != 0)
    return Sandbox::open(view);
  const std::optional<uid_t> user =
      ::geteuid() == 0 ? std::optional(user_of(view.slot)) : std::nullopt;
  return std::make_unique<BubblewrapRoom>(view, supervisor_, user, *this, groups_);
}

bool LocalSandbox::hand_over(const fs::path& path, int slot) const {
  if (::geteuid() != 0) return true;
  return ::lchown(path.c_str(), user_of(slot), user_of(slot)) == 0;
}

std::string LocalSandbox::name() const {
  if (backend_ == SandboxBackend::kBubblewrap) return "bubblewrap";
  return backend_ == SandboxBackend::kRlimits ? "rlimits" : "none";
}

Result<LocalSandbox> open_sandbox(const fs::path& supervisor) {
  const LocalSandbox bubblewrap(SandboxBackend::kBubblewrap, supervisor, ControlGroups::find());
  Command nothing;
  nothing.argv = {"/usr/bin/true"};
  const ProcessOutcome outcome = bubblewrap.run(nothing);
  if (outcome.succeeded()) return bubblewrap;
  return Error{outcome.error.empty() ? outcome.err : outcome.error};
}

LocalSandbox open_limits() {
  return LocalSandbox(SandboxBackend::kRlimits, {}, ControlGroups::find());
}

size_t group_limit_bytes(const ProcessLimits& limits) {
  return limits.memory_bytes + limits.folder_bytes + kSandboxBytes;
}

Status limit_group(const GroupLease& group, const ProcessLimits& limits) {
  if (group.get() == nullptr) return {};
  // What an earlier command left in memory, such as a program that it compiled, is not this one's.
  return group.get()->limit(group_limit_bytes(limits) + group.get()->held_bytes(),
                            limits.processes + kSandboxProcesses);
}

}  // namespace warpgrade
