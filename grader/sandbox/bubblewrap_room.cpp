// SPDX-License-Identifier: MIT
#include "sandbox/bubblewrap_room.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/bubblewrap.h"
#include "sandbox/child.h"
#include "sandbox/devices.h"
#include "sandbox/outcome.h"
#include "sandbox/pipe.h"
#include "sandbox/room_protocol.h"
#include "sandbox/watch.h"

namespace warpgrade {
namespace {

constexpr int kReadyMs = 10'000;

struct Message {
  RoomRequest head{};
  std::string words;
};

Message message_for(const Command& command) {
  Message message;
  const auto add = [&message](const std::string& word) {
    message.words.append(word.c_str(), word.size() + 1);
  };
  const ProcessLimits& limits = command.limits;
  message.head = {static_cast<uint64_t>(limits.cpu_s),
                  limits.memory_bytes,
                  limits.file_bytes,
                  static_cast<uint64_t>(limits.processes),
                  static_cast<uint32_t>(command.argv.size()),
                  static_cast<uint32_t>(command.environment.size())};
  add(command.folder.string());
  for (const std::string& word : command.argv) add(word);
  for (const auto& [name, value] : command.environment) add(name + "=" + value);
  return message;
}

}  // namespace

ProcessOutcome BubblewrapRoom::run(const Command& command) {
  if (lost_) return each_.run(command);
  if (process_ >= 0 && !is_ready()) close();
  if (process_ < 0) {
    if (Status opened = open(); !opened) return system_error(opened.error().message);
  }
  if (const Status limited = limit_group(group_, command.limits); !limited)
    return system_error(limited.error().message);
  Result<Pipe> out = make_pipe(), err = make_pipe();
  if (!out || !err) return system_error((out ? err : out).error().message);
  if (!send(command, out->write.get(), err->write.get())) {
    close();
    return each_.run(command);
  }
  out->write.reset();
  err->write.reset();
  const Watched watched{.process = process_,
                        .ended = control_.get(),
                        .stop_signal = SIGKILL,
                        .out = out->read.get(),
                        .err = err->read.get(),
                        .writable = view_.writable,
                        .group = group_.get(),
                        .patience = command.patience};
  return finish(command, Watch(command.limits, watched).wait());
}

ProcessOutcome BubblewrapRoom::finish(const Command& command, ProcessOutcome outcome) {
  if (outcome.ending != Ending::kExited) {
    close();
    return outcome;
  }
  RoomReply reply{};
  const ssize_t got = ::recv(control_.get(), &reply, sizeof reply, MSG_DONTWAIT);
  if (got != sizeof reply) {
    // Its doing or the machine's: what it does alone will tell.
    lost_ = true;
    close();
    if (!outcome.group_ran_out) return system_error("the sandbox ended before the command");
    outcome.ending = Ending::kMemoryExceeded;
    return outcome;
  }
  if (reply.error != 0) {
    // An earlier command may have moved away what this one needs.
    lost_ = true;
    close();
    return system_error(fmt::format("the sandbox (bubblewrap) could not start {}: {}",
                                    command.argv[0], std::strerror(reply.error)));
  }
  outcome.max_rss_bytes = std::max(outcome.max_rss_bytes, static_cast<size_t>(reply.max_rss_bytes));
  set_exit(outcome, exit_code_of(reply.wait_status));
  return outcome;
}

/// The supervisor has cleared up after the last command.
bool BubblewrapRoom::is_ready() {
  pollfd wait{control_.get(), POLLIN, 0};
  char word = 0;
  return ::poll(&wait, 1, kReadyMs) == 1 &&
         ::recv(control_.get(), &word, sizeof word, MSG_DONTWAIT) == sizeof word && word == kReady;
}

bool BubblewrapRoom::send(const Command& command, int out, int err) {
  Message text = message_for(command);
  const int descriptors[] = {out, err};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  iovec parts[] = {{&text.head, sizeof text.head}, {text.words.data(), text.words.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
  return text.words.size() <= kLargestRequestBytes &&
         ::sendmsg(control_.get(), &message, MSG_NOSIGNAL) ==
             static_cast<ssize_t>(sizeof text.head + text.words.size());
}

Status BubblewrapRoom::open() {
  if (Status found = find_devices(view_); !found) return found;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{fmt::format("cannot make a socket: {}", std::strerror(errno))};
  control_ = Descriptor(ends[0]);
  Descriptor theirs(ends[1]);
  const Descriptor program(::open(supervisor_.c_str(), O_RDONLY | O_CLOEXEC));
  Result<Pipe> out = make_pipe(), filter = make_filter_pipe(view_.loopback);
  if (!out || !filter) return (out ? filter : out).error();

  Result<GroupLease> group = lease_group(groups_);
  if (!group) return group.error();
  group_ = std::move(*group);
  const Result<std::vector<Descriptor>> doors =
      group_.get() == nullptr ? std::vector<Descriptor>() : group_.get()->doors();
  if (!doors) return doors.error();

  Launch launch;
  for (const Descriptor& door : *doors) launch.doors.push_back(door.get());
  launch.argv = bubblewrap_room_argv(view_, kFilterDescriptor,
                                     fmt::format("/proc/self/fd/{}", kSupervisorDescriptor));
  launch.user = user_;
  launch.out = launch.err = out->write.get();
  launch.filter_pipe = filter->read.get();
  launch.supervisor = program.get();
  launch.control = theirs.get();
  process_ = start_directly(launch);
  if (process_ < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  out->write.reset();
  // Our copy: with it open, a room that ends would not be noticed.
  theirs.reset();
  if (is_ready()) return {};
  const std::string why = read_rest(out->read.get());
  close();
  return Error{fmt::format("the sandbox (bubblewrap) could not be opened: {}", why)};
}

void BubblewrapRoom::close() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
  control_.reset();
  group_.reset();
}

}  // namespace warpgrade
