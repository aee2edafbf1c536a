// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "testing/fake_clock.h"

namespace warpgrade {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{10'000};

std::vector<Gpu> two_gpus() {
  std::vector<Gpu> gpus(2);
  gpus[0].uuid = "GPU-0";
  gpus[1].uuid = "GPU-1";
  return gpus;
}

class GpuPoolTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-pool-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The error where no GPU is to be had at once.
  std::string refusal(GpuPool& pool, GpuUse use) {
    const Result<GpuLease> lease = pool.take(use, milliseconds(0));
    return lease ? "" : lease.error().message;
  }

  fs::path folder_;
  RealClock clock_;
};

TEST_F(GpuPoolTest, TwoJobsWorkOnTwoGpusAtTheSameTime) {
  GpuPool pool(two_gpus(), folder_, clock_);
  std::latch both_have_one(2);
  std::string uuids[2];
  std::thread jobs[2];
  for (int i = 0; i < 2; ++i) {
    jobs[i] = std::thread([&, i] {
      const Result<GpuLease> lease = pool.take(GpuUse::kExclusive, kLong);
      ASSERT_TRUE(lease);
      uuids[i] = lease->gpu().uuid;
      // Neither comes past before the other one is here, with its GPU still held.
      both_have_one.arrive_and_wait();
    });
  }
  for (std::thread& job : jobs) job.join();
  EXPECT_NE(uuids[0], uuids[1]);
}

TEST_F(GpuPoolTest, AThirdJobWaitsForAGpu) {
  GpuPool pool(two_gpus(), folder_, clock_);
  std::optional<Result<GpuLease>> first(pool.take(GpuUse::kExclusive, kLong));
  const Result<GpuLease> second = pool.take(GpuUse::kExclusive, kLong);
  ASSERT_TRUE(*first && second);
  EXPECT_EQ(refusal(pool, GpuUse::kExclusive), "no GPU became free within 0 s");
  EXPECT_EQ(refusal(pool, GpuUse::kShared), "no GPU became free within 0 s");
  first.reset();
  const Result<GpuLease> third = pool.take(GpuUse::kExclusive, kLong);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->gpu().uuid, "GPU-0");
}

TEST_F(GpuPoolTest, ManyJobsNeverShareAGpuThatIsTimed) {
  GpuPool pool(two_gpus(), folder_, clock_);
  std::atomic<int> timed[2] = {}, shared[2] = {}, clashes = 0, done = 0;
  std::vector<std::thread> jobs;
  for (int i = 0; i < 12; ++i) {
    jobs.emplace_back([&, use = i % 3 == 0 ? GpuUse::kExclusive : GpuUse::kShared] {
      for (int turn = 0; turn < 5; ++turn) {
        const Result<GpuLease> lease = pool.take(use, kLong);
        ASSERT_TRUE(lease) << lease.error().message;
        const size_t gpu = lease->gpu().uuid == "GPU-0" ? 0 : 1;
        std::atomic<int>& mine = use == GpuUse::kExclusive ? timed[gpu] : shared[gpu];
        ++mine;
        if (timed[gpu] > 1 || (timed[gpu] == 1 && shared[gpu] > 0)) ++clashes;
        if (shared[gpu] > GpuPool::kMostShared) ++clashes;
        std::this_thread::sleep_for(milliseconds(2));
        --mine;
        ++done;
      }
    });
  }
  for (std::thread& job : jobs) job.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(done, 60);
}

TEST_F(GpuPoolTest, SpreadsSharedJobsAndLimitsThem) {
  GpuPool pool(two_gpus(), folder_, clock_, 2);
  std::vector<Result<GpuLease>> leases;
  std::string order;
  for (int i = 0; i < 4; ++i) {
    leases.push_back(pool.take(GpuUse::kShared, kLong));
    ASSERT_TRUE(leases.back());
    order += leases.back()->gpu().uuid.back();
  }
  EXPECT_EQ(order, "0101");
  EXPECT_NE(refusal(pool, GpuUse::kShared), "");
}

TEST_F(GpuPoolTest, DoesNotHandOutAGpuThatWasSetAside) {
  GpuPool pool(two_gpus(), folder_, clock_);
  pool.set_aside("GPU-0", "Xid 79");
  for (int i = 0; i < 3; ++i) {
    const Result<GpuLease> lease = pool.take(GpuUse::kShared, kLong);
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->gpu().uuid, "GPU-1");
  }
  pool.set_aside("GPU-1", "it hangs");
  EXPECT_EQ(refusal(pool, GpuUse::kShared),
            "no GPU is left to use: GPU-0: Xid 79; GPU-1: it hangs");
  EXPECT_EQ(pool.set_aside().size(), 2u);
}

TEST_F(GpuPoolTest, WhoWaitsLearnsThatNoGpuIsLeft) {
  GpuPool pool({two_gpus()[0]}, folder_, clock_);
  const Result<GpuLease> held = pool.take(GpuUse::kExclusive, kLong);
  std::string told;
  std::thread waiting([&] { told = pool.take(GpuUse::kShared, kLong).error().message; });
  std::this_thread::sleep_for(milliseconds(20));
  pool.set_aside("GPU-0", "it hangs");
  waiting.join();
  EXPECT_EQ(told, "no GPU is left to use: GPU-0: it hangs");
}

TEST_F(GpuPoolTest, HeedsComputeModes) {
  std::vector<Gpu> gpus = two_gpus();
  gpus[0].compute_mode = "prohibited";
  gpus[1].compute_mode = "exclusive_process";
  GpuPool pool(gpus, folder_, clock_);
  const Result<GpuLease> lease = pool.take(GpuUse::kShared, kLong);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->gpu().uuid, "GPU-1");
  EXPECT_NE(refusal(pool, GpuUse::kShared), "");
}

TEST_F(GpuPoolTest, HeedsOtherGraders) {
  GpuPool ours({two_gpus()[0]}, folder_, clock_), theirs({two_gpus()[0]}, folder_, clock_);
  std::optional<Result<GpuLease>> lease(theirs.take(GpuUse::kExclusive, kLong));
  EXPECT_NE(refusal(ours, GpuUse::kShared), "");
  lease.reset();
  EXPECT_EQ(refusal(ours, GpuUse::kShared), "");
}

TEST_F(GpuPoolTest, GivesUpAfterTheTimeItWasTold) {
  FakeClock clock;
  GpuPool pool({two_gpus()[0]}, folder_, clock);
  const Result<GpuLease> lease = pool.take(GpuUse::kExclusive, kLong);
  const Result<GpuLease> late = pool.take(GpuUse::kShared, milliseconds(7000));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "no GPU became free within 7 s");
  EXPECT_GE(clock.now(), milliseconds(7000));
  EXPECT_LT(clock.now(), milliseconds(7100));
}

TEST(MostShared, IsMoreWhereAllGpusAreLarge) {
  Gpu small, large;
  small.memory_bytes = size_t{16} << 30;
  large.memory_bytes = size_t{80} << 30;
  EXPECT_EQ(GpuPool::most_shared_of({small}), 4);
  EXPECT_EQ(GpuPool::most_shared_of({large, small}), 4);
  EXPECT_EQ(GpuPool::most_shared_of({large, large}), 8);
}

}  // namespace
}  // namespace warpgrade
