// SPDX-License-Identifier: MIT
#include "pipeline/probe_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/pipe.h"

namespace warpgrade {
namespace {

constexpr const char* kLongestWatchMs = "600000";
constexpr int kPollMs = 50;
constexpr int kMostWaits = 50;
constexpr int kWaitUs = 10'000;

/// -1 where it cannot be started.
pid_t start(const fs::path& probe, const std::string& gpu_uuid, int in, int out) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string words[] = {probe.string(), "watch", gpu_uuid, kLongestWatchMs};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, argv[0], &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? process : -1;
}

}  // namespace

ProbeWatch::ProbeWatch(const fs::path& probe, const std::string& gpu_uuid) {
  Result<Pipe> in = make_pipe(), out = make_pipe();
  if (!in || !out) return;
  process_ = start(probe, gpu_uuid, in->read.get(), out->write.get());
  if (process_ < 0) return;
  keep_going_ = std::move(in->write);
  lines_ = std::move(out->read);
  out->write.reset();
  reader_ = std::thread([this] { read_all(); });
}

ProbeWatch::~ProbeWatch() {
  if (process_ < 0) return;
  keep_going_.reset();
  ::kill(process_, SIGKILL);
  stopped_ = true;
  reader_.join();
  // One that hangs in the driver is not waited for long.
  for (int i = 0; i < kMostWaits && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i)
    ::usleep(kWaitUs);
}

void ProbeWatch::read_all() {
  char some[4096];
  while (!stopped_) {
    pollfd readable{lines_.get(), POLLIN, 0};
    if (::poll(&readable, 1, kPollMs) == 0) continue;
    const ssize_t got = ::read(lines_.get(), some, sizeof some);
    if (got <= 0) return;
    const std::lock_guard lock(mutex_);
    text_.append(some, static_cast<size_t>(got));
  }
}

std::vector<ClockReading> ProbeWatch::readings() {
  const std::lock_guard lock(mutex_);
  return parse_watch(text_);
}

}  // namespace warpgrade
