// SPDX-License-Identifier: MIT
#include "emulator/exec/lookout.h"

#include <gtest/gtest.h>

#include <thread>

namespace warpgrade::emulator {
namespace {

constexpr std::chrono::milliseconds kLong{20'000}, kShort{5};

Position in_line(int line) {
  Position position;
  position.place.line = line;
  return position;
}

TEST(Lookout, HandsAWorkersAnswerToWhoeverAsks) {
  Lookout lookout;
  lookout.begin();
  std::thread worker([&] {
    while (!lookout.is_asked()) std::this_thread::yield();
    lookout.answer(in_line(7));
  });
  const std::optional<Position> position = lookout.ask(kLong);
  worker.join();
  ASSERT_TRUE(position);
  EXPECT_EQ(position->place.line, 7);
  EXPECT_FALSE(lookout.is_asked());
}

TEST(Lookout, AnswersTwoWhoAskAtOnce) {
  Lookout lookout;
  lookout.begin();
  std::atomic<bool> done{false};
  std::thread worker([&] {
    while (!done) {
      if (lookout.is_asked()) lookout.answer(in_line(7));
    }
  });
  const auto ask_often = [&] {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(lookout.ask(kLong));
  };
  std::thread other(ask_often);
  ask_often();
  other.join();
  done = true;
  worker.join();
}

TEST(Lookout, KnowsNoPlaceWhereNoLaunchRuns) {
  Lookout lookout;
  EXPECT_FALSE(lookout.running());
  EXPECT_FALSE(lookout.ask(kLong));
  lookout.begin();
  EXPECT_EQ(lookout.running()->number, 1u);
  lookout.end();
  EXPECT_FALSE(lookout.ask(kLong));
}

TEST(Lookout, TakesNoAnswerThatComesTooLate) {
  Lookout lookout;
  lookout.begin();
  EXPECT_FALSE(lookout.ask(kShort));
  lookout.answer(in_line(7));
  EXPECT_FALSE(lookout.ask(kShort));
}

TEST(Lookout, StopsWaitingWhenTheLaunchEnds) {
  Lookout lookout;
  lookout.begin();
  std::thread worker([&] {
    while (!lookout.is_asked()) std::this_thread::yield();
    lookout.end();
  });
  EXPECT_FALSE(lookout.ask(kLong));
  worker.join();
}

}  // namespace
}  // namespace warpgrade::emulator
