// SPDX-License-Identifier: MIT
#include "run/emulated_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <mutex>

namespace warpgrade {
namespace {

/// Does what a program would do, where its command says that the program could.
class FakeDeviceSandbox final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    const std::lock_guard lock(mutex);
    if (command.argv.size() > 1 && command.argv[1] == "--list") return listed;
    if (command.argv.size() > 1 && command.argv[1] == "--listen") {
      device = command;
      std::ofstream(command.environment.at("WARPGRADE_TRACE")) << "trace" << tail;
      return device_outcome;
    }
    last = command;
    const fs::path out = command.writable.at(0);
    std::ofstream(out / "C.npy", std::ios::binary) << format_npy(make_npy<float>({2}, {1, 2}));
    std::ofstream(out / "short.npy", std::ios::binary)
        << format_npy(make_npy<float>({2}, {1, 2})).substr(0, 100);
    std::ofstream(out / "notes.txt") << "hello";
    fs::create_symlink("/etc/passwd", out / "link.npy");
    if (command.environment.contains("WARPGRADE_REPETITIONS")) repeat(out);
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  static void repeat(const fs::path& out) {
    for (const float number : {0.F, 1.F}) {
      const fs::path folder = out / std::to_string(static_cast<int>(number));
      fs::create_directory(folder);
      std::ofstream(folder / "C.npy", std::ios::binary)
          << format_npy(make_npy<float>({1}, {number}));
      std::ofstream(folder / "broken.npy") << "no array";
    }
    fs::create_symlink(out / "1", out / "2");
  }

  static ProcessOutcome exited(int code) {
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    outcome.code = code;
    return outcome;
  }

  mutable std::mutex mutex;
  mutable Command last, device;
  ProcessOutcome outcome = exited(0), listed = exited(0), device_outcome = exited(0);
  std::string tail = "\n";  ///< of the trace
};

class EmulatedRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-runner-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "inputs");
    std::ofstream(folder_ / "inputs" / "A.npy") << "first";
    place_ = {"/box/program", folder_ / "run", 0};
    step_.words = {"33", "fast"};
    step_.devices = {"T4", "RTX 3090"};
    step_.limits.wall_s = 3;
    step_.outputs = {"C", "short", "link", "left"};
    runs_ = runner_.open(place_);
    result_ = runs_->run(step_, folder_ / "inputs");
  }
  void TearDown() override { fs::remove_all(folder_); }

  FakeDeviceSandbox sandbox_;
  const EmulatedRunner runner_{
      sandbox_, {"/lib/libcudart.so.13", "/device/warpgrade-device", "/cuda/bin/ptxas", false, 77}};
  fs::path folder_;
  ProgramPlace place_;
  RunStep step_;
  std::unique_ptr<ProgramRuns> runs_;
  RunResult result_;
};

TEST_F(EmulatedRunnerTest, AsksPtxasOnlyInTimedRuns) {
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_PTXAS"), "none");
  step_.timed = true;
  runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_PTXAS"), "/cuda/bin/ptxas");
}

TEST_F(EmulatedRunnerTest, TellsTheDeviceTheCasesOrder) {
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_ORDER"), "0");
  step_.order = 7;
  runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_ORDER"), "7");
}

TEST_F(EmulatedRunnerTest, TellsTheDeviceAloneWhichBlocksTheTimeModelLooksAt) {
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_SAMPLE_KEY"), "77");
  EXPECT_EQ(sandbox_.last.environment.count("WARPGRADE_SAMPLE_KEY"), 0u);
}

TEST_F(EmulatedRunnerTest, TellsTheProgramItsCaseAndItsMachine) {
  const Command& command = sandbox_.last;
  EXPECT_EQ(command.argv, (std::vector<std::string>{"/box/program", "33", "fast"}));
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_DEVICES"), "T4,RTX 3090");
  EXPECT_EQ(command.environment.at("LD_LIBRARY_PATH"), "/lib");
  EXPECT_EQ(command.environment.at("WARPGRADE_WALL_MS"), std::to_string(command.limits.wall_ms));
  EXPECT_EQ(command.environment.at("WARPGRADE_CASE"), place_.folder.string());
  EXPECT_EQ(command.limits.wall_ms, 3000);
  EXPECT_EQ(sandbox_.device.environment.at("WARPGRADE_INSTRUCTION_LIMIT"), "20000000");
}

TEST_F(EmulatedRunnerTest, ShowsTheProgramOfItsDeviceOnlyTheSocket) {
  const Command &program = sandbox_.last, &device = sandbox_.device;
  EXPECT_EQ(device.argv.at(0), "/device/warpgrade-device");
  EXPECT_EQ(program.environment.at("WARPGRADE_DEVICE"), device.argv.at(2));
  EXPECT_EQ(program.environment.count("WARPGRADE_TRACE"), 0u);
  EXPECT_NE(program.slot, device.slot);
  const fs::path trace = device.environment.at("WARPGRADE_TRACE");
  for (const auto* const folders : {&program.readable, &program.writable}) {
    for (const fs::path& folder : *folders)
      EXPECT_NE(trace.string().rfind(folder.string() + "/", 0), 0u) << folder;
  }
}

TEST_F(EmulatedRunnerTest, HoldsTheProgramToItsMemoryOnTheDeviceToo) {
  EXPECT_EQ(sandbox_.device.limits.memory_bytes, sandbox_.last.limits.memory_bytes);
  sandbox_.device_outcome.ending = Ending::kMemoryExceeded;
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kMemoryExceeded);
}

TEST_F(EmulatedRunnerTest, LetsTheDeviceShareMemoryThatIsMostlyHoles) {
  EXPECT_GE(sandbox_.device.limits.file_bytes, size_t{1} << 40);
}

TEST_F(EmulatedRunnerTest, CountsTheDevicesTimeAsThePrograms) {
  sandbox_.device_outcome = FakeDeviceSandbox::exited(24);
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kTimedOut);
}

TEST_F(EmulatedRunnerTest, TakesADeviceThatFailsForOurs) {
  sandbox_.outcome = sandbox_.device_outcome = FakeDeviceSandbox::exited(98);
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kSystemError);
  sandbox_.device_outcome = FakeDeviceSandbox::exited(0);
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kExited)
      << "any program may end with that status";
  sandbox_.device_outcome.ending = Ending::kSystemError;
  sandbox_.device_outcome.error = "no sandbox";
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error, "no sandbox");
}

TEST_F(EmulatedRunnerTest, TellsADeviceThatCrashesEachTimeFromOneThatTheMachineEnds) {
  sandbox_.outcome = FakeDeviceSandbox::exited(98);
  sandbox_.device_outcome = FakeDeviceSandbox::exited(97);
  const RunResult crashed = run_patiently(*runs_, step_, folder_ / "inputs");
  EXPECT_EQ(crashed.process.ending, Ending::kSystemError);
  EXPECT_TRUE(crashed.device_crashed);
  sandbox_.device_outcome = FakeDeviceSandbox::exited(98);
  EXPECT_FALSE(run_patiently(*runs_, step_, folder_ / "inputs").device_crashed);
  sandbox_.outcome = sandbox_.device_outcome = FakeDeviceSandbox::exited(0);
  EXPECT_FALSE(run_patiently(*runs_, step_, folder_ / "inputs").device_crashed);
}

TEST_F(EmulatedRunnerTest, TakesADeviceThatCannotBeLoadedForOursHoweverTheProgramEnds) {
  sandbox_.outcome.ending = Ending::kTimedOut;
  sandbox_.device_outcome = FakeDeviceSandbox::exited(127);
  sandbox_.device_outcome.err = "error while loading shared libraries: libfmt.so.9";
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error,
            "the emulated device has failed: error while loading shared libraries: libfmt.so.9");
}

TEST_F(EmulatedRunnerTest, GivesEachRunTheInputsOfItsCaseAlone) {
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "A.npy"));
  fs::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other" / "B.npy") << "second";
  runs_->run(step_, folder_ / "other");
  EXPECT_FALSE(fs::exists(place_.folder / "in" / "A.npy"));
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "B.npy"));
}

TEST_F(EmulatedRunnerTest, GivesRepetitionsAllInputsAndReadsEachOnesOutputs) {
  for (const char* input : {"0", "1"}) {
    fs::create_directories(folder_ / "timed" / input);
    std::ofstream(folder_ / "timed" / input / "A.npy") << input;
  }
  step_.repetitions = {1, 0, 1};
  step_.repeated_outputs = {"C", "broken"};
  const RunResult result = runs_->run(step_, folder_ / "timed");
  EXPECT_EQ(sandbox_.last.environment.at("WARPGRADE_REPETITIONS"), "1,0,1");
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "0" / "A.npy"));
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "1" / "A.npy"));
  ASSERT_EQ(result.repetitions.size(), 3u);
  EXPECT_EQ(result.repetitions[0].at("C"), make_npy<float>({1}, {0}));
  EXPECT_EQ(result.repetitions[1].at("C"), make_npy<float>({1}, {1}));
  EXPECT_TRUE(result.repetitions[2].empty()) << "a link instead of a folder";
  EXPECT_EQ(result.unreadable.count("0/broken"), 1u);
}

TEST_F(EmulatedRunnerTest, ReadsOfRepetitionsOnlyWhatIsAskedFor) {
  fs::create_directories(folder_ / "timed" / "0");
  step_.repetitions = {0, 0};
  const RunResult result = runs_->run(step_, folder_ / "timed");
  ASSERT_EQ(result.repetitions.size(), 2u);
  EXPECT_TRUE(result.repetitions[0].empty());
  EXPECT_EQ(result.unreadable.count("0/broken"), 0u);
}

TEST_F(EmulatedRunnerTest, LaysOutTheInputsOfRepetitionsOnceForAllRounds) {
  fs::create_directories(folder_ / "timed" / "0");
  std::ofstream(folder_ / "timed" / "0" / "A.npy") << "first";
  step_.repetitions = {0};
  runs_->run(step_, folder_ / "timed");
  std::ofstream(place_.folder / "in" / "0" / "mark") << "kept";
  runs_->run(step_, folder_ / "timed");
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "0" / "mark"));
  step_.repetitions.clear();
  runs_->run(step_, folder_ / "timed" / "0");
  EXPECT_FALSE(fs::exists(place_.folder / "in" / "0"));
  EXPECT_TRUE(fs::exists(place_.folder / "in" / "A.npy"));
}

TEST_F(EmulatedRunnerTest, ReadsArraysAndDistrustsTheRest) {
  ASSERT_EQ(result_.outputs.size(), 1u);
  EXPECT_EQ(result_.outputs.at("C"), make_npy<float>({2}, {1, 2}));
  EXPECT_EQ(result_.unreadable.size(), 2u);
  EXPECT_EQ(result_.unreadable.at("link"), "link.npy cannot be read");
  EXPECT_EQ(result_.trace, "trace\n");
}

TEST_F(EmulatedRunnerTest, TakesHalfALineForTheMachinesFault) {
  sandbox_.tail = "";
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error,
            "the record of the run could not be written whole: is the disk full?");
}

TEST_F(EmulatedRunnerTest, ReadsOnlyArraysThatTheStepNames) {
  step_.outputs = {"C"};
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.outputs.size(), 1u);
  EXPECT_TRUE(result.unreadable.empty());
}

TEST_F(EmulatedRunnerTest, TakesAStatusOfTheDriversForTheMachinesWhereTheDiskWasFull) {
  sandbox_.outcome = FakeDeviceSandbox::exited(98);
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kExited)
      << "a program may end with any status";
  sandbox_.outcome.disk_was_full = true;
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error,
            "the disk that holds " + place_.folder.string() + " was full while the program ran");
}

TEST_F(EmulatedRunnerTest, LeavesToTheProgramWhatItWroteBeyondItsLimit) {
  sandbox_.outcome.ending = Ending::kOutputExceeded;
  sandbox_.outcome.disk_was_full = true;
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kOutputExceeded);
}

TEST_F(EmulatedRunnerTest, GivesAllFilesOfARunALimitTogether) {
  EXPECT_EQ(sandbox_.last.limits.folder_bytes, size_t{138} << 20);
}

TEST_F(EmulatedRunnerTest, TakesAProgramThatCannotBeLoadedForTheMachines) {
  sandbox_.outcome = FakeDeviceSandbox::exited(127);
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").process.ending, Ending::kExited)
      << "the loader has nothing to say about it";
  sandbox_.listed.out = "\tlibc.so.6 => /lib/libc.so.6\nundefined symbol: cudaNew\t(./program)\n";
  const RunResult result = runs_->run(step_, folder_ / "inputs");
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error,
            "the program cannot be loaded on this machine: undefined symbol: cudaNew\t(./program)");
}

TEST_F(EmulatedRunnerTest, StartsEveryRunWithAnEmptyFolder) {
  std::ofstream(place_.folder / "out" / "left.npy", std::ios::binary)
      << format_npy(make_npy<float>({1}, {1}));
  EXPECT_EQ(runs_->run(step_, folder_ / "inputs").outputs.count("left"), 0u);
}

}  // namespace
}  // namespace warpgrade
