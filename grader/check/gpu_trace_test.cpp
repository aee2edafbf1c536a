// SPDX-License-Identifier: MIT
// The rules on the trace that the library for GPUs wrote, in a program on the fake GPU.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "check/call_rules.h"
#include "check/launch_rules.h"
#include "check/memory_rules.h"
#include "check/on_device.h"
#include "check/rules.h"
#include "check/shape_rules.h"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;

constexpr size_t kM = 33, kK = 65;

Expression formula(const char* text) { return *Expression::parse(text); }

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void run_traced(const fs::path& folder) {
  const std::string program = std::getenv("INJECTED_PROGRAM"), fake = std::getenv("FAKE_GPU"),
                    library = std::getenv("TRACE_LIBRARY"), results = folder / "results";
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
      ::setenv(name, library.c_str(), 1);
    ::setenv("LD_LIBRARY_PATH", fs::path(fake).parent_path().c_str(), 1);
    ::setenv("WARPGRADE_CUPTI", fake.c_str(), 1);
    ::setenv("WARPGRADE_TRACE", (folder / "trace").c_str(), 1);
    ::execl(program.c_str(), program.c_str(), "product", results.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// What the program did and wrote, as a judge gets it.
CaseFacts facts_of_a_right_program() {
  const fs::path folder =
      fs::temp_directory_path() / ("warpgrade-gpu-trace-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  run_traced(folder);
  CaseFacts facts;
  facts.values = {{"M", 33}, {"N", 17}, {"K", 65}, {"height", 16}, {"major", 9}};
  facts.trace = parse_trace(contents(folder / "trace")).value();
  std::vector<float> product(kM * kK + 1);
  const std::string bytes = contents(folder / "results");
  std::memcpy(product.data(), bytes.data(), std::min(bytes.size(), product.size() * sizeof(float)));
  facts.outputs["times"] = make_npy<float>({1}, {product.back()});
  product.pop_back();
  EXPECT_EQ(product.front(), 17 * 6);
  facts.outputs["C"] = make_npy<float>({kM, kK}, product);
  fs::remove_all(folder);
  return facts;
}

TEST(TraceOfAGpu, LeavesOpenWhatIsAskedOfAProgramWithAGraph) {
  CaseFacts facts = facts_of_a_right_program();
  const Rule rule = CopiesRule{"padded", "cudaMemcpy3D"};
  EXPECT_FALSE(judge_rule(rule, facts).pending);
  ApiCall graph;
  graph.name = "cudaGraphLaunch";
  graph.range = "padded";
  graph.result = 1;
  facts.trace.calls.push_back(graph);
  EXPECT_FALSE(judge_rule(rule, facts).pending) << "it was refused";
  facts.trace.calls.back().result = 0;
  EXPECT_TRUE(judge_rule(rule, facts).pending);
  facts.trace.calls.back().range = "dense";
  EXPECT_FALSE(judge_rule(rule, facts).pending) << "it ran elsewhere";
  facts.trace.launches.back().is_unseen = true;
  EXPECT_TRUE(judge_rule(rule, facts).pending);
  EXPECT_TRUE(judge_rule(CopiesRule{"padded", "cudaMemcpy2D"}, facts).passed);
  facts.trace.source = "emulated";
  EXPECT_FALSE(judge_rule(rule, facts).pending);
}

TEST(TraceOfAGpu, SatisfiesEveryRuleThatARightProgramSatisfies) {
  const CaseFacts facts = facts_of_a_right_program();
  EXPECT_EQ(breach(AllocationsRule{"padded",
                                   "cudaMallocPitch",
                                   {{formula("N*4"), formula("M")},
                                    {formula("K*4"), formula("N")},
                                    {formula("K*4"), formula("M")}}},
                   facts),
            "");
  EXPECT_EQ(breach(CopiesRule{"padded", "cudaMemcpy2D"}, facts), "");
  EXPECT_EQ(breach(PitchedParamsRule{"padded", 4}, facts), "");
  EXPECT_EQ(breach(PaddingUntouchedRule{"padded"}, facts), "");
  EXPECT_EQ(breach(DeviceRule{formula("major")}, facts), "");
  EXPECT_EQ(breach(BlockRule{"padded", {formula("16")}, {formula("height")}, {}}, facts), "");
  EXPECT_EQ(breach(GridRule{"padded", {formula("5")}, {formula("3")}, {formula("1")}}, facts), "");
  EXPECT_EQ(breach(SharedMemoryRule{"padded", {formula("0")}, {formula("0")}, {}, {}}, facts), "");
  EXPECT_EQ(breach(CallsRule{"padded", "cudaMallocPitch", formula("3"), formula("3")}, facts), "");
  EXPECT_EQ(breach(LaunchesRule{"padded", formula("1"), formula("1")}, facts), "");
  EXPECT_EQ(breach(FreedRule{"padded"}, facts), "");
  EXPECT_EQ(breach(TimedByEventsRule{"padded", "times", 0}, facts), "");
  EXPECT_EQ(breach(OnDeviceRule{"padded", "C", std::nullopt}, facts), "");
}

TEST(TraceOfAGpu, BreaksTheSameRulesAsOnTheEmulatedDevice) {
  const CaseFacts facts = facts_of_a_right_program();
  EXPECT_EQ(breach(AllocationsRule{"padded", "cudaMalloc3D", {}}, facts),
            "allocations.api(api=cudaMallocPitch, size=size.rows(bytes=68, rows=33), "
            "wanted=cudaMalloc3D)");
  EXPECT_EQ(breach(CopiesRule{"padded", "cudaMemcpy"}, facts),
            "copies.api(call=cudaMemcpy2D, size=size.rows(bytes=68, rows=33), wanted=cudaMemcpy)");
  EXPECT_EQ(breach(BlockRule{"padded", {formula("32")}, {}, {}}, facts),
            "shape.block(axis=x, kernel=multiply(cudaPitchedPtr, cudaPitchedPtr, cudaPitchedPtr), "
            "shape=16 x 16 x 1, wanted=32)");
}

}  // namespace
}  // namespace warpgrade
