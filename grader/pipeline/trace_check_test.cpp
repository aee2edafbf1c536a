// SPDX-License-Identifier: MIT
#include "pipeline/trace_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

constexpr const char* kSession =
    R"({"type":"session","seq":0,"version":1,"source":"gpu","devices":[{"name":"H","major":9,"minor":0}]})"
    "\n";
constexpr const char* kCall =
    R"({"type":"api","seq":1,"name":"cuMemAlloc","result":0,"device":0,"range":"","args":{}})"
    "\n";
constexpr const char* kExit = R"({"type":"exit","seq":2})"
                              "\n";

/// Leaves the trace that a program would.
class FakeGpu final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    EXPECT_EQ(command.argv, (std::vector<std::string>{"/tools/gpu-probe", "check"}));
    EXPECT_EQ(command.environment.at("CUDA_INJECTION64_PATH"), "/tools/libwarpgrade-trace.so");
    EXPECT_EQ(command.environment.at("WARPGRADE_CUPTI"), "/cuda/libcupti.so.13");
    if (!trace.empty()) std::ofstream(command.environment.at("WARPGRADE_TRACE")) << trace;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  std::string trace = std::string(kSession) + kCall + kExit;
  ProcessOutcome outcome{Ending::kExited, 0, 10, 0, "", "", ""};
};

class TracingTrouble : public testing::Test {
 protected:
  std::string trouble() {
    fs::remove_all(workspace_->folder() / "log");
    return tracing_trouble(gpu_,
                           {"/cuda/lib64",
                            "/cuda/libcupti.so.13",
                            "/tools/libwarpgrade-trace.so",
                            "/tools/gpu-probe",
                            {}},
                           {}, workspace_->folder() / "log");
  }

  const std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  FakeGpu gpu_;
};

TEST_F(TracingTrouble, IsNoneWhereAProgramWasObserved) { EXPECT_EQ(trouble(), ""); }

TEST_F(TracingTrouble, IsThatTheTracingLibraryBringsProgramsDown) {
  gpu_.trace = "";
  gpu_.outcome = {Ending::kSignalled, 11, 10, 0, "", "", ""};
  EXPECT_EQ(trouble(), "a program that is traced crashed with signal 11");
}

TEST_F(TracingTrouble, IsThatNothingWasRecorded) {
  gpu_.trace = "";
  EXPECT_EQ(trouble(), "nothing was recorded: the driver did not load the tracing library");
  gpu_.trace = std::string(kSession) + R"({"type":"exit","seq":1})" + "\n";
  EXPECT_EQ(trouble(), "no call of the program was recorded");
}

TEST_F(TracingTrouble, IsWhatTheTracingLibrarySays) {
  gpu_.trace = R"({"type":"error","seq":0,"message":"no CUPTI"})"
               "\n";
  EXPECT_NE(trouble().find("no CUPTI"), std::string::npos) << trouble();
  gpu_.trace = "";
  gpu_.outcome = {Ending::kExited, 1, 10, 0, "", "cuInit: error 999\n", ""};
  EXPECT_EQ(trouble(), "a program that is traced failed: cuInit: error 999");
}

}  // namespace
}  // namespace warpgrade
