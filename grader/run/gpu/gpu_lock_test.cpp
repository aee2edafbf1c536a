// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "testing/fake_clock.h"

namespace warpgrade {
namespace {

using std::chrono::milliseconds;

class GpuLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-lock-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
    ASSERT_EQ(::chmod(name.c_str(), 0755), 0);
    folder_ = parent_ / "gpus";
  }
  void TearDown() override { fs::remove_all(parent_); }

  Result<GpuLock> take(GpuUse use, milliseconds patience = milliseconds(0)) {
    return take_gpu_lock(folder_, "GPU-1", use, patience, clock_);
  }
  bool is_free_for(GpuUse use) {
    const Result<GpuLock> lock = take(use);
    EXPECT_TRUE(lock) << lock.error().message;
    return lock && *lock;
  }

  fs::path parent_, folder_;
  RealClock clock_;
};

TEST_F(GpuLockTest, ManyShareAndOneExcludes) {
  {
    const Result<GpuLock> one = take(GpuUse::kShared), two = take(GpuUse::kShared);
    EXPECT_TRUE(*one);
    EXPECT_TRUE(*two);
    EXPECT_FALSE(is_free_for(GpuUse::kExclusive));
  }
  const Result<GpuLock> alone = take(GpuUse::kExclusive);
  EXPECT_TRUE(*alone);
  EXPECT_FALSE(is_free_for(GpuUse::kShared));
  EXPECT_FALSE(is_free_for(GpuUse::kExclusive));
}

TEST_F(GpuLockTest, EachGpuHasItsOwn) {
  const Result<GpuLock> one = take(GpuUse::kExclusive);
  EXPECT_TRUE(*take_gpu_lock(folder_, "GPU-2", GpuUse::kExclusive, milliseconds(0), clock_));
}

TEST_F(GpuLockTest, OneWhoWantsItAloneIsNotOvertaken) {
  std::optional<Result<GpuLock>> sharing(take(GpuUse::kShared));
  GpuLockRequest alone(folder_, "GPU-1", GpuUse::kExclusive);
  EXPECT_FALSE(*alone.poll());
  EXPECT_FALSE(is_free_for(GpuUse::kShared)) << "one came in between";
  sharing.reset();
  EXPECT_TRUE(*alone.poll());
}

TEST_F(GpuLockTest, OneWhoGivesUpLetsTheOthersPass) {
  const Result<GpuLock> sharing = take(GpuUse::kShared);
  EXPECT_FALSE(is_free_for(GpuUse::kExclusive));
  EXPECT_TRUE(is_free_for(GpuUse::kShared));
}

TEST_F(GpuLockTest, GivesUpAfterTheTimeItWasTold) {
  const Result<GpuLock> alone = take(GpuUse::kExclusive);
  FakeClock clock;
  EXPECT_FALSE(*take_gpu_lock(folder_, "GPU-1", GpuUse::kShared, milliseconds(300), clock));
  EXPECT_GE(clock.now(), milliseconds(300));
  EXPECT_LT(clock.now(), milliseconds(320));
}

/// A process that holds the GPU alone, as `user`, until it is killed.
pid_t hold(const fs::path& folder, uid_t user) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() != user && ::setuid(user) != 0) ::_exit(1);
    RealClock clock;
    const Result<GpuLock> lock =
        take_gpu_lock(folder, "GPU-1", GpuUse::kExclusive, milliseconds(0), clock);
    const char word = lock && *lock ? 'y' : 'n';
    if (::write(ready[1], &word, 1) == 1) ::pause();
    ::_exit(0);
  }
  char word = 0;
  EXPECT_EQ(::read(ready[0], &word, 1), 1);
  EXPECT_EQ(word, 'y');
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

TEST_F(GpuLockTest, AKilledProcessGivesItUp) {
  const pid_t holder = hold(folder_, ::getuid());
  EXPECT_FALSE(is_free_for(GpuUse::kShared));
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  EXPECT_TRUE(is_free_for(GpuUse::kExclusive));
}

TEST_F(GpuLockTest, HoldsBetweenUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  constexpr uid_t kAnn = 20001, kBen = 20002;
  // Root makes the folder, Ann the files, whatever their umask, and Ben must be able to use both.
  const mode_t before = ::umask(077);
  EXPECT_TRUE(*take_gpu_lock(folder_, "GPU-2", GpuUse::kShared, milliseconds(0), clock_));
  const pid_t ann = hold(folder_, kAnn);
  ::umask(before);
  EXPECT_FALSE(is_free_for(GpuUse::kShared));
  ::kill(ann, SIGKILL);
  ::waitpid(ann, nullptr, 0);
  const pid_t ben = hold(folder_, kBen);
  EXPECT_FALSE(is_free_for(GpuUse::kShared));
  ::kill(ben, SIGKILL);
  ::waitpid(ben, nullptr, 0);
}

TEST_F(GpuLockTest, SaysThatAFolderCannotBeMade) {
  const Result<GpuLock> lock =
      take_gpu_lock("/proc/none", "GPU-1", GpuUse::kShared, milliseconds(0), clock_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().message, "cannot make /proc/none: No such file or directory");
}

}  // namespace
}  // namespace warpgrade
