// SPDX-License-Identifier: MIT
#include "check/memory_rules.h"

#include <gtest/gtest.h>

#include "check/sample_trace.h"

namespace warpgrade {
namespace {

Expression formula(const char* text) { return *Expression::parse(text); }

AllocationsRule three_matrices() {
  return {"padded",
          "cudaMallocPitch",
          {{formula("N*4"), formula("M")},
           {formula("K*4"), formula("N")},
           {formula("K*4"), formula("M")}}};
}

TEST(AllocationsRule, HoldsForTheRightProgram) {
  EXPECT_EQ(breach(three_matrices(), SampleProgram().facts), "");
}

TEST(AllocationsRule, SeesCudaMalloc) {
  SampleProgram program;
  program.find("cudaMallocPitch", 1) = {
      2, "cudaMalloc", 0, 1, "padded", {{"ptr", SampleProgram::kB}, {"size", 4420}}};
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "the kernel works on memory from cudaMalloc (4420 bytes), wanted cudaMallocPitch");
}

TEST(AllocationsRule, SeesAWidthInElements) {
  SampleProgram program;
  program.find("cudaMallocPitch", 0).args["width"] = 17;
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "the kernel works on cudaMallocPitch allocations of (bytes x rows) 17 x 33, 260 x 17, "
            "260 x 33, wanted 68 x 33, 260 x 17, 260 x 33");
}

TEST(AllocationsRule, CountsOnlyWhatKernelsTouch) {
  SampleProgram program;
  program.launch().memory.erase(program.launch().memory.begin());
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "the kernel works on cudaMallocPitch allocations of (bytes x rows) 260 x 17, 260 x 33, "
            "wanted 68 x 33, 260 x 17, 260 x 33");
}

TEST(AllocationsRule, SeesResultsInMemoryThatNoCallMade) {
  SampleProgram program;
  program.launch().memory.push_back({0x90000, false, true});
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "kernel product writes memory that cudaMallocPitch did not make");
}

TEST(AllocationsRule, LetsKernelsReadConstantVariables) {
  SampleProgram program;
  program.launch().memory.push_back({0x90000, true, false});
  EXPECT_EQ(breach(three_matrices(), program.facts), "");
}

TEST(AllocationsRule, SeesThatNothingRan) {
  SampleProgram program;
  program.facts.trace.launches.clear();
  EXPECT_EQ(breach(three_matrices(), program.facts), "no kernel ran in \"padded\"");
}

TEST(AllocationsRule, TakesNoAllocationThatFailed) {
  SampleProgram program;
  program.find("cudaMallocPitch", 2).result = 2;
  EXPECT_NE(breach(three_matrices(), program.facts), "");
}

const CopiesRule kCopies{"padded", "cudaMemcpy2D"};

TEST(CopiesRule, HoldsForTheRightProgramAndForCopiesInPieces) {
  EXPECT_EQ(breach(kCopies, SampleProgram().facts), "");
  SampleProgram pieces;
  ApiCall second = pieces.find("cudaMemcpy2D", 0);
  pieces.find("cudaMemcpy2D", 0).args["height"] = 20;
  second.args["height"] = 13;
  second.args["dst"] = SampleProgram::kA + 20 * SampleProgram::kPitch;
  pieces.facts.trace.calls.push_back(second);
  EXPECT_EQ(breach(kCopies, pieces.facts), "");
}

TEST(CopiesRule, SeesSwappedPitches) {
  SampleProgram program;
  program.find("cudaMemcpy2D", 0).args["dpitch"] = 68;
  EXPECT_EQ(breach(kCopies, program.facts),
            "cudaMemcpy2D was given 68 as the pitch on the device, where cudaMallocPitch gave 512");
}

TEST(CopiesRule, SeesAWidthThatIsAPitch) {
  SampleProgram program;
  program.find("cudaMemcpy2DAsync").args["width"] = 512;
  EXPECT_EQ(breach(kCopies, program.facts),
            "cudaMemcpy2DAsync copied rows of 512 bytes, where the matrix has rows of 260");
}

TEST(CopiesRule, SeesMissingRows) {
  SampleProgram program;
  program.find("cudaMemcpy2D", 1).args["height"] = 16;
  EXPECT_EQ(breach(kCopies, program.facts),
            "cudaMemcpy2D filled 4160 of the 4420 bytes of the matrix of 260 x 17 bytes x rows "
            "before the kernel");
}

TEST(CopiesRule, SeesAnotherCall) {
  SampleProgram program;
  ApiCall& copy = program.find("cudaMemcpy2D", 0);
  copy.name = "cudaMemcpy";
  EXPECT_EQ(breach(kCopies, program.facts),
            "the matrix of 68 x 33 bytes x rows was copied by cudaMemcpy, wanted cudaMemcpy2D");
}

TEST(CopiesRule, TakesNoCopyThatFailed) {
  SampleProgram program;
  program.find("cudaMemcpy2DAsync").result = 1;
  EXPECT_EQ(breach(kCopies, program.facts),
            "cudaMemcpy2D read back 0 of the 8580 bytes of the matrix of 260 x 33 bytes x rows "
            "after the kernel");
}

/// A kernel that makes one 5 x 3 x 2 volume from another, both of cudaMalloc3D.
CaseFacts volume_program() {
  constexpr uint64_t kSource = 0x10000, kResult = 0x20000;
  CaseFacts facts;
  long seq = 1;
  const auto call = [&](const char* name, Arguments args) {
    facts.trace.calls.push_back({seq++, name, 0, 0, "blend", std::move(args)});
  };
  for (const uint64_t ptr : {kSource, kResult}) {
    call("cudaMalloc3D",
         {{"ptr", ptr}, {"pitch", 512}, {"width", 20}, {"height", 3}, {"depth", 2}});
  }
  const Arguments there = {{"width", 20},  {"height", 3},    {"depth", 2}, {"dpitch", 512},
                           {"spitch", 20}, {"dst", kSource}, {"src", 7},   {"direction", "HtoD"}};
  call("cudaMemcpy3D", there);
  KernelLaunch launch;
  launch.seq = seq++;
  launch.kernel = "blend";
  launch.range = "blend";
  launch.memory = {{kSource, true, false}, {kResult, false, true}};
  facts.trace.launches.push_back(launch);
  Arguments back = {
      {"dpitch", 20}, {"spitch", 512}, {"dst", 7}, {"src", kResult}, {"direction", "DtoH"}};
  back.insert(there.begin(), there.end());
  call("cudaMemcpy3D", back);
  return facts;
}

const CopiesRule kVolumeCopies{"blend", "cudaMemcpy3D"};

TEST(CopiesRule, CountsEverySliceOfAVolume) {
  EXPECT_EQ(breach(kVolumeCopies, volume_program()), "");
  CaseFacts facts = volume_program();
  facts.trace.calls[2].args["depth"] = 1;
  EXPECT_EQ(breach(kVolumeCopies, facts),
            "cudaMemcpy3D filled 60 of the 120 bytes of the matrix of 20 x 6 bytes x rows before "
            "the kernel");
}

TEST(CopiesRule, NamesTheCallThatGaveThePitchOfAVolume) {
  CaseFacts facts = volume_program();
  facts.trace.calls[2].args["dpitch"] = 20;
  EXPECT_EQ(breach(kVolumeCopies, facts),
            "cudaMemcpy3D was given 20 as the pitch on the device, where cudaMalloc3D gave 512");
}

TEST(AllocationsRule, CountsTheRowsOfAllSlicesOfAVolume) {
  const AllocationShape volume{formula("20"), formula("3*2")};
  EXPECT_EQ(breach(AllocationsRule{"blend", "cudaMalloc3D", {volume, volume}}, volume_program()),
            "");
}

const PitchedParamsRule kParams{"padded", 4};

TEST(PitchedParamsRule, HoldsForTheRightProgram) {
  EXPECT_EQ(breach(kParams, SampleProgram().facts), "");
}

TEST(PitchedParamsRule, SeesBarePointers) {
  SampleProgram program;
  for (std::string& param : program.launch().params) param.resize(8);
  EXPECT_EQ(breach(kParams, program.facts),
            "kernel product got no cudaPitchedPtr to the matrix of 68 x 33 bytes x rows that it "
            "works on");
}

TEST(PitchedParamsRule, SeesASizeInBytes) {
  SampleProgram program;
  const uint64_t bytes = 68;
  std::memcpy(program.launch().params[1].data() + 16, &bytes, sizeof bytes);
  EXPECT_EQ(breach(kParams, program.facts),
            "kernel product got a cudaPitchedPtr with pitch 512, xsize 68, ysize 33, wanted pitch "
            "512, xsize 17, ysize 33");
}

TEST(PitchedParamsRule, FindsThemInsideAStruct) {
  SampleProgram program;
  std::string all = std::string(8, 'x');
  for (const std::string& param : program.launch().params) all += param;
  program.launch().params = {all};
  EXPECT_EQ(breach(kParams, program.facts), "");
}

const PaddingUntouchedRule kPadding{"padded"};

TEST(PaddingUntouchedRule, SeesReadsOfThePadding) {
  EXPECT_EQ(breach(kPadding, SampleProgram().facts), "");
  SampleProgram program;
  program.launch().memory[1].padding_read = true;
  EXPECT_EQ(breach(kPadding, program.facts), "kernel product read the padding behind the rows");
}

TEST(PaddingUntouchedRule, NamesTheLineOfAFinding) {
  SampleProgram program;
  program.facts.trace.findings.push_back({20,
                                          "padding",
                                          "read of 4 bytes in the padding of row 0",
                                          "product",
                                          "matmul-pitched.cu",
                                          12,
                                          {1, 0, 0},
                                          {3, 4, 0}});
  EXPECT_EQ(breach(kPadding, program.facts),
            "matmul-pitched.cu:12: read of 4 bytes in the padding of row 0 (kernel product, block "
            "(1, 0, 0), thread (3, 4, 0))");
}

}  // namespace
}  // namespace warpgrade
