// SPDX-License-Identifier: MIT
#include "sandbox/awake_clock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <new>
#include <thread>

namespace warpgrade {
namespace {

using std::chrono::milliseconds;

TEST(AwakeClock, LeavesOutALongTimeInWhichItsReaderDidNothing) {
  AwakeClock clock;
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_LT(clock.now_ms(), 1000);
}

TEST(AwakeClock, CountsShortWaits) {
  AwakeClock clock;
  for (int wait = 0; wait < 12; ++wait) {
    std::this_thread::sleep_for(milliseconds(50));
    clock.now_ms();
  }
  EXPECT_GE(clock.now_ms(), 400);
}

// Else a command that makes looking at it slow would have all the time it wants.
TEST(AwakeClock, CountsALongTimeInWhichItsReaderWorked) {
  AwakeClock clock;
  const std::clock_t began = std::clock();
  while (std::clock() - began < CLOCKS_PER_SEC * 3 / 2) {
  }
  EXPECT_GE(clock.now_ms(), 1400);
}

/// Reads a clock until `over` says so; true where the clock left out at least a second.
bool leaves_out_a_second(const std::atomic<int>& over, std::atomic<int>& ready) {
  AwakeClock clock;
  const auto began = std::chrono::steady_clock::now();
  long counted_ms = 0;
  for (ready = 1; over == 0;) {
    counted_ms = clock.now_ms();
    if (counted_ms % 2 == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  return std::chrono::steady_clock::now() - began > milliseconds(counted_ms + 1000);
}

// The stop comes at another place of the reader's loop each time.
TEST(AwakeClock, LeavesOutAStopWhereverItMeetsTheReader) {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  for (int place = 0; place < 4; ++place) {
    auto* const flags = new (page) std::atomic<int>[2] {};
    const pid_t reader = ::fork();
    if (reader == 0) ::_exit(leaves_out_a_second(flags[0], flags[1]) ? 0 : 1);
    while (flags[1] == 0) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(5 * place));
    ::kill(reader, SIGSTOP);
    std::this_thread::sleep_for(milliseconds(1300));
    ::kill(reader, SIGCONT);
    std::this_thread::sleep_for(milliseconds(50));
    flags[0] = 1;
    int status = -1;
    ::waitpid(reader, &status, 0);
    EXPECT_EQ(status, 0) << place;
  }
  ::munmap(page, 4096);
}

}  // namespace
}  // namespace warpgrade
