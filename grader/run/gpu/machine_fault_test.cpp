// SPDX-License-Identifier: MIT
#include "run/gpu/machine_fault.h"

#include <gtest/gtest.h>

#include <csignal>

namespace warpgrade {
namespace {

ProcessOutcome ended(Ending ending, int code = 0) {
  ProcessOutcome outcome;
  outcome.ending = ending;
  outcome.code = code;
  return outcome;
}

/// Codes of the runtime in a trace as both devices write it.
std::string trace_of(std::initializer_list<int> codes) {
  std::string trace = R"({"type":"session","seq":0,"version":1,"source":"gpu","devices":[]})";
  for (const int code : codes)
    trace +=
        "\n{\"type\":\"api\",\"seq\":1,\"name\":\"cudaMalloc\",\"result\":" + std::to_string(code) +
        ",\"args\":{}}";
  return trace + '\n';
}

TEST(ErrorsIn, FindsCodesInCallsAndLaunches) {
  std::string trace = trace_of({0, 2, 0, 700});
  trace += R"({"type":"launch","seq":9,"result": 719,"kernel":"k"})";
  trace += "\n{\"type\":\"api\",\"seq\":10,\"resu";
  EXPECT_EQ(errors_in(trace).codes, (std::set<int>{2, 700, 719}));
  EXPECT_EQ(errors_in(trace).unobserved, "");
  EXPECT_TRUE(errors_in("").codes.empty());
}

TEST(ErrorsIn, FindsThatTheWriterFailed) {
  EXPECT_EQ(
      errors_in(R"({"type":"error","seq":0,"message":"libcupti.so.13 was not found"})").unobserved,
      "libcupti.so.13 was not found");
}

class MachineFaultTest : public testing::Test {
 protected:
  std::string fault(const ProcessOutcome& process, std::initializer_list<int> codes = {}) {
    const std::optional<MachineFault> found = machine_fault(
        process, errors_in(trace_of(codes)),
        {[this] { return ++questions_, trouble_; }, [this] { return neighbours_; }, 8000});
    gpu_is_lost_ = found && found->gpu_is_lost;
    return found ? found->message : "";
  }

  const ProcessOutcome fine_ = ended(Ending::kExited),
                       crashed_ = ended(Ending::kSignalled, SIGSEGV),
                       late_ = ended(Ending::kTimedOut), exited_1_ = ended(Ending::kExited, 1);
  std::string trouble_;
  std::vector<GpuProcess> neighbours_;
  int questions_ = 0;
  bool gpu_is_lost_ = false;
};

TEST_F(MachineFaultTest, AskNothingAfterARunThatEndedWell) {
  EXPECT_EQ(fault(fine_), "");
  EXPECT_EQ(fault(fine_, {1, 700, 716}), "");
  EXPECT_EQ(questions_, 0);
}

TEST_F(MachineFaultTest, LeaveTheStudentsOwnErrorsToTheStudent) {
  for (const int code : {1, 2, 9, 98, 100, 209, 700, 702, 716, 717, 719, 999}) {
    EXPECT_EQ(fault(exited_1_, {code}), "") << code;
    EXPECT_EQ(fault(crashed_, {code}), "") << code;
    EXPECT_EQ(fault(late_, {code}), "") << code;
  }
}

TEST_F(MachineFaultTest, BlameAGpuThatDoesNotWorkAnyMore) {
  trouble_ = "cuInit: error 999, unknown error";
  for (const ProcessOutcome& process : {crashed_, late_, exited_1_}) {
    EXPECT_EQ(fault(process, {719}),
              "the GPU does not work any more: cuInit: error 999, unknown error");
    EXPECT_TRUE(gpu_is_lost_);
  }
  EXPECT_NE(fault(fine_, {100}), "") << "a program may end well though every call failed";
}

TEST_F(MachineFaultTest, BlameNeighboursForMissingMemoryAlone) {
  neighbours_ = {{77, "python3", 600}, {78, "train", 600}};
  EXPECT_EQ(fault(exited_1_, {2}),
            "the GPU's memory is shared with other processes: python3 (77), train (78)");
  EXPECT_FALSE(gpu_is_lost_);
  EXPECT_EQ(fault(exited_1_, {700}), "");
}

TEST_F(MachineFaultTest, DoNotBlameSmallNeighboursButOnesOfUnknownSize) {
  neighbours_ = {{77, "student", 500}, {78, "student", 500}};
  EXPECT_EQ(fault(exited_1_, {2}), "");
  neighbours_[0].bytes = 0;
  EXPECT_NE(fault(exited_1_, {2}), "");
  neighbours_.clear();
  EXPECT_EQ(fault(exited_1_, {2}), "");
}

TEST_F(MachineFaultTest, BlameAGpuThatSomebodyElseHas) {
  EXPECT_EQ(fault(exited_1_, {46}), "the GPU was not available: another process has it for itself");
  EXPECT_FALSE(gpu_is_lost_);
}

TEST_F(MachineFaultTest, BlameMemoryErrorsOfTheGpu) {
  EXPECT_NE(fault(fine_, {214}), "");
  EXPECT_TRUE(gpu_is_lost_);
}

TEST_F(MachineFaultTest, BlameATracerThatSeesNothing) {
  const TraceErrors errors{{}, "libcupti.so.13 was not found"};
  EXPECT_EQ(machine_fault(fine_, errors, {})->message,
            "the program could not be observed: libcupti.so.13 was not found");
}

}  // namespace
}  // namespace warpgrade
