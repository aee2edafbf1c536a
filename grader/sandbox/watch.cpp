// SPDX-License-Identifier: MIT
#include "sandbox/watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "sandbox/outcome.h"

namespace warpgrade {
namespace {

constexpr size_t kKeepBytes = size_t{64} << 10;
constexpr long kWatchMs = 20;
// A look takes at most one part in so many of the time, but there is one every so often.
constexpr double kLookShare = 50;
constexpr long kMostPauseMs = 200;
constexpr int kDrainMs = 2000;
constexpr int kEndMs = 5000;
// Times the limit that a command may take where others have the processor.
constexpr long kMostPatience = 10;
// A command that waited for the processor for a quarter of the time meets a busy machine.
constexpr long kBusyShare = 4;

}  // namespace

Watch::Watch(const ProcessLimits& limits, const Watched& watched)
    : limits_(limits),
      watched_(watched),
      pause_ms_(kWatchMs),
      streams_{{watched.out, Capture(kKeepBytes)}, {watched.err, Capture(kKeepBytes)}} {
  if (watched_.patience != nullptr)
    before_ = {watched_.patience->ran_ms, watched_.patience->waited_ms};
  if (watched_.group == nullptr) {
    kills_before_ = out_of_memory_kills();
    return;
  }
  group_bytes_before_ = watched_.group->held_bytes();
  group_kills_before_ = watched_.group->kills();
}

ProcessOutcome Watch::wait() {
  while (!over_ || open_streams()) {
    if (over_ && clock_.now_ms() - ended_ms_ > kDrainMs) break;
    poll_once();
    if (!over_) enforce();
  }
  ProcessOutcome outcome;
  // What was written since the last look counts too.
  if (stopped_for_ == Ending::kExited && wrote_too_much()) stopped_for_ = Ending::kOutputExceeded;
  outcome.ending = stopped_for_;
  outcome.wall_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started_).count();
  if (stopped_for_ == Ending::kSystemError)
    return system_error(
        fmt::format("the machine is too busy: in {} s it gave the command a processor for {} ms, "
                    "and the command may take {} ms",
                    outcome.wall_ms / 1000, note_times().ran_ms, limits_.wall_ms));
  outcome.max_rss_bytes = peak_bytes_;
  outcome.disk_was_full = disk_was_full_ || is_full(watched_.writable);
  if (watched_.group == nullptr) {
    outcome.memory_ran_out = out_of_memory_kills() != kills_before_;
  } else {
    const bool was_killed = watched_.group->kills() != group_kills_before_;
    outcome.group_ran_out = was_killed && watched_.group->came_to_limit();
    outcome.memory_ran_out = was_killed && !outcome.group_ran_out;
  }
  outcome.out = streams_[0].capture.text();
  outcome.err = streams_[1].capture.text();
  if (stopped_.gone_within(kEndMs)) return outcome;
  return system_error(
      "a process was killed and does not end: it hangs in the kernel, perhaps in a driver");
}

void Watch::poll_once() {
  pollfd waits[] = {{streams_[0].fd, POLLIN, 0},
                    {streams_[1].fd, POLLIN, 0},
                    {over_ ? -1 : watched_.ended, POLLIN, 0}};
  ::poll(waits, 3, static_cast<int>(kWatchMs));
  for (int i = 0; i < 2; ++i) {
    if (waits[i].revents != 0) drain(streams_[i]);
  }
  if (waits[2].revents != 0) {
    over_ = true;
    ended_ms_ = clock_.now_ms();
  }
}

void Watch::drain(Stream& stream) {
  char buffer[16384];
  const ssize_t got = ::read(stream.fd, buffer, sizeof buffer);
  if (got > 0) stream.capture.add({buffer, static_cast<size_t>(got)});
  if (got == 0 || (got < 0 && errno != EINTR)) stream.fd = -1;
}

void Watch::enforce() {
  if (stopped_for_ != Ending::kExited) {
    if (clock_.now_ms() - stopped_ms_ > kDrainMs) ::kill(watched_.process, SIGKILL);
    return;
  }
  if (const Ending why = breach(); why != Ending::kExited) stop(why);
}

/// The limit that does not hold any more; kExited where all do.
Ending Watch::breach() {
  const size_t printed = streams_[0].capture.total_bytes() + streams_[1].capture.total_bytes();
  if (printed > limits_.output_bytes) return Ending::kOutputExceeded;
  if (clock_.now_ms() > limits_.wall_ms) {
    if (const Ending why = out_of_time(); why != Ending::kExited) return why;
  }
  if (clock_.now_ms() - looked_ms_ < pause_ms_) return Ending::kExited;
  const auto began = SteadyClock::now();
  const Ending found = look();
  const std::chrono::duration<double, std::milli> cost = SteadyClock::now() - began;
  looked_ms_ = clock_.now_ms();
  pause_ms_ = std::clamp(std::lround(kLookShare * cost.count()), kWatchMs, kMostPauseMs);
  return found;
}

/// Looks at what only files of the system show, which takes the processor from the command.
Ending Watch::look() {
  const bool wrote_much = wrote_too_much();
  note_times();
  const size_t bytes = memory_bytes();
  peak_bytes_ = std::max(peak_bytes_, bytes);
  if (bytes > limits_.memory_bytes) return Ending::kMemoryExceeded;
  disk_was_full_ = disk_was_full_ || is_full(watched_.writable);
  return wrote_much ? Ending::kOutputExceeded : Ending::kExited;
}

/// How long the command, and those that it waits for, have had a processor and waited for one.
ProcessorTime Watch::note_times() {
  const long now_ms = clock_.now_ms();
  note_processor_times(watched_.process, now_ms - std::exchange(noted_ms_, now_ms), times_);
  ProcessorTime all;
  for (const auto& [thread, known] : times_) {
    const ProcessorTime time = known.total();
    all.ran_ms += time.ran_ms;
    all.waited_ms += time.waited_ms;
  }
  if (watched_.patience == nullptr) return all;
  const ProcessorTime shared = std::exchange(shared_, all);
  all.ran_ms = (watched_.patience->ran_ms += all.ran_ms - shared.ran_ms) - before_.ran_ms;
  all.waited_ms =
      (watched_.patience->waited_ms += all.waited_ms - shared.waited_ms) - before_.waited_ms;
  return all;
}

/// kTimedOut where the time that passed was the command's own: a busy machine is not its fault. kExited where it may go on.
Ending Watch::out_of_time() {
  const ProcessorTime times = note_times();
  const long elapsed = clock_.now_ms();
  // What processes waited that have ended between two looks is not known, so a part is enough.
  const bool machine_is_busy = kBusyShare * times.waited_ms >= elapsed;
  if (!machine_is_busy) return Ending::kTimedOut;
  if (elapsed <= kMostPatience * limits_.wall_ms) return Ending::kExited;
  return times.ran_ms < limits_.wall_ms ? Ending::kSystemError : Ending::kTimedOut;
}

bool Watch::wrote_too_much() {
  if (watched_.writable.empty()) return false;
  written_bytes_ = bytes_in(watched_.writable, over_ ? 0 : watched_.process);
  return written_bytes_ > limits_.folder_bytes;
}

/// What the command holds. A group knows that at once, and of memory that no process has open too. It counts the files in
/// the writable folders where these lie in memory; they have a limit of their own.
size_t Watch::memory_bytes() const {
  if (watched_.group == nullptr || written_bytes_ == kBeyondMeasure)
    return tree_memory_bytes(watched_.process);
  const size_t held = watched_.group->held_bytes();
  const size_t others =
      group_bytes_before_ + (are_in_memory(watched_.writable) ? written_bytes_ : 0);
  return held - std::min(held, others);
}

void Watch::stop(Ending why) {
  stopped_for_ = why;
  stopped_ms_ = clock_.now_ms();
  stopped_ = TreeHandles(watched_.process);
  ::kill(watched_.is_leader ? -watched_.process : watched_.process, watched_.stop_signal);
}

}  // namespace warpgrade
