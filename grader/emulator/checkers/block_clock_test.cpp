// SPDX-License-Identifier: MIT
#include "emulator/checkers/block_clock.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kPlace = 64, kBlock = 3;
constexpr uint32_t kThreads = 64, kReader = 33;

class BlockClocks : public testing::Test {
 protected:
  BlockClocks() { clock_.start(happens_before_, kBlock, kThreads); }

  /// Every thread arrives at a barrier object in shared memory, and then waits for its phase.
  void pass_phase() {
    for (uint32_t thread = 0; thread < kThreads; ++thread)
      clock_.release(kPlace, true, thread / 32, 1u << thread % 32, true, true);
    for (uint32_t thread = 0; thread < kThreads; ++thread)
      clock_.acquire(kPlace, true, thread / 32, 1u << thread % 32);
  }
  EarlierAccess access_now(uint32_t thread) const {
    return {kBlock, clock_.time(), thread, EarlierAccess::By::thread};
  }

  HappensBefore happens_before_;
  BlockClock clock_;
};

TEST_F(BlockClocks, OrderWhatWasDoneBeforeAPhaseAndNothingAfterIt) {
  const EarlierAccess before = access_now(0);
  EXPECT_FALSE(clock_.is_ordered(before, kReader));
  pass_phase();
  const EarlierAccess after = access_now(0);
  EXPECT_TRUE(clock_.is_ordered(before, kReader));
  EXPECT_FALSE(clock_.is_ordered(after, kReader));
  clock_.meet_block();
  EXPECT_TRUE(clock_.is_ordered(after, kReader));
}

TEST_F(BlockClocks, OrderByPhasesAfterTheBlockHasMet) {
  pass_phase();
  clock_.meet_block();
  const EarlierAccess before = access_now(0);
  EXPECT_FALSE(clock_.is_ordered(before, kReader));
  pass_phase();
  EXPECT_TRUE(clock_.is_ordered(before, kReader));
}

TEST_F(BlockClocks, HoldNothingOfPhasesThatTheWholeBlockHasLeftBehind) {
  pass_phase();
  EXPECT_TRUE(clock_.knows_others(kReader));
  clock_.meet_block();
  EXPECT_FALSE(clock_.knows_others(kReader));
}

TEST_F(BlockClocks, KeepWhatAnotherBlockHasReleasedWhenTheBlockMeets) {
  BlockClock other;
  other.start(happens_before_, kBlock + 1, kThreads);
  const EarlierAccess before = {kBlock + 1, other.time(), 5, EarlierAccess::By::thread};
  other.release(kPlace, false, 0, 1u << 5, true, false);
  clock_.acquire(kPlace, false, 0, 1u);
  pass_phase();
  clock_.meet_block();
  EXPECT_TRUE(clock_.is_ordered(before, kReader));
}

// 20,000 releases are as many as the checker follows.
TEST_F(BlockClocks, FollowTheReleasesOfThreadsThatOnlyWait) {
  const EarlierAccess before = access_now(0);
  for (int round = 0; round < 10'000; ++round) {
    for (uint32_t thread = 0; thread < kReader; ++thread) {
      clock_.acquire(kPlace, false, thread / 32, 1u << thread % 32);
      clock_.fence(thread / 32, 1u << thread % 32, false);
      clock_.release(kPlace, false, thread / 32, 1u << thread % 32, true, false);
    }
  }
  const EarlierAccess after = access_now(0);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32);
  EXPECT_TRUE(clock_.is_ordered(before, kReader));
  EXPECT_FALSE(clock_.is_ordered(after, kReader));
  EXPECT_FALSE(happens_before_.gave_up());
}

TEST_F(BlockClocks, AcquireByAFenceOrABarrierWhatARelaxedReadSaw) {
  const EarlierAccess before = access_now(0);
  clock_.release(kPlace, false, 0, 1u, true, false);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32, true);
  EXPECT_FALSE(clock_.is_ordered(before, kReader));
  clock_.fence(1, 1u << kReader % 32, false);
  EXPECT_TRUE(clock_.is_ordered(before, kReader));
}

TEST_F(BlockClocks, HandOnByAShuffleWhatAnAcquiringOperationGot) {
  const EarlierAccess before = access_now(0);
  clock_.release(kPlace, false, 0, 1u, true, false);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32, true);
  clock_.exchange(1);
  EXPECT_FALSE(clock_.is_ordered(before, kReader + 1)) << "a relaxed read acquires nothing";
  clock_.release(kPlace, false, 0, 1u, true, false);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32);
  EXPECT_FALSE(clock_.is_ordered(before, kReader + 1));
  clock_.exchange(1);
  EXPECT_TRUE(clock_.is_ordered(before, kReader + 1));
}

TEST_F(BlockClocks, ReleaseWhatAThreadAccessedBetweenItsReleases) {
  clock_.release(kPlace, false, 0, 1u, true, false);
  const EarlierAccess between = access_now(0);
  clock_.note_accesses(0, 1u);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32);
  EXPECT_FALSE(clock_.is_ordered(between, kReader));
  clock_.release(kPlace, false, 0, 1u, true, false);
  clock_.acquire(kPlace, false, 1, 1u << kReader % 32);
  EXPECT_TRUE(clock_.is_ordered(between, kReader));
}

}  // namespace
}  // namespace warpgrade::emulator
