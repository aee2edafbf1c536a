// SPDX-License-Identifier: MIT
#include "sandbox/control_group.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "testing/units.h"

namespace warpgrade {
namespace {

class ControlGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    groups_ = ControlGroups::find();
    if (!groups_) GTEST_SKIP() << "this machine permits no control groups";
    Result<std::unique_ptr<ControlGroup>> group = groups_->take();
    ASSERT_TRUE(group.ok()) << group.error().message;
    group_ = std::move(*group);
  }

  /// Runs `work` in a process of the group, and gives its wait status.
  int run(const std::function<int()>& work) const {
    const Result<std::vector<Descriptor>> doors = group_->doors();
    EXPECT_TRUE(doors.ok());
    const pid_t child = ::fork();
    if (child == 0) {
      for (const Descriptor& door : *doors) {
        if (::write(door.get(), "0", 1) != 1) ::_exit(99);
      }
      ::_exit(work());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  fs::path folder() const {
    const Result<std::vector<Descriptor>> doors = group_->doors();
    return fs::read_symlink(fmt::format("/proc/self/fd/{}", doors->front().get())).parent_path();
  }

  std::shared_ptr<ControlGroups> groups_;
  std::unique_ptr<ControlGroup> group_;
};

/// Fills a file in memory, and leaves no process with it in a mapping.
int fill_files(size_t bytes) {
  const std::string block(kMiB, 'x');
  const int file = ::memfd_create("x", 0);
  for (size_t written = 0; written < bytes; written += block.size()) {
    if (::write(file, block.data(), block.size()) < 0) return 1;
  }
  return 0;
}

TEST_F(ControlGroupTest, HoldsMemoryThatNoMappingShows) {
  ASSERT_TRUE(group_->limit(64 * kMiB, 16).ok());
  EXPECT_EQ(run([] { return fill_files(32 * kMiB); }), 0);
  EXPECT_EQ(group_->kills(), 0);
  EXPECT_FALSE(group_->came_to_limit());
  const int status = run([] { return fill_files(128 * kMiB); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(group_->kills(), 1);
  EXPECT_TRUE(group_->came_to_limit());
}

TEST_F(ControlGroupTest, HoldsMemoryOfAllProcessesTogether) {
  ASSERT_TRUE(group_->limit(64 * kMiB, 16).ok());
  run([] {
    for (int i = 0; i < 8; ++i) {
      if (::fork() == 0) {
        std::string mine(16 * kMiB, 'x');
        ::pause();
      }
    }
    ::usleep(2'000'000);
    return 0;
  });
  EXPECT_GT(group_->kills(), 0);
  EXPECT_TRUE(group_->empty()) << "the others are killed";
}

/// A grader that dies while its group has a process: that one's id.
pid_t die_with_a_process_in_a_group() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t grader = ::fork();
  if (grader == 0) {
    const auto groups = ControlGroups::find();
    const Result<std::unique_ptr<ControlGroup>> group = groups->take();
    const Result<std::vector<Descriptor>> doors = (*group)->doors();
    const pid_t stranded = ::fork();
    if (stranded == 0) {
      for (const Descriptor& door : *doors) {
        if (::write(door.get(), "0", 1) != 1) ::_exit(99);
      }
      const pid_t self = ::getpid();
      if (::write(ends[1], &self, sizeof self) == sizeof self) ::pause();
      ::_exit(99);
    }
    // Until it is in the group.
    ::usleep(500'000);
    ::_exit(0);
  }
  ::waitpid(grader, nullptr, 0);
  pid_t stranded = 0;
  EXPECT_EQ(::read(ends[0], &stranded, sizeof stranded), ssize_t{sizeof stranded});
  return stranded;
}

TEST_F(ControlGroupTest, EndsWhatAKilledGraderLeftInItsGroups) {
  const pid_t stranded = die_with_a_process_in_a_group();
  ASSERT_GT(stranded, 1);
  EXPECT_EQ(::kill(stranded, 0), 0);
  const pid_t next = ::fork();
  if (next == 0) ::_exit(ControlGroups::find() == nullptr ? 1 : 0);
  int status = 0;
  ::waitpid(next, &status, 0);
  EXPECT_EQ(status, 0);
  // Whoever inherited it waits for it in its own time.
  for (int tries = 0; ::kill(stranded, 0) == 0 && tries < 500; ++tries) ::usleep(10'000);
  EXPECT_EQ(::kill(stranded, 0), -1);
}

TEST_F(ControlGroupTest, HoldsTheNumberOfProcesses) {
  ASSERT_TRUE(group_->limit(64 * kMiB, 5).ok());
  const int status = run([] {
    int forks = 0;
    for (pid_t child = 0; (child = ::fork()) >= 0; ++forks) {
      if (child == 0) ::pause();
      if (forks == 100) break;
    }
    return forks;
  });
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST_F(ControlGroupTest, IsUsedAgainAndRemovedInTheEnd) {
  const fs::path place = folder();
  groups_->give_back(std::move(group_));
  Result<std::unique_ptr<ControlGroup>> again = groups_->take();
  ASSERT_TRUE(again.ok());
  group_ = std::move(*again);
  EXPECT_EQ(folder(), place);
  group_.reset();
  EXPECT_FALSE(fs::exists(place));
}

TEST_F(ControlGroupTest, WaitsUntilItsEndedProcessesAreNoLongerCounted) {
  const fs::path place = folder();
  const Result<std::vector<Descriptor>> doors = group_->doors();
  ASSERT_TRUE(doors.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    for (const Descriptor& door : *doors) {
      if (::write(door.get(), "0", 1) != 1) ::_exit(99);
    }
    ::_exit(0);
  }
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  groups_->give_back(std::move(group_));
  Result<std::unique_ptr<ControlGroup>> other = groups_->take();
  ASSERT_TRUE(other.ok());
  group_ = std::move(*other);
  EXPECT_NE(folder(), place);
  ::waitpid(child, nullptr, 0);
  Result<std::unique_ptr<ControlGroup>> again = groups_->take();
  ASSERT_TRUE(again.ok());
  group_ = std::move(*again);
  EXPECT_EQ(folder(), place);
}

TEST_F(ControlGroupTest, OfAGraderThatWasKilledIsRemovedByTheNext) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const fs::path left = folder().parent_path() / fmt::format("warpgrade-{}-0", dead);
  ASSERT_EQ(::mkdir(left.c_str(), 0755), 0);
  ControlGroups::find();
  EXPECT_FALSE(fs::exists(left));
}

/// A folder with the files of a group, as the kernel has them.
class FilesOfAGroup : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-group-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void set(const char* file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::trunc) << text;
  }
  std::string get(const char* file) const { return *RealFiles().read(folder_ / file); }

  fs::path folder_;
};

TEST_F(FilesOfAGroup, OfVersion2HoldLimitsAndCounts) {
  for (const char* file : {"memory.max", "memory.swap.max", "pids.max", "cgroup.kill"})
    set(file, "");
  set("cgroup.procs", "");
  set("memory.events", "low 0\nhigh 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n");
  set("memory.stat", "anon 1000\nfile 500\nkernel 7\nshmem 20\nfile_mapped 3\n");
  ControlGroup group({folder_}, true);
  ASSERT_TRUE(group.limit(4096, 9).ok());
  EXPECT_EQ(get("memory.max"), "4096");
  EXPECT_EQ(get("memory.swap.max"), "0");
  EXPECT_EQ(get("pids.max"), "9");
  EXPECT_EQ(group.held_bytes(), 1020u);
  EXPECT_EQ(group.kills(), 1);
  EXPECT_FALSE(group.came_to_limit());
  set("memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 0\n");
  EXPECT_TRUE(group.came_to_limit());
  EXPECT_TRUE(group.empty());
  EXPECT_EQ(get("cgroup.kill"), "1");
}

TEST_F(FilesOfAGroup, AreAnErrorWhereALimitCannotBeSet) {
  ControlGroup group({folder_}, true);
  const Status limited = group.limit(4096, 9);
  ASSERT_FALSE(limited.ok());
  EXPECT_EQ(limited.error().message,
            "cannot set limits in " + folder_.string() + ": No such file or directory");
}

}  // namespace
}  // namespace warpgrade
