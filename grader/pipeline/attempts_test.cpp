// SPDX-License-Identifier: MIT
#include "pipeline/attempts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace warpgrade {
namespace {

class AttemptsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "warpgrade-attempts";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A grader that begins and ends without a word.
  void crash_on(const std::string& student) const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(Attempts(folder_).begin(student).ok() ? 0 : 1);
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  fs::path folder_;
};

TEST_F(AttemptsTest, CountsGradersThatEndedMeanwhile) {
  const Attempts attempts(folder_);
  EXPECT_EQ(attempts.failed("ann"), 0);
  crash_on("ann");
  EXPECT_EQ(attempts.failed("ann"), 1);
  crash_on("ann");
  crash_on("ann");
  EXPECT_EQ(attempts.failed("ann"), kMostAttempts);
  EXPECT_EQ(attempts.failed("bob"), 0);
}

TEST_F(AttemptsTest, ForgetsThemWhenItIsGraded) {
  const Attempts attempts(folder_);
  crash_on("ann");
  ASSERT_TRUE(attempts.begin("ann").ok());
  attempts.end("ann");
  EXPECT_EQ(attempts.failed("ann"), 0);
}

TEST_F(AttemptsTest, DoesNotCountAGraderThatIsStillAtWork) {
  std::array<int, 2> ready{}, go{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(go.data()), 0);
  const pid_t child = ::fork();
  char byte = 'x';
  if (child == 0) {
    const bool is_done = Attempts(folder_).begin("ann").ok() && ::write(ready[1], &byte, 1) == 1 &&
                         ::read(go[0], &byte, 1) == 1;
    ::_exit(is_done ? 0 : 1);
  }
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(Attempts(folder_).failed("ann"), 0);
  ASSERT_EQ(::write(go[1], &byte, 1), 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(Attempts(folder_).failed("ann"), 1);
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) ::close(fd);
}

TEST_F(AttemptsTest, CountsAMarkThatNobodyCanRead) {
  ASSERT_TRUE(RealFiles().write(folder_ / "attempts/ann", "torn").ok());
  EXPECT_EQ(Attempts(folder_).failed("ann"), 1);
}

}  // namespace
}  // namespace warpgrade
