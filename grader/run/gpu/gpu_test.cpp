// SPDX-License-Identifier: MIT
#include "run/gpu/gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

constexpr const char* kOneGpu = R"({"driver": "580.1", "cuda": "13.0", "gpus": [{"index": 0,
  "minor_number": 3, "uuid": "GPU-1", "name": "NVIDIA H100 80GB HBM3", "major": 9, "minor": 0,
  "pci_bus_id": "00000000:0A:00.0", "memory_bytes": 85899345920, "sm_count": 132, "max_sm_mhz": 1980,
  "max_memory_mhz": 2619, "memory_bus_bits": 5120, "compute_mode": "exclusive_process",
  "persistence": true, "processes": [{"pid": 7, "name": "python3", "bytes": 1024}], "mig": false}],
  "error": ""})";

TEST(ParseGpus, ReadsEveryField) {
  const Result<GpuMachine> machine = parse_gpus(kOneGpu);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->driver, "580.1");
  EXPECT_EQ(machine->cuda, "13.0");
  ASSERT_EQ(machine->gpus.size(), 1u);
  const Gpu& gpu = machine->gpus[0];
  EXPECT_EQ(gpu.minor_number, 3);
  EXPECT_EQ(gpu.uuid, "GPU-1");
  EXPECT_EQ(gpu.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.major, 9);
  EXPECT_EQ(gpu.memory_bytes, size_t{80} << 30);
  EXPECT_EQ(gpu.compute_mode, "exclusive_process");
  EXPECT_TRUE(gpu.persistence);
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(gpu.processes[0].name, "python3");
}

TEST(ParseGpus, AMachineWithoutADriverHasNoGpuAndAReason) {
  const Result<GpuMachine> machine = parse_gpus(R"({"gpus": [], "error": "no NVIDIA driver"})");
  ASSERT_TRUE(machine);
  EXPECT_TRUE(machine->gpus.empty());
  EXPECT_EQ(machine->error, "no NVIDIA driver");
}

TEST(ParseGpus, RefusesWhatIsNoAnswer) {
  EXPECT_FALSE(parse_gpus(""));
  EXPECT_FALSE(parse_gpus(R"({"gpus": [{"index": 0}], "error": ""})"));
  EXPECT_FALSE(parse_gpus(R"({"gpus": "none", "error": 1})"));
}

// Published: 3.35 TB/s and 66.9 TFLOP/s; 320 GB/s and 8.1 TFLOP/s.
TEST(Gpu, KnowsItsPeaks) {
  Gpu h100 = parse_gpus(kOneGpu)->gpus[0];
  EXPECT_NEAR(h100.peak_gb_per_s(), 3352.3, 0.1);
  EXPECT_NEAR(h100.peak_gflop_per_s(), 66908.2, 0.1);
  Gpu t4;
  t4.major = 7;
  t4.minor = 5;
  t4.sm_count = 40;
  t4.max_sm_mhz = 1590;
  t4.max_memory_mhz = 5001;
  t4.memory_bus_bits = 256;
  EXPECT_NEAR(t4.peak_gb_per_s(), 320.1, 0.1);
  EXPECT_NEAR(t4.peak_gflop_per_s(), 8140.8, 0.1);
  t4.sm_count = 0;
  EXPECT_EQ(t4.peak_gflop_per_s(), 0);
}

/// gpu-probe beside a management library whose GPUs are not there.
class GpuProbeTest : public testing::Test {
 protected:
  ProcessOutcome probe(std::vector<std::string> words, const std::string& fault = "") const {
    Command command;
    command.argv = {WARPGRADE_GPU_PROBE};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.environment = {{"LD_LIBRARY_PATH", WARPGRADE_FAKE_DRIVER}, {"FAKE_NVML", fault}};
    command.limits.wall_ms = 10'000;
    return trusted_.run(command);
  }
  GpuMachine machine(const std::string& fault = "") const {
    const Result<GpuMachine> found = parse_gpus(probe({}, fault).out);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : GpuMachine();
  }

  LocalSandbox trusted_{SandboxBackend::kNone};
};

TEST_F(GpuProbeTest, DescribesEveryGpu) {
  const GpuMachine found = machine();
  EXPECT_EQ(found.driver, "580.1");
  EXPECT_EQ(found.cuda, "13.0");
  EXPECT_EQ(found.error, "");
  ASSERT_EQ(found.gpus.size(), 2u);
  const Gpu &h100 = found.gpus[0], &t4 = found.gpus[1];
  EXPECT_EQ(h100.uuid, "GPU-11111111-aaaa");
  EXPECT_EQ(h100.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(h100.pci_bus_id, "00000000:0A:00.0");
  EXPECT_EQ(h100.sm_count, 132);
  EXPECT_EQ(h100.max_sm_mhz, 1980);
  EXPECT_EQ(h100.max_memory_mhz, 2619);
  EXPECT_EQ(h100.memory_bus_bits, 5120);
  EXPECT_EQ(h100.memory_bytes, size_t{80} << 30);
  EXPECT_EQ(h100.compute_mode, "default");
  EXPECT_TRUE(h100.persistence);
  EXPECT_FALSE(h100.mig);
  EXPECT_EQ(t4.index, 1);
  EXPECT_EQ(t4.minor_number, 0);
  EXPECT_EQ(t4.major * 10 + t4.minor, 75);
  EXPECT_EQ(t4.sm_count, 40);
  EXPECT_EQ(t4.compute_mode, "exclusive_process");
  EXPECT_FALSE(t4.persistence);
}

TEST_F(GpuProbeTest, NamesEachProcessOnce) {
  const std::vector<GpuProcess> processes = machine().gpus.at(0).processes;
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].pid, 77);
  EXPECT_EQ(processes[0].name, "/usr/bin/python3");
  EXPECT_EQ(processes[0].bytes, 524288000u);
  EXPECT_EQ(processes[1].name, "Xorg");
  EXPECT_EQ(processes[1].bytes, 0u);
}

TEST_F(GpuProbeTest, SaysWhereTheDriverLies) {
  const std::vector<fs::path> folders = machine().driver_folders;
  EXPECT_EQ(std::count(folders.begin(), folders.end(), fs::canonical(WARPGRADE_FAKE_DRIVER)), 1);
}

TEST_F(GpuProbeTest, LeavesOutWhatAnOldDriverDoesNotTell) {
  const GpuMachine found = machine("old");
  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_EQ(found.gpus[0].sm_count, 0);
  EXPECT_EQ(found.gpus[0].max_sm_mhz, 1980);
}

TEST_F(GpuProbeTest, KeepsTheGpusThatAnswerBesideALostOne) {
  const GpuMachine found = machine("lost");
  EXPECT_EQ(found.gpus.size(), 1u);
  EXPECT_EQ(found.error, "GPU 1 does not answer: GPU is lost");
}

TEST_F(GpuProbeTest, SaysWhyThereIsNoGpu) {
  EXPECT_EQ(machine("none").error, "the NVIDIA driver sees no GPU");
  EXPECT_EQ(machine("broken").error, "the NVIDIA driver does not work: Driver Not Loaded");
}

TEST_F(GpuProbeTest, WatchesUntilItsTimeIsOver) {
  const ProcessOutcome outcome = probe({"watch", "GPU-22222222-bbbb", "200"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = split(trim(outcome.out), '\n');
  EXPECT_GE(lines.size(), 3u);
  EXPECT_LE(lines.size(), 25u);
  long before = 0;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = split(line, ' ');
    ASSERT_EQ(words.size(), 6u) << line;
    EXPECT_GT(std::stol(words[0]), before);
    before = std::stol(words[0]);
    EXPECT_EQ((std::vector<std::string>{words.begin() + 1, words.end()}),
              (std::vector<std::string>{"44", "1755", "2619", "61", "412500"}));
  }
}

TEST_F(GpuProbeTest, StopsWatchingWhenItsInputIsClosed) {
  const std::string command = std::string("LD_LIBRARY_PATH=") + WARPGRADE_FAKE_DRIVER +
                              " timeout 10 " + WARPGRADE_GPU_PROBE +
                              " watch GPU-11111111-aaaa 9000 > /dev/null";
  FILE* const input = ::popen(command.c_str(), "w");
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(::pclose(input), 0);
}

TEST_F(GpuProbeTest, CannotWatchWhatIsNotThere) {
  const ProcessOutcome outcome = probe({"watch", "GPU-33333333-cccc", "200"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "gpu-probe: GPU-33333333-cccc: Not Found\n");
}

TEST_F(GpuProbeTest, ChecksThatAGpuComputes) {
  const auto complaint = [&](const char* fault) {
    Command command;
    command.argv = {WARPGRADE_GPU_PROBE, "check"};
    command.environment = {{"LD_LIBRARY_PATH", WARPGRADE_FAKE_DRIVER}, {"FAKE_CUDA", fault}};
    const ProcessOutcome outcome = trusted_.run(command);
    EXPECT_EQ(outcome.code == 0, outcome.err.empty());
    return outcome.err;
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_EQ(complaint("none"), "cuInit: error 100, no CUDA-capable device is detected\n");
  EXPECT_EQ(complaint("full"), "cuMemAlloc_v2: error 2, out of memory\n");
  EXPECT_EQ(complaint("wrong"), "its memory does not hold what was written to it\n");
}

/// Answers as it is told.
class FakeProbeSandbox final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    deadline_ms = command.limits.wall_ms;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  ProcessOutcome outcome;
  mutable long deadline_ms = 0;
};

TEST(FindGpus, GivesAHangingDriverFiveSeconds) {
  FakeProbeSandbox sandbox;
  sandbox.outcome.ending = Ending::kTimedOut;
  EXPECT_EQ(find_gpus(sandbox, "/probe").error,
            "the NVIDIA driver did not answer within 5 s: see `dmesg`, restart the machine");
  EXPECT_EQ(sandbox.deadline_ms, 5000);
}

TEST(FindGpus, SaysThatTheProbeDoesNotWork) {
  FakeProbeSandbox sandbox;
  sandbox.outcome.ending = Ending::kSignalled;
  sandbox.outcome.err = "Segmentation fault\n";
  EXPECT_EQ(find_gpus(sandbox, "/usr/bin/true").error,
            "gpu-probe does not work: Segmentation fault");
  EXPECT_EQ(find_gpus(sandbox, "/no/such/probe").error,
            "/no/such/probe is missing: run `ninja -C build`");
}

TEST(FindGpus, FindsADriverAlongTheLibraryPath) {
  ASSERT_EQ(::setenv("LD_LIBRARY_PATH", WARPGRADE_FAKE_DRIVER, 1), 0);
  const GpuMachine found = find_gpus(LocalSandbox(SandboxBackend::kNone), WARPGRADE_GPU_PROBE);
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(found.gpus.size(), 2u) << found.error;
}

}  // namespace
}  // namespace warpgrade
