// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/notices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/text.h"
#include "emulator/runtime/record/findings.h"

namespace warpgrade::emulator {
namespace {

using Seconds = std::chrono::duration<double>;

/// A kernel answers between two slices of a block, on a busy machine after a while.
constexpr std::chrono::seconds kPatience{10};
constexpr Seconds kLookEvery{0.1};
constexpr double kMaxNoticeS = 1e9;

void watch(Lookout& lookout, Seconds after) {
  uint64_t launch = 0;
  Seconds next = after;
  while (true) {
    std::this_thread::sleep_for(std::min(after, kLookEvery));
    const std::optional<RunningLaunch> running = lookout.running();
    if (!running) continue;
    if (running->number != launch) next = after;
    launch = running->number;
    const Seconds taken = std::chrono::steady_clock::now() - running->since;
    if (taken < next) continue;
    next = 2 * taken;
    if (const std::optional<Position> position = lookout.ask(kPatience))
      fmt::print(
          stderr,
          "warpgrade: after {:.3g} s {} (Ctrl-C ends it; --time-limit S ends it by itself)\n",
          taken.count(), in_words(*position));
  }
}

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
  std::thread([&lookout, after] { watch(lookout, after); }).detach();
}

void tell_where_it_ended(Lookout& lookout) {
  if (const std::optional<Position> position = lookout.ask(kPatience))
    fmt::print(stderr, "warpgrade: the program ended before its kernel did: {}\n",
               in_words(*position));
}

}  // namespace warpgrade::emulator
