// SPDX-License-Identifier: MIT
#include "sandbox/local_sandbox.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <thread>

#include <csignal>
#include <fstream>
#include <sstream>

#include "testing/units.h"

namespace warpgrade {
namespace {

// Far more than any command here takes, and less than what it must not wait for.
constexpr long kAmpleMs = 30'000;

struct Way {
  SandboxBackend backend;
  bool in_a_room;
  bool in_a_group = false;
};

bool bubblewrap_works() { return open_sandbox().ok(); }

std::shared_ptr<ControlGroups> groups_for(const Way& way) {
  static const std::shared_ptr<ControlGroups> groups = ControlGroups::find();
  return way.in_a_group ? groups : nullptr;
}

/// A sandbox that runs each command in a room, after another command that leaves traces.
class SandboxOfRooms {
 public:
  explicit SandboxOfRooms(const Way& way)
      : sandbox_(way.backend, WARPGRADE_ROOM_SUPERVISOR, groups_for(way)),
        in_a_room_(way.in_a_room) {}

  ProcessOutcome run(const Command& command) const {
    if (!in_a_room_) return sandbox_.run(command);
    const std::unique_ptr<Room> room = sandbox_.open(command);
    Command before = command;
    before.argv = {"/usr/bin/sh", "-c", "echo left; sleep 60 & touch /tmp/left"};
    before.folder = "/";
    before.limits = {};
    EXPECT_EQ(room->run(before).out, "left\n");
    return room->run(command);
  }
  bool hand_over(const fs::path& path, int slot) const { return sandbox_.hand_over(path, slot); }

 private:
  LocalSandbox sandbox_;
  bool in_a_room_;
};

/// Every promise is kept by both backends; bubblewrap's only where it works.
class SandboxPromises : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().backend == SandboxBackend::kBubblewrap && !bubblewrap_works())
      GTEST_SKIP() << "bubblewrap does not work here";
    if (GetParam().in_a_group && !groups_for(GetParam()))
      GTEST_SKIP() << "this machine permits no control groups";
    std::string name = "/tmp/warpgrade-sandbox-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_exec | fs::perms::group_exec);
    fs::create_directory(folder_ / "out");
    ASSERT_TRUE(sandbox_.hand_over(folder_ / "out", 0));
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  Command shell(const std::string& script) const {
    Command command;
    command.argv = {"/usr/bin/sh", "-c", script};
    command.environment = {{"PATH", "/usr/bin"}};
    command.writable = {folder_ / "out"};
    command.limits.wall_ms = kAmpleMs;
    return command;
  }
  Command python(const std::string& script) const {
    Command command = shell("");
    command.argv = {"/usr/bin/python3", "-I", "-S", "-c", script};
    return command;
  }

  SandboxOfRooms sandbox_{GetParam()};
  fs::path folder_;
};

TEST_P(SandboxPromises, ReportsExitCodeAndBothStreams) {
  const ProcessOutcome outcome = sandbox_.run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.ending, Ending::kExited) << outcome.error;
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
}

TEST_P(SandboxPromises, ReportsTheSignal) {
  const ProcessOutcome outcome = sandbox_.run(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.ending, Ending::kSignalled);
  EXPECT_EQ(outcome.code, SIGSEGV);
}

TEST_P(SandboxPromises, ReportsTheSignalOfAProgramThatKillsItself) {
  const ProcessOutcome outcome = sandbox_.run(shell("kill -KILL $$"));
  EXPECT_EQ(outcome.ending, Ending::kSignalled) << outcome.error;
  EXPECT_EQ(outcome.code, SIGKILL);
}

TEST_P(SandboxPromises, StopsAProgramThatTakesMoreOfTheProcessorThanItMay) {
  Command command = shell("while :; do :; done");
  command.limits.cpu_s = 1;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kTimedOut);
}

/// What one watch does for all: these take seconds.
class SandboxTime : public SandboxPromises {};

/// Processes that take the processors from everyone else. Each has a session of its own, as the scheduler may give each
/// session the same share.
class BusyMachine {
 public:
  explicit BusyMachine(unsigned processes_per_core) {
    for (unsigned i = 0; i < processes_per_core * std::thread::hardware_concurrency(); ++i) {
      const pid_t process = ::fork();
      if (process == 0) {
        ::setsid();
        for (volatile bool is_on = true; is_on;) {
        }
      }
      processes_.push_back(process);
    }
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;
  ~BusyMachine() {
    for (const pid_t process : processes_) ::kill(process, SIGKILL);
    for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  }

 private:
  std::vector<pid_t> processes_;
};

constexpr const char* kWorksForHalfASecond =
    "import time\n"
    "while time.process_time() < 0.5: pass\n";

TEST_P(SandboxTime, WaitsForAProgramThatOthersKeepFromTheProcessor) {
  // Half a second of work takes several among the others.
  Command command = python(kWorksForHalfASecond);
  command.limits.wall_ms = 1000;
  const BusyMachine others(8);
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_TRUE(outcome.succeeded()) << outcome.wall_ms << " ms";
}

TEST_P(SandboxTime, CallsAMachineWithoutTimeForAProgramNoFaultOfTheProgram) {
  Command command = python(kWorksForHalfASecond);
  command.limits.wall_ms = 200;
  const BusyMachine others(32);
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.ending, Ending::kSystemError);
  EXPECT_NE(outcome.error.find("the machine is too busy"), std::string::npos) << outcome.error;
}

TEST_P(SandboxTime, DoesNotCountTheTimeInWhichTheMachineStoodStill) {
  const pid_t grader = ::fork();
  if (grader == 0) {
    Command command = python("import time; time.sleep(3)");
    command.limits.wall_ms = 2500;
    ::_exit(sandbox_.run(command).succeeded() ? 0 : 1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::kill(grader, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ::kill(grader, SIGCONT);
  int status = -1;
  ::waitpid(grader, &status, 0);
  EXPECT_EQ(status, 0);
}

/// Writes 40 MiB into ten files of its folder.
constexpr const char* kFills =
    "import os, sys\n"
    "os.chdir(sys.argv[1])\n"
    "for i in range(10): open(str(i), 'wb').write(bytes(4 << 20))\n";

TEST_P(SandboxPromises, LimitsAllFilesOfAProgramTogether) {
  Command command = python(kFills);
  command.argv.push_back((folder_ / "out").string());
  command.limits.folder_bytes = 50 * kMiB;
  EXPECT_TRUE(sandbox_.run(command).succeeded());
  command.limits.folder_bytes = 30 * kMiB;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kOutputExceeded);
}

TEST_P(SandboxPromises, StopsAProgramThatHidesItsFiles) {
  Command command = python(
      "import os, sys, time\n"
      "f = open(sys.argv[1] + '/x', 'wb')\n"
      "os.unlink(sys.argv[1] + '/x')\n"
      "f.write(bytes(40 << 20)); f.flush()\n"
      "time.sleep(60)");
  command.argv.push_back((folder_ / "out").string());
  command.limits.folder_bytes = 30 * kMiB;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kOutputExceeded);
}

TEST_P(SandboxPromises, PassesOnlyTheGivenEnvironmentAndDescriptors) {
  ::setenv("WARPGRADE_TEST_SECRET", "1", 1);
  Command command = shell("/usr/bin/env; ls /proc/self/fd | wc -l");
  command.environment["ONLY"] = "this";
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.out.find("SECRET"), std::string::npos);
  EXPECT_NE(outcome.out.find("ONLY=this\n"), std::string::npos);
  // 0, 1, 2 and the one ls reads the folder through.
  EXPECT_EQ(outcome.out.substr(outcome.out.size() - 2), "4\n") << outcome.out;
}

// A grader that does much at once has many open, and its pipes any number among them.
TEST_P(SandboxPromises, StartsCommandsHoweverManyFilesTheGraderHasOpen) {
  std::vector<std::unique_ptr<std::ifstream>> open;
  for (int files = 0; files < 40; ++files) {
    open.push_back(std::make_unique<std::ifstream>("/dev/null"));
    open.push_back(std::make_unique<std::ifstream>("/dev/null"));
    const ProcessOutcome outcome = sandbox_.run(shell("echo out; echo err >&2"));
    ASSERT_EQ(outcome.out, "out\n") << open.size() << " files: " << outcome.error;
    ASSERT_EQ(outcome.err, "err\n");
  }
}

TEST_P(SandboxPromises, StopsAnEndlessLoopAtTheDeadline) {
  Command command = shell("while :; do :; done");
  command.limits.wall_ms = 300;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.ending, Ending::kTimedOut);
  EXPECT_GE(outcome.wall_ms, 300);
  EXPECT_LT(outcome.wall_ms, kAmpleMs);
}

TEST_P(SandboxPromises, LetsASlowCommandFinishBeforeTheDeadline) {
  Command command = shell("sleep 0.3");
  command.limits.wall_ms = kAmpleMs;
  EXPECT_TRUE(sandbox_.run(command).succeeded());
}

TEST_P(SandboxPromises, StopsAFloodOfOutputAndKeepsItsHead) {
  Command command =
      shell("echo begin; while :; do echo 0123456789012345678901234567890123456789; done");
  command.limits.output_bytes = kMiB;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.ending, Ending::kOutputExceeded);
  EXPECT_EQ(outcome.out.substr(0, 6), "begin\n");
  EXPECT_LT(outcome.out.size(), 70'000u);
}

TEST_P(SandboxPromises, AllowsOutputUpToTheLimit) {
  Command command = shell("head -c 60000 /dev/zero");
  command.limits.output_bytes = 60'000;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.out.size(), 60'000u);
}

TEST_P(SandboxPromises, LimitsPrivateMemoryFromBothSides) {
  const std::string allocate =
      "import sys\ntry:\n  x = bytearray(200 << 20)\nexcept MemoryError:\n  sys.exit(3)\n";
  Command command = python(allocate);
  command.limits.memory_bytes = 400 * kMiB;
  EXPECT_EQ(sandbox_.run(command).code, 0);
  command.limits.memory_bytes = 100 * kMiB;
  EXPECT_EQ(sandbox_.run(command).code, 3);
}

TEST_P(SandboxPromises, StopsSharedMemoryThatRlimitsDoNotCount) {
  Command command = python(
      "import mmap,time\nm = mmap.mmap(-1, 300 << 20)\nfor i in range(0, 300 << 20, 4096): m[i] = "
      "1\ntime.sleep(9)");
  command.limits.memory_bytes = 100 * kMiB;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kMemoryExceeded);
}

TEST_P(SandboxPromises, CountsFilesInMemoryThatNoMappingShows) {
  Command command = python(
      "import os, time\nfiles = [os.memfd_create('x') for i in range(12)]\n"
      "for f in files: os.write(f, bytes(25 << 20))\ntime.sleep(60)");
  command.limits.memory_bytes = 100 * kMiB;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kMemoryExceeded);
  command.limits.memory_bytes = 600 * kMiB;
  command.argv.back() = "import os\nos.write(os.memfd_create('x'), bytes(25 << 20))";
  EXPECT_TRUE(sandbox_.run(command).succeeded());
}

TEST_P(SandboxPromises, CountsAFileInMemoryAndItsMappingOnce) {
  Command command = python(
      "import mmap, os, time\nf = os.memfd_create('x')\nos.truncate(f, 60 << 20)\n"
      "m = mmap.mmap(f, 60 << 20)\nfor i in range(0, 60 << 20, 4096): m[i] = 1\n"
      "time.sleep(0.3)");
  command.limits.memory_bytes = 100 * kMiB;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_TRUE(outcome.succeeded()) << static_cast<int>(outcome.ending) << outcome.err;
}

TEST_P(SandboxPromises, CountsFilesInTheSandboxsOwnFolders) {
  if (GetParam().backend != SandboxBackend::kBubblewrap) return;  // it has none
  Command command =
      shell("for i in 1 2 3 4 5 6 7 8 9; do head -c 30000000 /dev/zero > /tmp/$i; done; sleep 60");
  command.limits.memory_bytes = 100 * kMiB;
  EXPECT_EQ(sandbox_.run(command).ending, Ending::kMemoryExceeded);
}

TEST_P(SandboxPromises, CountsOutputsAsFilesAndNotAsMemory) {
  Command command = shell("for i in 1 2 3 4 5; do head -c 30000000 /dev/zero > " +
                          (folder_ / "out").string() + "/$i; done; sleep 0.3");
  command.limits.memory_bytes = 100 * kMiB;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_TRUE(outcome.succeeded()) << static_cast<int>(outcome.ending) << outcome.error;
}

TEST_P(SandboxPromises, RefusesNamespacesAndTheNewerWaysToMount) {
  // clone with CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, each with SIGCHLD; unshare; fsopen, open_tree, move_mount,
  // mount_setattr; memfd_secret: all EPERM (1). clone3: ENOSYS (38).
  const ProcessOutcome outcome = sandbox_.run(
      python("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
             "def refused(*call):\n"
             "  if libc.syscall(*call) == 0: os._exit(7)\n"
             "  return ctypes.get_errno()\n"
             "print([refused(56, flag | 17, 0, 0, 0, 0) for flag in (1 << 28, 1 << 17, 1 << 29)],"
             " [refused(n, 0, 0, 0, 0, 0) for n in (272, 430, 428, 429, 442, 447)],"
             " refused(435, 0, 0))"));
  EXPECT_EQ(outcome.out, "[1, 1, 1] [1, 1, 1, 1, 1, 1] 38\n") << outcome.err << outcome.code;
}

TEST_P(SandboxPromises, LetsAProgramStartProcessesAndThreads) {
  const ProcessOutcome outcome = sandbox_.run(python(
      "import os, subprocess, threading\n"
      "t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()\n"
      "print(subprocess.run(['/usr/bin/echo', 'process'], capture_output=True).stdout)"));
  EXPECT_EQ(outcome.out, "thread\nb'process\\n'\n") << outcome.err;
}

/// How a grader ends that runs, as an ordinary user, a program that wants to kill, read and trace it.
template <class AnySandbox>
int status_of_attacked_grader(const AnySandbox& sandbox, Command command) {
  constexpr uid_t kOrdinary = 20'900;
  constexpr int kReached = 3;
  const pid_t grader = ::fork();
  if (grader == 0) {
    if (::geteuid() == 0 && (::setgid(kOrdinary) != 0 || ::setuid(kOrdinary) != 0)) ::_exit(1);
    const std::string self = std::to_string(::getpid());
    command.argv.back() =
        "import ctypes, os\n"
        "print(os.path.exists('/proc/" +
        self +
        "/mem'))\n"
        "print(ctypes.CDLL(None).syscall(101, 16, " +
        self +
        ", 0, 0))\n"
        "try: os.kill(" +
        self +
        ", 9); print('killed')\n"
        "except ProcessLookupError: print('none')";
    ::_exit(sandbox.run(command).out == "False\n-1\nnone\n" ? 0 : kReached);
  }
  int status = 0;
  ::waitpid(grader, &status, 0);
  return status;
}

TEST_P(SandboxPromises, LetsNoProgramReachTheGraderOfAnOrdinaryUser) {
  // Root's groups are no ordinary user's.
  if (GetParam().in_a_group) return;
  Command command = python("");
  command.writable = {};
  const int status = status_of_attacked_grader(sandbox_, command);
  if (GetParam().backend == SandboxBackend::kBubblewrap) {
    EXPECT_EQ(status, 0);
  } else {
    EXPECT_EQ(status, SIGKILL) << "limits alone do not hide the grader, so that it is refused";
  }
}

TEST_P(SandboxPromises, CallsAProgramThatKillsItselfNeitherSlowNorLarge) {
  const ProcessOutcome outcome = sandbox_.run(shell("kill -9 $$"));
  EXPECT_EQ(outcome.ending, Ending::kSignalled);
  EXPECT_EQ(outcome.code, SIGKILL);
}

bool is_any_unreaped() {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && text.substr(name_end + 2, 1) == "Z") return true;
  }
  return false;
}

TEST_P(SandboxPromises, StopsAForkBombAndLeavesNothing) {
  // The kernel counts those of earlier commands until the machine's first process reaps them; the limit counts them too.
  for (int i = 0; i < 1000 && is_any_unreaped(); ++i) ::usleep(10'000);
  Command command = python(
      "import os,time\nn = 0\ntry:\n  while os.fork(): n += 1\n  time.sleep(60)\nexcept OSError:\n "
      " print(n)");
  command.limits.processes = 20;
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.ending, Ending::kExited) << outcome.error;
  EXPECT_GT(std::stoi("0" + outcome.out), 5);
  EXPECT_LT(std::stoi("0" + outcome.out), 21);
  EXPECT_LT(outcome.wall_ms, kAmpleMs);
}

bool is_running(const std::string& marker) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().find(marker) != std::string::npos) return true;
  }
  return false;
}

TEST_P(SandboxPromises, LeavesNoDaemonBehind) {
  const std::string marker = "7654." + std::to_string(::getpid());
  Command command = shell("setsid sleep " + marker + " >/dev/null 2>&1 & sleep 0.1");
  EXPECT_TRUE(sandbox_.run(command).succeeded());
  for (int i = 0; i < 1000 && is_running(marker); ++i) ::usleep(10'000);
  EXPECT_FALSE(is_running(marker));
}

TEST_P(SandboxPromises, DoesNotWaitForADaemonThatHoldsTheOutput) {
  const ProcessOutcome outcome = sandbox_.run(shell("setsid sleep 60 & exit 0"));
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_LT(outcome.wall_ms, kAmpleMs);
}

TEST_P(SandboxPromises, RefusesTheNetwork) {
  const ProcessOutcome outcome =
      sandbox_.run(python("import socket\nsocket.socket(socket.AF_INET)"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("PermissionError"), std::string::npos) << outcome.err;
}

// Where the library that observes a program on a GPU looks for its settings.
TEST_P(SandboxPromises, ShowsAProgramTheEnvironmentThatItWasStartedWith) {
  Command command = python(
      "import os\nos.environ['ONLY'] = 'that'\n"
      "print(b'ONLY=this' in open('/proc/self/environ', 'rb').read().split(b'\\0'))");
  command.environment["ONLY"] = "this";
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_EQ(outcome.out, "True\n") << outcome.err;
}

TEST_P(SandboxPromises, RefusesAProgramsOwnFilterOfSystemCallsAndNoOtherPrctl) {
  // PR_SET_SECCOMP in strict mode, which kills whoever does anything else then; seccomp(2); PR_SET_NAME.
  const ProcessOutcome outcome =
      sandbox_.run(python("import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                          "print(libc.prctl(22, 1), ctypes.get_errno(), libc.syscall(317, 0, 0, "
                          "0), libc.prctl(15, b'x'))"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "-1 1 -1 0\n");
}

TEST_P(SandboxPromises, LetsATalkOverLoopbackBeOnlyWhereTheNetworkIsItsOwn) {
  Command command = python(
      "import socket\ns = socket.create_server(('127.0.0.1', 0))\n"
      "c = socket.create_connection(s.getsockname())\nc.sendall(b'heard')\n"
      "print(s.accept()[0].recv(5).decode())\n"
      "print([line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])");
  command.loopback = true;
  const ProcessOutcome outcome = sandbox_.run(command);
  if (GetParam().backend == SandboxBackend::kBubblewrap) {
    EXPECT_EQ(outcome.out, "heard\n['lo']\n") << outcome.err;
  } else {
    EXPECT_NE(outcome.err.find("PermissionError"), std::string::npos) << outcome.err;
  }
}

TEST_P(SandboxPromises, WritesOnlyWhereItMay) {
  const std::string out = (folder_ / "out" / "a").string();
  EXPECT_TRUE(sandbox_.run(shell("echo x > " + out)).succeeded());
  EXPECT_TRUE(fs::exists(out));
  sandbox_.run(shell("echo x > " + (folder_ / "b").string()));
  EXPECT_FALSE(fs::exists(folder_ / "b"));
  EXPECT_FALSE(sandbox_.run(shell("echo x > /usr/hole")).succeeded());
  EXPECT_FALSE(sandbox_.run(shell("echo x > /hole")).succeeded());
}

TEST_P(SandboxPromises, LimitsTheSizeOfAFile) {
  Command command = shell("head -c 3000000 /dev/zero > " + (folder_ / "out" / "big").string());
  command.limits.file_bytes = kMiB;
  EXPECT_FALSE(sandbox_.run(command).succeeded());
  EXPECT_LE(fs::file_size(folder_ / "out" / "big"), kMiB);
}

TEST_P(SandboxPromises, SeesNoFileOfTheGraders) {
  if (GetParam().backend == SandboxBackend::kRlimits && ::geteuid() != 0)
    GTEST_SKIP() << "needs a user of its own";
  std::ofstream(folder_ / "secret") << "expected";
  fs::permissions(folder_ / "secret", fs::perms::owner_read);
  EXPECT_FALSE(sandbox_.run(shell("cat " + (folder_ / "secret").string())).succeeded());
}

TEST_P(SandboxPromises, CallsAProgramThatCannotStartNoFaultOfTheCommand) {
  Command command = shell("");
  command.folder = "/no/such/folder";
  const ProcessOutcome outcome = sandbox_.run(command);
  EXPECT_FALSE(outcome.succeeded());
  if (GetParam().backend == SandboxBackend::kBubblewrap) {
    EXPECT_EQ(outcome.ending, Ending::kSystemError);
  }
}

TEST_P(SandboxPromises, OpensOnlyTheGivenDevices) {
  // A node of our own: the sandbox has some of the usual ones anyway.
  const fs::path node = folder_ / "full";
  if (::mknod(node.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) GTEST_SKIP() << "needs mknod";
  fs::permissions(node, fs::perms(0666));
  Command command = shell("echo x | tee " + node.string());
  command.devices = {node, "/dev/full"};
  const std::string full = sandbox_.run(command).err;
  EXPECT_NE(full.find("No space left on device"), std::string::npos) << full;
  if (GetParam().backend != SandboxBackend::kBubblewrap) return;
  command.devices = {};
  const std::string none = sandbox_.run(command).err;
  EXPECT_EQ(none.find("No space left on device"), std::string::npos) << none;
}

TEST_P(SandboxPromises, CallsAMissingDeviceNoFaultOfTheCommand) {
  const LocalSandbox sandbox(GetParam().backend, WARPGRADE_ROOM_SUPERVISOR);
  Command command = shell("exit 0");
  const auto complaint = [&](const fs::path& device) {
    command.devices = {"/dev/null", device};
    const ProcessOutcome outcome =
        GetParam().in_a_room ? sandbox.open(command)->run(command) : sandbox.run(command);
    EXPECT_EQ(outcome.ending, Ending::kSystemError);
    return outcome.error;
  };
  EXPECT_EQ(complaint("/dev/no-such-gpu"), "the device /dev/no-such-gpu is missing");
  EXPECT_EQ(complaint("/usr/bin/true"), "/usr/bin/true is no device");
}

std::string name_of(const testing::TestParamInfo<Way>& info) {
  const Way& way = info.param;
  std::string name = way.backend == SandboxBackend::kBubblewrap ? "Bubblewrap" : "Rlimits";
  if (way.in_a_room) name = "Room";
  return way.in_a_group ? name + "InAGroup" : name;
}

INSTANTIATE_TEST_SUITE_P(Backends, SandboxPromises,
                         testing::Values(Way{SandboxBackend::kBubblewrap, false},
                                         Way{SandboxBackend::kBubblewrap, true},
                                         Way{SandboxBackend::kBubblewrap, true, true},
                                         Way{SandboxBackend::kBubblewrap, false, true},
                                         Way{SandboxBackend::kRlimits, false, true},
                                         Way{SandboxBackend::kRlimits, false}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Backends, SandboxTime,
                         testing::Values(Way{SandboxBackend::kBubblewrap, true},
                                         Way{SandboxBackend::kRlimits, false}),
                         name_of);

}  // namespace
}  // namespace warpgrade
