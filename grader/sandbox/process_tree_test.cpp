// SPDX-License-Identifier: MIT
#include "sandbox/process_tree.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpgrade {
namespace {

TEST(TreeHandles, TellWhetherAllProcessesHaveEnded) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t child = ::fork();
    if (child > 0 && ::write(ready[1], &child, sizeof child) < 0) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ready[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  const TreeHandles tree(parent);
  EXPECT_FALSE(tree.gone_within(20));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_FALSE(tree.gone_within(20)) << "its child is still there";
  ::kill(child, SIGKILL);
  EXPECT_TRUE(tree.gone_within(5000));
}

TEST(TreeHandles, OfNoProcessAreGone) { EXPECT_TRUE(TreeHandles().gone_within(0)); }

}  // namespace
}  // namespace warpgrade
