// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

/// What commands of one room may do to one another: nothing.
class RoomTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!open_sandbox()) GTEST_SKIP() << "bubblewrap does not work here";
    // Where the grader's workspaces lie, whose folders are mounted into the emptied ones.
    std::string name = "/dev/shm/warpgrade-room-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms(0711));
    fs::create_directory(folder_ / "out");
    ASSERT_TRUE(sandbox_.hand_over(folder_ / "out", 0));
    room_ = sandbox_.open(shell(""));
  }
  void TearDown() override {
    room_.reset();
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  Command shell(const std::string& script) const {
    Command command;
    command.argv = {"/usr/bin/sh", "-c", script};
    command.environment = {{"PATH", "/usr/bin"}, {"OUT", (folder_ / "out").string()}};
    command.writable = {folder_ / "out"};
    command.limits.wall_ms = 30'000;
    return command;
  }
  Command python(const std::string& script) const {
    Command command = shell("");
    command.argv = {"/usr/bin/python3", "-I", "-S", "-c", script};
    return command;
  }
  std::string say(const std::string& script) { return room_->run(shell(script)).out; }

  LocalSandbox sandbox_{SandboxBackend::kBubblewrap, WARPGRADE_ROOM_SUPERVISOR};
  fs::path folder_;
  std::unique_ptr<Room> room_;
};

TEST_F(RoomTest, RunsCommandsInOneSetOfNamespaces) {
  const std::string name = say("readlink /proc/self/ns/pid");
  EXPECT_NE(name, "");
  EXPECT_EQ(say("readlink /proc/self/ns/pid"), name);
}

TEST_F(RoomTest, ACommandFindsNoProcessOfTheOneBefore) {
  say("for i in 1 2 3; do setsid sleep 60 & done");
  // Built-ins alone: how many processes a pipeline has at a moment depends on who is faster.
  EXPECT_EQ(say("for p in /proc/[0-9]*; do read name < $p/comm; echo $name; done"),
            "room-supervisor\nsh\n");
}

TEST_F(RoomTest, ACommandFindsOnlyWhatLiesInTheWritableFolders) {
  say("cd /tmp; mkdir -p a/b; touch a/b/c; chmod 0 a/b a; ln -s /usr link; echo x > /dev/shm/y");
  say("mkdir -p ${OUT%/*}/below/this; echo kept > $OUT/file");
  EXPECT_EQ(say("ls -A /tmp; ls -A ${OUT%/*}; cat $OUT/file"), "out\nkept\n");
  EXPECT_EQ(say("find /dev/shm -type f"), say("echo $OUT/file"));
}

TEST_F(RoomTest, ACommandCannotReachTheSupervisor) {
  const std::string name = say("kill -9 1; kill -9 -1; readlink /proc/self/ns/pid");
  EXPECT_NE(name, "");
  EXPECT_EQ(say("readlink /proc/self/ns/pid"), name);
  const std::string script =
      "for what in ('mem', 'fd/6', 'environ'):\n"
      "  try: open('/proc/1/' + what, 'rb').read(1); print('read', what)\n"
      "  except OSError: pass\n"
      "print('done')";
  EXPECT_EQ(room_->run(python(script)).out, "done\n");
}

TEST_F(RoomTest, ACommandThatIsStoppedDoesNotTouchTheNext) {
  Command endless = shell("while :; do :; done");
  endless.limits.wall_ms = 200;
  EXPECT_EQ(room_->run(endless).ending, Ending::kTimedOut);
  EXPECT_EQ(say("echo next"), "next\n");
}

TEST_F(RoomTest, ACommandThatLeavesADeepTreeDoesNotTouchTheNext) {
  room_->run(
      python("import os\nos.chdir('/tmp')\n"
             "for i in range(3000): os.mkdir('a'); os.chdir('a')\nos.chmod('.', 0)"));
  EXPECT_EQ(say("ls -A /tmp; echo next"), "next\n");
}

TEST_F(RoomTest, ACommandMaySetNoLimitOfTheSupervisor) {
  const ProcessOutcome outcome =
      room_->run(python("import resource\nresource.prlimit(0, resource.RLIMIT_CORE, (0, 0))\n"
                        "resource.prlimit(1, resource.RLIMIT_NPROC, (0, 0))"));
  EXPECT_NE(outcome.err.find("line 3"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("PermissionError"), std::string::npos) << outcome.err;
  EXPECT_EQ(say("echo next"), "next\n");
}

TEST_F(RoomTest, LimitsHoldForEachCommand) {
  Command small =
      python("import sys\ntry: x = bytearray(200 << 20)\nexcept MemoryError: sys.exit(3)");
  small.limits.memory_bytes = size_t{100} << 20;
  EXPECT_EQ(room_->run(small).code, 3);
  small.limits.memory_bytes = size_t{400} << 20;
  EXPECT_EQ(room_->run(small).code, 0);
}

TEST_F(RoomTest, ACommandThatCannotStartIsASystemError) {
  Command missing = shell("");
  missing.argv = {"/no/such/program"};
  EXPECT_EQ(room_->run(missing).ending, Ending::kSystemError);
  EXPECT_EQ(say("echo next"), "next\n");
}

}  // namespace
}  // namespace warpgrade
