// SPDX-License-Identifier: MIT
#include "cudart/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

namespace warpgrade::cudart {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

/// Looks many times at a channel whose turn does not come. Returns the shortest look: other work may have stretched the
/// others.
Microseconds shortest_look() {
  const auto channel = std::make_unique<ChannelMemory>();
  channel->turn = Turn::programs;
  Microseconds shortest = std::chrono::hours(1);
  for (int look = 0; look < 200; ++look) {
    const auto begin = std::chrono::steady_clock::now();
    if (wait_for_turn(*channel, Turn::devices, 0)) std::abort();
    shortest = std::min(shortest, Microseconds(std::chrono::steady_clock::now() - begin));
  }
  return shortest;
}

[[noreturn]] void leave_by(bool is_right) { std::_Exit(is_right ? 0 : 1); }

TEST(WaitForTurn, LooksForAMomentWhereTheCoresAreItsOwn) {
  EXPECT_EXIT((::unsetenv(kSharesCoresVariable), leave_by(shortest_look().count() >= 100)),
              testing::ExitedWithCode(0), "");
}

TEST(WaitForTurn, SleepsAtOnceWhereOthersShareTheCores) {
  EXPECT_EXIT((::setenv(kSharesCoresVariable, "1", 1), leave_by(shortest_look().count() < 100)),
              testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpgrade::cudart
