// SPDX-License-Identifier: MIT
#include "emulator/exec/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace warpgrade::emulator {
namespace {

using Calls = std::array<std::atomic<int>, 4>;

bool runs(WorkerPool& pool, unsigned count) {
  Calls calls{};
  pool.run(count, [&](unsigned index) { ++calls.at(index); });
  for (unsigned index = 0; index < calls.size(); ++index) {
    if (calls.at(index) != (index < count ? 1 : 0)) return false;
  }
  return true;
}

TEST(WorkerPool, CallsEachTaskOnceAgainAndAgain) {
  WorkerPool pool;
  for (int round = 0; round < 100; ++round) {
    for (const unsigned count : {1u, 4u, 2u, 3u}) EXPECT_TRUE(runs(pool, count));
  }
}

TEST(WorkerPool, HasThreadsInAForkedProcess) {
  WorkerPool pool;
  ASSERT_TRUE(runs(pool, 4));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(runs(pool, 4) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(WorkerPool, KeepsOneBlockAndForgetsWhatItHeld) {
  WorkerPool pool;
  pool.kept(0);
  std::list<Block> blocks(2);
  blocks.front().shared.resize(100);
  blocks.front().warps.resize(1);
  Warp& warp = blocks.front().warps[0];
  const FunctionCode function;
  warp.local.resize(128, 7);
  warp.frames.push_back(std::make_unique<Frame>());
  warp.frames[0]->function = &function;
  pool.keep(0, blocks);
  EXPECT_EQ(blocks.size(), 1u);
  ASSERT_EQ(pool.kept(0).size(), 1u);
  const Warp& kept = pool.kept(0).front().warps[0];
  EXPECT_TRUE(kept.local.empty());
  EXPECT_TRUE(kept.frames.empty());
  ASSERT_EQ(kept.spare_frames.size(), 1u);
  EXPECT_EQ(kept.spare_frames[0]->function, nullptr);
}

TEST(WorkerPool, KeepsNoLargeBlock) {
  WorkerPool pool;
  pool.kept(0);
  std::list<Block> blocks(1);
  blocks.front().shared.resize(size_t{9} << 20);
  pool.keep(0, blocks);
  EXPECT_TRUE(pool.kept(0).empty());
}

}  // namespace
}  // namespace warpgrade::emulator
