// SPDX-License-Identifier: MIT
// The whole library in a program, on the fake GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "observe/trace.h"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

/// What one run of the program left behind.
struct Ran {
  int status = 0;
  std::string text;  ///< Its trace.
  std::string printed;
  Trace trace() const {
    const Result<Trace> read = parse_trace(text);
    EXPECT_TRUE(read.ok()) << read.error().message << "\n" << text;
    return read.ok() ? *read : Trace{};
  }
  std::string error() const {
    const Result<Trace> read = parse_trace(text);
    return read.ok() ? "" : read.error().message;
  }
};

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class InjectedProgram : public testing::Test {
 protected:
  InjectedProgram() { fs::create_directories(folder_); }
  ~InjectedProgram() override { fs::remove_all(folder_); }

  Ran run(const char* mode, const char* what, const Environment& more = {}) const {
    Environment environment = {{"LD_LIBRARY_PATH", fs::path(fake_).parent_path()},
                               {"CUDA_INJECTION64_PATH", library_},
                               {"NVTX_INJECTION64_PATH", library_},
                               {"WARPGRADE_CUPTI", fake_},
                               {"WARPGRADE_TRACE", folder_ / "trace"},
                               {"WARPGRADE_TRACE_MODE", mode}};
    for (const auto& [name, value] : more) environment[name] = value;
    fs::remove(folder_ / "trace");
    const pid_t child = ::fork();
    if (child == 0) {
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      const std::string out = folder_ / "printed";
      if (std::freopen(out.c_str(), "w", stdout) == nullptr) ::_exit(1);
      ::dup2(STDOUT_FILENO, STDERR_FILENO);
      ::execl(program_.c_str(), program_.c_str(), what, nullptr);
      ::_exit(127);
    }
    Ran ran;
    ::waitpid(child, &ran.status, 0);
    ran.text = contents(folder_ / "trace");
    ran.printed = contents(folder_ / "printed");
    return ran;
  }

 private:
  const std::string library_ = std::getenv("TRACE_LIBRARY"), fake_ = std::getenv("FAKE_GPU"),
                    program_ = std::getenv("INJECTED_PROGRAM");
  const fs::path folder_ =
      fs::temp_directory_path() / ("warpgrade-injected-" + std::to_string(::getpid()));
};

TEST_F(InjectedProgram, IsTracedAsOnTheEmulatedDevice) {
  const Ran ran = run("trace", "pitched");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.printed, "");
  const Trace trace = ran.trace();
  EXPECT_EQ(trace.source, "gpu");
  EXPECT_EQ(trace.devices.at(0).major, 9);
  EXPECT_TRUE(trace.exited);
  ASSERT_EQ(trace.calls.size(), 6u) << "the driver's calls within are not recorded again";
  const KernelLaunch& launch = *launches_in(trace, "padded").at(0);
  EXPECT_EQ(launch.kernel, "write_rows(char const*, Pitched)");
  EXPECT_EQ(launch.grid, (Extent3{2, 3, 1}));
  EXPECT_EQ(launch.block, (Extent3{16, 16, 1}));
  EXPECT_EQ(launch.static_shared_bytes, 96);
  EXPECT_EQ(launch.dynamic_shared_bytes, 64);
  ASSERT_EQ(launch.params.size(), 2u);
  EXPECT_EQ(launch.params[1].size(), 16u);
  EXPECT_EQ(launch.time_ms->source, "measured");
  EXPECT_GT(launch.time_ms->value, 0);
}

TEST_F(InjectedProgram, TellsWhichMemoryAKernelWroteAndWhichItCouldRead) {
  const Trace trace = run("trace", "pitched").trace();
  const std::vector<Allocation> allocations = allocations_of(trace);
  const KernelLaunch& launch = trace.launches.at(0);
  ASSERT_EQ(launch.memory.size(), 2u);
  const Touch &in = launch.memory[0], &out = launch.memory[1];
  EXPECT_EQ(allocation_at(allocations, in.ptr, launch.seq)->api, "cudaMalloc");
  EXPECT_TRUE(in.read && !in.written);
  EXPECT_EQ(allocation_at(allocations, out.ptr, launch.seq)->pitch, 512u);
  EXPECT_TRUE(out.written && !out.padding_written);
}

TEST_F(InjectedProgram, IsToldOfAStoreBehindARow) {
  const Trace trace = run("trace", "padding").trace();
  const Touch& out = trace.launches.at(0).memory.at(1);
  EXPECT_TRUE(out.padding_written);
  EXPECT_FALSE(out.written);
}

TEST_F(InjectedProgram, LeavesHashesOfWhatItCopiedBack) {
  const Trace trace = run("trace", "pitched").trace();
  const ApiCall& copy = *calls_in(trace, "padded", "cudaMemcpy2D").at(0);
  EXPECT_EQ(copy.text("direction"), "DtoH");
  // Rows of a 7 that the kernel wrote and of 399 bytes of 0xFF, the poison that it left.
  EXPECT_EQ(copy.text("content_hash"), "8ce7ace83d95e483");
  EXPECT_EQ(copy.words("row_hashes").size(), 3u);
  EXPECT_EQ(calls_in(trace, "padded", "cudaMemcpy").at(0)->text("direction"), "HtoD");
}

TEST_F(InjectedProgram, HasTheShapeOfALaunchThatWasRefused) {
  const Trace trace = run("trace", "block").trace();
  const KernelLaunch& launch = trace.launches.at(0);
  EXPECT_EQ(launch.result, 1);
  EXPECT_EQ(launch.block, (Extent3{2048, 1, 1}));
  EXPECT_EQ(launch.kernel, "slow()");
}

TEST_F(InjectedProgram, LaunchesTheKernelsOfAGraphWhenTheGraphRuns) {
  const Trace trace = run("trace", "graph").trace();
  const ApiCall& captured = *calls_in(trace, "", "cudaLaunchKernel").at(0);
  ASSERT_EQ(trace.launches.size(), 2u);
  EXPECT_TRUE(trace.launches[0].is_unseen && trace.launches[1].is_unseen);
  EXPECT_LT(captured.seq, trace.launches[0].seq);
  EXPECT_EQ(trace.launches[0].stream, captured.number("stream"));
  EXPECT_TRUE(calls_in(trace, "", "cudaGraphLaunch").empty()) << "its kernels stand for it";
}

TEST_F(InjectedProgram, IsRecordedUntilItsStaticObjectsAreGone) {
  const Trace trace = run("trace", "global").trace();
  EXPECT_EQ(calls_in(trace, "", "cudaFree").size(), 1u);
  EXPECT_TRUE(trace.exited);
}

TEST_F(InjectedProgram, ThatUsesNoDeviceIsKnownToHaveBeenWatched) {
  const Trace trace = run("trace", "ranges only").trace();
  EXPECT_EQ(trace.source, "gpu");
  EXPECT_TRUE(trace.calls.empty());
  EXPECT_TRUE(trace.exited);
}

TEST_F(InjectedProgram, ThatDoesNothingHasItsDevicesListedAllTheSame) {
  EXPECT_EQ(run("trace", "driver").trace().devices.size(), 1u);
}

TEST_F(InjectedProgram, IsTimedRangeByRange) {
  const Ran ran = run("timing", "repetitions");
  EXPECT_EQ(ran.printed, "");
  const Trace trace = ran.trace();
  EXPECT_TRUE(trace.calls.empty());
  EXPECT_TRUE(trace.empty_range.has_value());
  ASSERT_EQ(trace.timings.size(), 3u) << "the inner range is a part of the outer one";
  for (int k = 0; k < 3; ++k) {
    const RangeTiming& timing = trace.timings[static_cast<size_t>(k)];
    EXPECT_EQ(timing.range, "device");
    EXPECT_EQ(timing.repetition, k);
    EXPECT_GE(timing.kernel_ms, 5);
    EXPECT_GE(timing.wall_ms, timing.kernel_ms - 0.05);
    EXPECT_GE(timing.event_ms, timing.kernel_ms - 0.05);
    EXPECT_LE(timing.start_ns + 5'000'000, timing.end_ns);
  }
}

TEST_F(InjectedProgram, IsChargedWhatAnotherThreadLaunchesInTheRange) {
  const Trace trace = run("timing", "repetitions").trace();
  EXPECT_GE(trace.timings.at(1).kernel_ms, 10);
}

TEST_F(InjectedProgram, IsChargedWhatRunsBetweenTwoRangesButNotOurOwnWork) {
  const Trace trace = run("timing", "repetitions").trace();
  EXPECT_EQ(trace.timings.at(1).outside_kernel_ms, 0);
  // A kernel of 5 ms, less what is forgiven to the clock.
  EXPECT_GE(trace.timings.at(2).outside_kernel_ms, 4.9);
}

TEST_F(InjectedProgram, IsTimedRightlyWhereTheDevicesClockDriftsFromTheHosts) {
  const Trace trace = run("timing", "repetitions", {{"FAKE_CUPTI_DRIFTS", "1"}}).trace();
  ASSERT_EQ(trace.timings.size(), 3u);
  for (const RangeTiming& timing : trace.timings) EXPECT_GE(timing.kernel_ms, 5);
  EXPECT_GE(trace.timings[1].kernel_ms, 10);
  EXPECT_EQ(trace.timings[1].outside_kernel_ms, 0);
  EXPECT_GE(trace.timings[2].outside_kernel_ms, 5);
}

TEST_F(InjectedProgram, IsTimedByTheOperatingSystemsClockWhereItBringsItsOwn) {
  const Trace trace = run("timing", "slow clock").trace();
  ASSERT_EQ(trace.timings.size(), 3u);
  for (const RangeTiming& timing : trace.timings) {
    EXPECT_GE(timing.kernel_ms, 5);
    EXPECT_GE(timing.wall_ms, 5);
  }
}

TEST_F(InjectedProgram, MayDestroyItsContextInARange) {
  const Trace trace = run("timing", "reset").trace();
  ASSERT_EQ(trace.timings.size(), 2u);
  EXPECT_GE(trace.timings[1].kernel_ms, 5);
  EXPECT_EQ(trace.timings[1].event_ms, 0) << "the events went with the context";
}

TEST_F(InjectedProgram, MayDestroyItsContextBetweenRanges) {
  const Trace trace = run("timing", "reset between").trace();
  ASSERT_EQ(trace.timings.size(), 2u);
  EXPECT_GE(trace.timings[0].event_ms, 5);
  EXPECT_GE(trace.timings[1].event_ms, 5);
}

TEST_F(InjectedProgram, WaitsForRecordsThatCuptiKeepsToItself) {
  const Trace trace = run("timing", "killed", {{"FAKE_CUPTI_KEEPS_BUFFERS", "1"}}).trace();
  ASSERT_EQ(trace.timings.size(), 3u);
  for (const RangeTiming& timing : trace.timings) EXPECT_GE(timing.kernel_ms, 5);
}

TEST_F(InjectedProgram, KeepsTheRangesBeforeAnExitInOne) {
  const Trace trace = run("timing", "exit in a range").trace();
  EXPECT_EQ(trace.timings.size(), 3u);
  EXPECT_TRUE(trace.exited);
}

TEST_F(InjectedProgram, MayFork) {
  for (const char* mode : {"trace", "timing"}) {
    const Ran ran = run(mode, "fork");
    EXPECT_EQ(ran.status, 0) << "CUPTI was called in the fork";
    EXPECT_TRUE(ran.trace().exited);
  }
  EXPECT_EQ(run("timing", "fork").trace().timings.size(), 1u);
}

TEST_F(InjectedProgram, LeavesWholeLinesWhenItIsKilled) {
  const Ran ran = run("timing", "killed");
  EXPECT_TRUE(WIFSIGNALED(ran.status));
  EXPECT_EQ(ran.text.back(), '\n');
  const Trace trace = ran.trace();
  EXPECT_EQ(trace.timings.size(), 3u);
  EXPECT_FALSE(trace.exited);
}

TEST_F(InjectedProgram, SaysThatAnotherToolHoldsCupti) {
  for (const char* mode : {"trace", "timing"}) {
    const Ran ran = run(mode, "repetitions", {{"FAKE_CUPTI_HAS_A_SUBSCRIBER", "1"}});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(
        ran.error(),
        "the program could not be observed: cuptiSubscribe failed with CUPTI error 39 "
        "(CUPTI_ERROR_AS_TOLD): another tool, a profiler or a debugger, observes this program "
        "already");
  }
}

TEST_F(InjectedProgram, SaysThatCuptiIsMissing) {
  const Ran ran = run("trace", "pitched", {{"WARPGRADE_CUPTI", "/no/libcupti.so.13"}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(
      ran.error(),
      "the program could not be observed: /no/libcupti.so.13: cannot open shared object file: "
      "No such file or directory");
}

TEST_F(InjectedProgram, SaysThatRecordsWereLost) {
  EXPECT_EQ(run("timing", "repetitions", {{"FAKE_CUPTI_DROPS", "1"}}).error(),
            "the program could not be observed: CUPTI dropped 3 of its records");
}

TEST_F(InjectedProgram, SaysThatTheLibraryHasNoStreamOfItsOwn) {
  EXPECT_EQ(run("timing", "repetitions", {{"FAKE_DRIVER_REFUSES_STREAMS", "2"}}).error(),
            "the program could not be observed: the driver gives the library no stream of its own");
}

TEST_F(InjectedProgram, IsChargedForItsStreamsWhereAFaultOfItsOwnLeavesTheLibraryNone) {
  const Trace trace =
      run("timing", "repetitions", {{"FAKE_DRIVER_REFUSES_STREAMS", "700"}}).trace();
  ASSERT_EQ(trace.timings.size(), 3u);
  for (const RangeTiming& timing : trace.timings) EXPECT_GE(timing.kernel_ms, 5);
}

TEST_F(InjectedProgram, SaysThatTheLibraryCannotEmptyTheCaches) {
  EXPECT_EQ(run("timing", "repetitions", {{"FAKE_DRIVER_HAS_LITTLE_MEMORY", "1"}}).error(),
            "the program could not be observed: the driver gives the library no memory to empty "
            "the caches with");
}

TEST_F(InjectedProgram, SaysThatTimesAreOfAnotherClock) {
  EXPECT_EQ(
      run("timing", "repetitions", {{"FAKE_CUPTI_KEEPS_ITS_CLOCK", "1"}}).error(),
      "the program could not be observed: CUPTI gives times of another clock than it was told "
      "to use");
}

TEST_F(InjectedProgram, IsNotTimedByAClockThatIsSlowerThanTheDevices) {
  EXPECT_EQ(run("timing", "repetitions", {{"FAKE_CUPTI_HAS_A_SLOW_CLOCK", "1"}}).error(),
            "the program could not be observed: by CUPTI's clock less time passed than by the "
            "device's own events");
}

TEST_F(InjectedProgram, CannotChooseWhatObservesIt) {
  const Trace trace = run("timing", "another CUPTI").trace();
  ASSERT_EQ(trace.timings.size(), 3u);
  EXPECT_GE(trace.timings[0].kernel_ms, 5);
}

TEST_F(InjectedProgram, SaysThatItsModeIsNone) {
  EXPECT_EQ(run("guessing", "pitched").error(),
            "the program could not be observed: WARPGRADE_TRACE_MODE is guessing, and not trace or "
            "timing");
}

TEST_F(InjectedProgram, RunsUnobservedWithoutAFileToWrite) {
  const Ran ran = run("trace", "pitched", {{"WARPGRADE_TRACE", ""}});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.text, "");
}

}  // namespace
}  // namespace warpgrade
