// SPDX-License-Identifier: MIT
#include "observe/hardware_counters.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "sandbox/local_sandbox.h"
#include "testing/best_sandbox.h"

namespace warpgrade {
namespace {

using Names = std::vector<std::string>;

constexpr int kHopper = 9;

/// As ncu 2025.3 writes it: its own lines, the columns, their units, a row for each launch. Two
/// copies of the launches that testing/ground_truth has from an H200.
constexpr const char* kLog =
    "==PROF== Connected to process 4711 (/box/program)\n"
    "==PROF== Profiling \"copy\" - 0: 0%....50%....100% - 3 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"CC\","
    "\"gpu__time_duration.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\","
    "\"smsp__sass_data_bytes_mem_global_op_ld.sum\",\"dram__bytes.sum\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"smsp__sass_branch_targets.sum\","
    "\"smsp__sass_branch_targets_threads_uniform.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"ns\",\"\",\"sector\",\"byte\",\"byte\",\"%\",\"\",\"\"\n"
    "\"0\",\"4711\",\"void copy<float>(const T1 *, T1 *, int)\",\"(256, 1, 1)\",\"9.0\","
    "\"1,000\",\"313\",\"1,250\",\"40,000\",\"90,112\",\"80\",\"0\",\"0\"\n"
    "\"1\",\"4711\",\"void copy<float>(const T1 *, T1 *, int)\",\"(256, 1, 1)\",\"9.0\","
    "\"3,000\",\"313\",\"1,563\",\"40,000\",\"nan\",\"40\",\"0\",\"0\"\n";

CounterValue value(const std::string& counter, const std::string& log = kLog) {
  return parse_counters({counter}, kHopper, log).at(counter);
}

TEST(HardwareCounters, AddUpTheLaunchesBeforeTheyDivide) {
  EXPECT_DOUBLE_EQ(*value("sectors_per_global_load").value, 2813.0 / 626);
  EXPECT_DOUBLE_EQ(*value("global_load_efficiency").value, 100 * 80000.0 / 32 / 2813);
}

TEST(HardwareCounters, WeighAMeanByTheTimeOfEachLaunch) {
  EXPECT_DOUBLE_EQ(*value("achieved_occupancy").value, 50.0);
}

TEST(HardwareCounters, TakeNoNumberThatIsNoneForZero) {
  EXPECT_FALSE(value("dram_bytes").value);
  EXPECT_EQ(value("dram_bytes").why_not, "ncu gave 'nan' for dram__bytes.sum");
  EXPECT_FALSE(value("tensor_instructions").value);
  EXPECT_EQ(value("tensor_instructions").why_not,
            "ncu has no sm__inst_executed_pipe_tensor.sum on this GPU");
}

TEST(HardwareCounters, HaveNoValueWhereNothingWasThereToCount) {
  EXPECT_FALSE(value("branch_uniformity").value);
  EXPECT_EQ(value("branch_uniformity").why_not, "");
}

TEST(HardwareCounters, SayWhyNothingWasMeasured) {
  EXPECT_EQ(value("dram_bytes",
                  "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA "
                  "GPU Performance Counters on the target device 0.\n")
                .why_not,
            "graded programs may not read the GPU's performance counters (ERR_NVGPUCTRPERM): the "
            "driver's option NVreg_RestrictProfilingToAdminUsers=0 opens them");
  EXPECT_EQ(value("dram_bytes", "==WARNING== No kernels were profiled.\n").why_not,
            "ncu saw no kernel in the range");
  EXPECT_EQ(value("dram_bytes", "==ERROR== Failed to find metric dram__byte.sum\n").why_not,
            "ncu gave no table; it said: ==ERROR== Failed to find metric dram__byte.sum");
  EXPECT_EQ(value("dram_bytes", "").why_not, "ncu gave no table");
}

TEST(HardwareCounters, AreCalledOtherwiseOnAChipThatNamesThemOtherwise) {
  EXPECT_EQ(metrics_for("dram_read_bytes", 9), Names{"dram__bytes_read.sum"});
  EXPECT_EQ(metrics_for("dram_read_bytes", 10), Names{"dram__bytes_read.sum"});
  EXPECT_EQ(metrics_for("dram_read_bytes", 12), Names{"dram__bytes_op_read.sum"});
  EXPECT_EQ(metrics_for("dram_write_bytes", 12), Names{"dram__bytes_op_write.sum"});
  EXPECT_TRUE(metrics_for("no_such_counter", 9).empty());
}

TEST(HardwareCounters, AskNcuForEachMetricOnceInOneRange) {
  Command program;
  program.argv = {"/box/program", "17"};
  program.environment = {{"NVTX_INJECTION64_PATH", "/lib.so"}, {"LC_ALL", "C"}};
  const Command command =
      counter_command("/tools/ncu", {"sectors_per_global_load", "global_load_efficiency"}, kHopper,
                      "add", program, "/box/log/counters.csv");
  EXPECT_EQ(command.argv,
            (Names{"/tools/ncu", "--config-file", "off", "--csv", "--page", "raw", "--print-units",
                   "base", "--clock-control", "none", "--nvtx", "--nvtx-include", "warpgrade@add/",
                   "--log-file", "/box/log/counters.csv", "--metrics",
                   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
                   "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
                   "smsp__sass_data_bytes_mem_global_op_ld.sum",
                   "/box/program", "17"}));
  EXPECT_FALSE(command.environment.contains("NVTX_INJECTION64_PATH"));
  EXPECT_EQ(command.environment.at("TMPDIR"), "/box/log");
}

/// Stands in for ncu.
class FakeNcu final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    const auto log = std::find(command.argv.begin(), command.argv.end(), "--log-file");
    if (!text.empty()) std::ofstream(*(log + 1)) << text;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  std::string text = kLog;
  ProcessOutcome outcome{Ending::kExited, 0, 1000, 0, "", "", ""};
};

TEST(RunCounters, ReadsWhatNcuLeftAndSaysWhyItLeftNothing) {
  std::string folder = "/tmp/warpgrade-counters-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  FakeNcu sandbox;
  const auto run = [&] {
    Command program;
    program.argv = {"/box/program"};
    return run_counters(sandbox, "/tools/ncu", {"achieved_occupancy"}, kHopper, "add", program,
                        fs::path(folder) / "counters.csv")
        .at("achieved_occupancy");
  };
  EXPECT_DOUBLE_EQ(*run().value, 50.0);
  sandbox.text = "";
  EXPECT_EQ(run().why_not, "ncu gave no table");
  sandbox.outcome = {Ending::kExited, 127, 9, 0, "", "ncu: 12: exec: /opt/x/ncu: not found\n", ""};
  EXPECT_EQ(run().why_not, "ncu gave no table; it said: ncu: 12: exec: /opt/x/ncu: not found");
  sandbox.outcome = {Ending::kExited, 1, 9, 0, "==ERROR== Cannot lock the GPU.\nbye\n", "", ""};
  EXPECT_EQ(run().why_not, "ncu gave no table; it said: ==ERROR== Cannot lock the GPU.");
  sandbox.outcome = {Ending::kSignalled, 11, 9, 0, "", "", ""};
  EXPECT_EQ(run().why_not, "ncu ended with signal 11");
  sandbox.outcome = {Ending::kTimedOut, 0, 300'000, 0, "", "", ""};
  EXPECT_EQ(run().why_not, "ncu was stopped after 300 s");
  fs::remove_all(folder);
}

/// Asks of its surroundings what ncu does, then leaves the table that lies in its installation.
constexpr const char* kNcu =
    "#!/bin/sh\n"
    "installation=$(dirname \"$0\")/../..\n"
    "fail() { echo \"==ERROR== $1\"; exit 1; }\n"
    "test -r \"$installation/sections/one.section\" || fail 'no sections'\n"
    ": > \"$TMPDIR/nsight-compute-lock\" || fail 'no lock'\n"
    "mkdir -p \"$HOME/Documents/NVIDIA Nsight Compute\" || fail 'no home'\n"
    "test -z \"${CUDA_INJECTION64_PATH:-}\" || fail 'another tool is there'\n"
    "while test \"$1\" != --log-file; do shift; done\n"
    "cp \"$installation/table\" \"$2\"\n";

class NcuInASandbox : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = "/tmp/warpgrade-ncu-test-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    const fs::path root = folder_ / "nsight-compute" / "2025.3.1";
    tool_ = root / "target" / "linux" / "ncu";
    for (const fs::path& each : {root / "sections", tool_.parent_path(), folder_ / "log"})
      fs::create_directories(each);
    std::ofstream(root / "sections" / "one.section") << "one";
    std::ofstream(root / "table") << kLog;
    std::ofstream(tool_) << kNcu;
    fs::permissions(tool_, fs::perms(0755));
    fs::permissions(folder_, fs::perms(0755));
    ASSERT_TRUE(sandbox_.hand_over(folder_ / "log", 0));
  }
  void TearDown() override { fs::remove_all(folder_); }

  CounterValue measure() const {
    Command program;
    program.argv = {"/usr/bin/true"};
    program.environment = {{"CUDA_INJECTION64_PATH", "/lib.so"}};
    program.writable = {folder_ / "log"};
    return run_counters(sandbox_, tool_, {"achieved_occupancy"}, kHopper, "add", program,
                        folder_ / "log" / "ncu.csv")
        .at("achieved_occupancy");
  }

  const LocalSandbox sandbox_ = best_sandbox();
  fs::path folder_, tool_;
};

TEST_F(NcuInASandbox, FindsItsInstallationAndPlacesOfItsOwn) {
  const CounterValue value = measure();
  ASSERT_TRUE(value.value) << value.why_not;
  EXPECT_DOUBLE_EQ(*value.value, 50.0);
}

TEST_F(NcuInASandbox, IsQuotedWhereSomethingIsNotThere) {
  fs::remove_all(folder_ / "nsight-compute" / "2025.3.1" / "sections");
  EXPECT_EQ(measure().why_not, "ncu gave no table; it said: ==ERROR== no sections");
}

}  // namespace
}  // namespace warpgrade
