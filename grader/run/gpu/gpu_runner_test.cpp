// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace warpgrade {
namespace {

constexpr const char* kTrace = R"({"type":"api","seq":0,"name":"cudaFree","result":)";

/// Does what a program on a GPU would do, and answers for gpu-probe.
class FakeGpuSandbox final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    if (command.argv[0] == "/tools/gpu-probe") return probe(command, outcome);
    last = command;
    const fs::path out = command.writable.at(0);
    if (command.environment.contains("WARPGRADE_REPETITIONS") ||
        command.environment.contains("WARPGRADE_CASES")) {
      fs::create_directory(out / "0");
      write(out / "0");
    } else {
      write(out);
    }
    std::ofstream(command.environment.at("WARPGRADE_TRACE")) << kTrace << code << ",\"args\":{}}\n";
    outcome.code = code == 0 ? 0 : 1;
    if (!error.empty()) outcome = {};
    outcome.error = error;
    return outcome;
  }
  ProcessOutcome probe(const Command& command, ProcessOutcome& outcome) const {
    if (command.argv.size() == 1) {
      outcome.out = listed;
      return outcome;
    }
    ++checks;
    EXPECT_EQ(command.argv[1], "check");
    EXPECT_EQ(command.devices, last.devices);
    EXPECT_EQ(command.environment.count("CUDA_INJECTION64_PATH"), 0u);
    EXPECT_EQ(command.environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1");
    outcome.err = trouble;
    outcome.code = trouble.empty() ? 0 : 1;
    return outcome;
  }
  static void write(const fs::path& folder) {
    std::ofstream(folder / "C.npy", std::ios::binary) << format_npy(make_npy<float>({2}, {1, 2}));
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  int code = 0;         ///< what the program's calls return
  std::string error;    ///< of the sandbox itself
  std::string trouble;  ///< what gpu-probe check says
  std::string listed;   ///< what gpu-probe prints
  mutable int checks = 0;
  mutable Command last;
};

class GpuRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-gpu-runner-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "inputs" / "0");
    std::ofstream(folder_ / "inputs" / "A.npy") << "first";
    gpu_.uuid = "GPU-1";
    gpu_.minor_number = 3;
    step_.words = {"33"};
    step_.limits.wall_s = 3;
    step_.limits.memory_mb = 100;
    step_.outputs = {"C"};
  }
  void TearDown() override { fs::remove_all(folder_); }

  GpuRunner runner() const {
    return {sandbox_,
            sandbox_,
            {"/cuda/lib",
             "/cuda/cupti/libcupti.so.13",
             "/tools/libwarpgrade-trace.so",
             "/tools/gpu-probe",
             {"/usr/lib/nvidia", "/driver"}},
            gpu_};
  }
  ProgramPlace place() const { return {"/box/program", folder_ / "run", 0}; }
  RunResult run() {
    const GpuRunner gpu_runner = runner();
    return gpu_runner.open(place())->run(step_, folder_ / "inputs");
  }
  std::string variable(const char* name) const { return sandbox_.last.environment.at(name); }

  FakeGpuSandbox sandbox_;
  fs::path folder_;
  Gpu gpu_;
  RunStep step_;
};

TEST_F(GpuRunnerTest, ShowsAProgramItsGpuAndNoOther) {
  run();
  EXPECT_EQ(sandbox_.last.argv, (std::vector<std::string>{"/box/program", "33"}));
  EXPECT_EQ(sandbox_.last.devices,
            (std::vector<fs::path>{"/dev/nvidia3", "/dev/nvidiactl", "/dev/nvidia-uvm"}));
  EXPECT_EQ(variable("CUDA_VISIBLE_DEVICES"), "GPU-1");
  EXPECT_EQ(variable("CUDA_CACHE_DISABLE"), "1");
  EXPECT_EQ(variable("LD_LIBRARY_PATH"), "/cuda/lib:/usr/lib/nvidia:/driver");
  EXPECT_EQ(sandbox_.last.readable,
            (std::vector<fs::path>{"/box/program", folder_ / "run", "/driver", "/tools", "/tools",
                                   "/cuda/cupti", "/cuda/lib"}));
}

TEST_F(GpuRunnerTest, TracesAPlainRun) {
  const RunResult result = run();
  EXPECT_EQ(variable("CUDA_INJECTION64_PATH"), "/tools/libwarpgrade-trace.so");
  EXPECT_EQ(variable("NVTX_INJECTION64_PATH"), "/tools/libwarpgrade-trace.so");
  EXPECT_EQ(variable("WARPGRADE_CUPTI"), "/cuda/cupti/libcupti.so.13");
  EXPECT_EQ(variable("WARPGRADE_TRACE_MODE"), "trace");
  EXPECT_EQ(sandbox_.last.environment.count("WARPGRADE_REPETITIONS"), 0u);
  EXPECT_EQ(sandbox_.last.limits.wall_ms, 3000);
  EXPECT_EQ(sandbox_.last.limits.memory_bytes, size_t{164} << 20);
  EXPECT_EQ(result.outputs.at("C"), make_npy<float>({2}, {1, 2}));
  EXPECT_EQ(result.trace.substr(0, 13), R"({"type":"api")");
  EXPECT_EQ(sandbox_.checks, 0);
}

TEST_F(GpuRunnerTest, RunsSeveralCasesInOneProcess) {
  const fs::path inputs = folder_ / "another";
  fs::create_directories(inputs);
  std::ofstream(inputs / "B.npy") << "of the second";
  RunStep other = step_;
  other.words = {"8", "wide"};
  other.limits.wall_s = 5;
  const GpuRunner gpu_runner = runner();
  const auto result =
      gpu_runner.open(place())->run_together({{step_, folder_ / "inputs"}, {other, inputs}});
  ASSERT_TRUE(result);
  EXPECT_EQ(variable("WARPGRADE_CASES"), "33\n8\twide");
  EXPECT_EQ(variable("WARPGRADE_TRACE_MODE"), "trace");
  EXPECT_EQ(sandbox_.last.argv.size(), 1u);
  EXPECT_EQ(sandbox_.last.limits.wall_ms, 5000);
  EXPECT_TRUE(fs::exists(folder_ / "run" / "in" / "1" / "B.npy"));
  ASSERT_EQ(result->repetitions.size(), 2u);
  EXPECT_EQ(result->repetitions[0].count("C"), 1u);
  EXPECT_TRUE(result->repetitions[1].empty());
}

TEST_F(GpuRunnerTest, TimesRepetitions) {
  step_.repetitions = {0, 0};
  step_.repeated_outputs = {"C"};
  const RunResult result = run();
  EXPECT_EQ(variable("WARPGRADE_TRACE_MODE"), "timing");
  EXPECT_EQ(variable("WARPGRADE_REPETITIONS"), "0,0");
  EXPECT_EQ(sandbox_.last.limits.wall_ms, 9000);
  EXPECT_TRUE(fs::is_directory(folder_ / "run" / "in" / "0"));
  ASSERT_EQ(result.repetitions.size(), 2u);
  EXPECT_EQ(result.repetitions[0].count("C"), 1u);
  EXPECT_TRUE(result.repetitions[1].empty());
}

TEST_F(GpuRunnerTest, LeavesAnIllegalAccessToTheStudent) {
  sandbox_.code = 700;
  const RunResult result = run();
  EXPECT_EQ(result.process.ending, Ending::kExited);
  EXPECT_EQ(result.process.code, 1);
  EXPECT_EQ(result.gpu_trouble, "");
  EXPECT_EQ(sandbox_.checks, 1);
}

TEST_F(GpuRunnerTest, TakesNothingFromARunOnAGpuThatIsLost) {
  sandbox_.code = 719;
  sandbox_.trouble = "cuInit: error 999, unknown error\n";
  const RunResult result = run();
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error,
            "the GPU does not work any more: cuInit: error 999, unknown error");
  EXPECT_EQ(result.gpu_trouble, result.process.error);
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_TRUE(result.trace.empty());
}

TEST_F(GpuRunnerTest, KnowsWhoTookTheMemory) {
  sandbox_.code = 2;
  sandbox_.listed = R"({"error": "", "gpus": [{"index": 0, "minor_number": 3, "uuid": "GPU-1",
    "name": "", "major": 9, "minor": 0, "pci_bus_id": "", "memory_bytes": 1, "sm_count": 1,
    "max_sm_mhz": 1, "max_memory_mhz": 1, "memory_bus_bits": 1, "compute_mode": "default",
    "persistence": true, "processes": [{"pid": 7, "name": "train", "bytes": 1}], "mig": false}]})";
  const RunResult result = run();
  EXPECT_EQ(result.process.error, "the GPU's memory is shared with other processes: train (7)");
  EXPECT_EQ(result.gpu_trouble, "") << "it may be used again";
}

TEST_F(GpuRunnerTest, ChecksTheGpuWhereTheSandboxFailed) {
  sandbox_.error = "a process was killed and does not end";
  EXPECT_EQ(run().gpu_trouble, "");
  sandbox_.trouble = "cuInit: error 999, unknown error\n";
  const RunResult result = run();
  EXPECT_EQ(result.process.error, "a process was killed and does not end");
  EXPECT_EQ(result.gpu_trouble, "cuInit: error 999, unknown error");
}

class GpuToolsTest : public GpuRunnerTest {
 protected:
  void touch(const fs::path& path) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << path;
  }
  std::string missing() const {
    const Result<GpuTools> tools =
        find_gpu_tools(folder_ / "cuda", folder_ / "ours/tracer.so", folder_ / "ours/probe", {});
    return tools ? "" : tools.error().message;
  }
};

TEST_F(GpuToolsTest, AreFoundInTheToolkitAndInTheEngine) {
  EXPECT_EQ(missing(),
            (folder_ / "cuda").string() + " has no libcudart.so.13: install the CUDA Toolkit 13");
  touch("cuda/lib64/libcudart.so.13");
  EXPECT_EQ(missing(), (folder_ / "cuda").string() +
                           " has no libcupti.so.13: install the toolkit's CUPTI (package "
                           "cuda-cupti-13-0)");
  touch("cuda/extras/CUPTI/lib64/libcupti.so.13");
  EXPECT_EQ(missing(), "libwarpgrade-trace.so is missing: run `ninja -C build`");
  touch("ours/tracer.so");
  EXPECT_EQ(missing(), "gpu-probe is missing: run `ninja -C build`");
  touch("ours/probe");
  EXPECT_EQ(missing(), "");
}

TEST_F(GpuToolsTest, AreCopiedWhereStudentsMayReadThem) {
  touch("libwarpgrade-trace.so");
  touch("gpu-probe");
  GpuTools tools;
  tools.tracer = folder_ / "libwarpgrade-trace.so";
  tools.probe = folder_ / "gpu-probe";
  const Result<GpuTools> copied = copy_tools(tools, folder_ / "tools");
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->tracer, folder_ / "tools" / "libwarpgrade-trace.so");
  EXPECT_TRUE(fs::exists(copied->tracer));
  EXPECT_TRUE(fs::exists(copied->probe));
  tools.probe = folder_ / "none";
  EXPECT_FALSE(copy_tools(tools, folder_ / "tools"));
}

}  // namespace
}  // namespace warpgrade
