// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace warpgrade {
namespace {

TEST(InParallel, DoesEveryIndexOnce) {
  std::vector<std::atomic<int>> done(1000);
  in_parallel(done.size(), 7, [&](size_t index, int) { ++done[index]; });
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
}

TEST(InParallel, NeverGivesOneSlotToTwoCallsAtATime) {
  std::mutex lock;
  std::set<int> busy;
  bool clash = false;
  in_parallel(500, 4, [&](size_t, int slot) {
    {
      const std::lock_guard guard(lock);
      clash = clash || slot < 0 || slot >= 4 || !busy.insert(slot).second;
    }
    std::this_thread::yield();
    const std::lock_guard guard(lock);
    busy.erase(slot);
  });
  EXPECT_FALSE(clash);
}

TEST(InParallel, CallsNothingForNothingAndWorksWithoutJobs) {
  int calls = 0;
  in_parallel(0, 4, [&](size_t, int) { ++calls; });
  EXPECT_EQ(calls, 0);
  in_parallel(3, 0, [&](size_t, int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace warpgrade
