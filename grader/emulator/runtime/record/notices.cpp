// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.h"
#include "emulator/runtime/record/findings.h"

namespace warpgrade::emulator {
namespace {

using Seconds = std::chrono::duration<double>;

/// A kernel answers between two slices of a block, on a busy machine after a while.
constexpr std::chrono::seconds kPatience{10};
constexpr Seconds kLookEvery{0.1};
constexpr double kMaxNoticeS = 1e9;

/// When to speak: a launch has run for so long, or all of them together have.
class Watch {
 public:
  Watch(Lookout& lookout, Seconds after)
      : lookout_(lookout), after_(after), next_(after), next_of_all_(after) {}

  void look(const RunningLaunch& running) {
    if (launch_ == 0) first_ = running.since;
    if (std::exchange(launch_, running.number) != running.number) next_ = after_;
    const auto now = std::chrono::steady_clock::now();
    const Seconds taken = now - running.since, of_all = now - first_;
    const bool is_long = taken >= next_;
    if (!is_long && of_all < next_of_all_) return;
    if (is_long) next_ = 2 * taken;
    const std::optional<Position> position = lookout_.ask(kPatience);
    if (!position) return;
    next_of_all_ = 2 * of_all;
    const std::string where = in_words(*position);
    if (is_long)
      fmt::print(stderr, "warpgrade: after {:.3g} s {} {}\n", taken.count(), where, kRemedy);
    else
      fmt::print(stderr, "warpgrade: {:.3g} s after the first launch, launch {}: {}\n",
                 of_all.count(), running.number, where);
  }

 private:
  static constexpr const char* kRemedy = "(Ctrl-C ends it; --time-limit S ends it by itself)";

  Lookout& lookout_;
  const Seconds after_;
  Seconds next_, next_of_all_;
  uint64_t launch_ = 0;
  std::chrono::steady_clock::time_point first_;
};

}  // namespace

std::string in_words(const Position& position) {
  const Finding& place = position.place;
  const std::string source =
      place.file.empty() ? "runs" : fmt::format("is at {}:{}", place.file, place.line);
  return printable(fmt::format("kernel {} {}, block {}, thread {}; {} of {} {} begun",
                               demangled(place.kernel), source, text_of(place.block),
                               text_of(place.thread), position.blocks_begun,
                               counted(static_cast<long>(position.blocks), "block"),
                               position.blocks_begun == 1 ? "has" : "have"));
}

void watch_long_launches(Lookout& lookout, double after_s) {
  const Seconds after(std::min(after_s, kMaxNoticeS));
  std::thread([&lookout, after] {
    Watch watch(lookout, after);
    while (true) {
      std::this_thread::sleep_for(std::min(after, kLookEvery));
      if (const std::optional<RunningLaunch> running = lookout.running()) watch.look(*running);
    }
  }).detach();
}

bool tell_where_it_ended(Lookout& lookout) {
  const std::optional<Position> position = lookout.ask(kPatience);
  if (position)
    fmt::print(stderr, "warpgrade: the program ended before its kernel did: {}\n",
               in_words(*position));
  return position.has_value();
}

}  // namespace warpgrade::emulator
