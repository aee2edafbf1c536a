// SPDX-License-Identifier: MIT
#include "sandbox/process_tree.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>
#include <utility>

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

/// Starts a process that keeps the first processor, beside those of the same session.
pid_t start_spinning(int policy) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  ::sched_setaffinity(0, sizeof first, &first);
  const sched_param none{};
  ::sched_setscheduler(0, policy, &none);
  for (volatile bool is_on = true; is_on;) {
  }
  ::_exit(0);
}

// The kernel counts a wait when it is over, and an idle process may wait for a second beside a busy one.
TEST(ProcessorTimes, CountAWaitThatIsNotOver) {
  using Clock = std::chrono::steady_clock;
  const pid_t others[] = {start_spinning(SCHED_OTHER), start_spinning(SCHED_OTHER)};
  const Clock::time_point began = Clock::now();
  const pid_t process = start_spinning(SCHED_IDLE);
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - then).count();
  };
  std::map<pid_t, ThreadTime> times;
  Clock::time_point looked = began;
  ProcessorTime found;
  while (since(began) < 1500) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    note_processor_times(process, since(std::exchange(looked, Clock::now())), times);
    found = times[process].total();
    const long elapsed_ms = since(began);
    EXPECT_LE(found.ran_ms + found.waited_ms, elapsed_ms + 50);
    EXPECT_GE(found.ran_ms + found.waited_ms, elapsed_ms / 2);
  }
  EXPECT_GT(found.waited_ms, found.ran_ms);
  for (const pid_t each : {others[0], others[1], process}) {
    ::kill(each, SIGKILL);
    ::waitpid(each, nullptr, 0);
  }
}

TEST(TreeHandles, OfNoProcessAreGone) { EXPECT_TRUE(TreeHandles().gone_within(0)); }

}  // namespace
}  // namespace warpgrade
