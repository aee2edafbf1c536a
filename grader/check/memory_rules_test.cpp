// SPDX-License-Identifier: MIT
#include "check/memory_rules.h"

#include <gtest/gtest.h>

#include "check/sample_trace.h"

namespace warpgrade {
namespace {

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
            "allocations.api(api=cudaMalloc, size=size.row(bytes=4420), wanted=cudaMallocPitch)");
}

TEST(AllocationsRule, SeesAWidthInElements) {
  SampleProgram program;
  program.find("cudaMallocPitch", 0).args["width"] = 17;
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "allocations.factor(api=cudaMallocPitch, factor=4, seen=17, wanted=68)");
}

TEST(AllocationsRule, CountsOnlyWhatKernelsTouch) {
  SampleProgram program;
  program.launch().memory.erase(program.launch().memory.begin());
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "allocations.missing(api=cudaMallocPitch, missing=size.rows(bytes=68, rows=33), "
            "range=padded, "
            "seen=size.rows(bytes=260, rows=17); size.rows(bytes=260, rows=33))");
}

TEST(AllocationsRule, SeesResultsInMemoryThatNoCallMade) {
  SampleProgram program;
  program.launch().memory.push_back({0x90000, false, true});
  EXPECT_EQ(breach(three_matrices(), program.facts),
            "allocations.foreign(api=cudaMallocPitch, kernel=product)");
}

TEST(AllocationsRule, LetsKernelsReadConstantVariables) {
  SampleProgram program;
  program.launch().memory.push_back({0x90000, true, false});
  EXPECT_EQ(breach(three_matrices(), program.facts), "");
}

TEST(AllocationsRule, SeesThatNothingRan) {
  SampleProgram program;
  program.facts.trace.launches.clear();
  EXPECT_EQ(breach(three_matrices(), program.facts), "launch.none(range=padded)");
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

TEST(CopiesRule, NamesNoPitchThatPlainMemoryNeverHad) {
  SampleProgram program;
  ApiCall& made = program.find("cudaMallocPitch", 1);
  made.name = "cudaMalloc";
  made.args = {{"ptr", SampleProgram::kB}, {"size", 4420}};
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.pitch_of_linear(api=cudaMalloc, call=cudaMemcpy2D, pitch=512)");
}

TEST(CopiesRule, SeesSwappedPitches) {
  SampleProgram program;
  program.find("cudaMemcpy2D", 0).args["dpitch"] = 68;
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.pitch(api=cudaMallocPitch, call=cudaMemcpy2D, pitch=68, wanted=512)");
}

TEST(CopiesRule, SeesAWidthThatIsAPitch) {
  SampleProgram program;
  program.find("cudaMemcpy2DAsync").args["width"] = 512;
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.width(call=cudaMemcpy2DAsync, wanted=260, width=512)");
}

TEST(CopiesRule, SeesMissingRows) {
  SampleProgram program;
  program.find("cudaMemcpy2D", 1).args["height"] = 16;
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.to_device(api=cudaMemcpy2D, bytes=4160, wanted=4420)");
}

TEST(CopiesRule, SeesAnotherCall) {
  SampleProgram program;
  ApiCall& copy = program.find("cudaMemcpy2D", 0);
  copy.name = "cudaMemcpy";
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.api(call=cudaMemcpy, size=size.rows(bytes=68, rows=33), wanted=cudaMemcpy2D)");
}

TEST(CopiesRule, TakesNoCopyThatFailed) {
  SampleProgram program;
  program.find("cudaMemcpy2DAsync").result = 1;
  EXPECT_EQ(breach(kCopies, program.facts),
            "copies.to_host(api=cudaMemcpy2D, bytes=0, wanted=8580)");
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
            "copies.to_device(api=cudaMemcpy3D, bytes=60, wanted=120)");
}

TEST(CopiesRule, NamesTheCallThatGaveThePitchOfAVolume) {
  CaseFacts facts = volume_program();
  facts.trace.calls[2].args["dpitch"] = 20;
  EXPECT_EQ(breach(kVolumeCopies, facts),
            "copies.pitch(api=cudaMalloc3D, call=cudaMemcpy3D, pitch=20, wanted=512)");
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
            "pitched.no_pointer(kernel=product, size=size.rows(bytes=68, rows=33))");
}

TEST(PitchedParamsRule, SeesABarePointerBesideTheCudaPitchedPtr) {
  SampleProgram program;
  const uint64_t second_row = SampleProgram::kB + 512;
  program.launch().params.emplace_back(reinterpret_cast<const char*>(&second_row), 8);
  EXPECT_EQ(breach(kParams, program.facts),
            "pitched.bare(kernel=product, size=size.rows(bytes=260, rows=17))");
}

TEST(PitchedParamsRule, SeesASizeInBytes) {
  SampleProgram program;
  const uint64_t bytes = 68;
  std::memcpy(program.launch().params[1].data() + 16, &bytes, sizeof bytes);
  EXPECT_EQ(breach(kParams, program.facts),
            "pitched.pointer(kernel=product, pitch=512, right_pitch=512, right_xsize=17, "
            "right_ysize=33, xsize=68, ysize=33)");
}

TEST(PitchedParamsRule, FindsThemInsideAStruct) {
  SampleProgram program;
  std::string all = std::string(8, 'x');
  for (const std::string& param : program.launch().params) all += param;
  program.launch().params = {all};
  EXPECT_EQ(breach(kParams, program.facts), "");
}

/// The program with its matrices in cudaMalloc memory, and the rule that tells their rows.
CaseFacts program_without_padding() {
  SampleProgram program;
  const std::pair<uint64_t, uint64_t> matrices[] = {
      {SampleProgram::kA, 68 * 33}, {SampleProgram::kB, 260 * 17}, {SampleProgram::kC, 260 * 33}};
  for (const auto& [ptr, size] : matrices) {
    ApiCall& call = program.find("cudaMallocPitch");
    call.name = "cudaMalloc";
    call.args = {{"ptr", ptr}, {"size", size}};
  }
  for (std::string& param : program.launch().params) {
    uint64_t fields[4];
    std::memcpy(fields, param.data(), sizeof fields);
    fields[1] = 4 * fields[2];
    std::memcpy(param.data(), fields, sizeof fields);
  }
  return program.facts;
}

PitchedParamsRule params_without_padding() { return {"padded", 4, three_matrices().shapes}; }

TEST(PitchedParamsRule, LeavesMemoryWithoutPaddingAloneWhereNoRowsAreTold) {
  EXPECT_EQ(breach(kParams, program_without_padding()), "pitched.none(range=padded)");
}

TEST(PitchedParamsRule, HoldsForRowsWithoutPadding) {
  EXPECT_EQ(breach(params_without_padding(), program_without_padding()), "");
}

TEST(PitchedParamsRule, SeesBarePointersToRowsWithoutPadding) {
  CaseFacts facts = program_without_padding();
  for (std::string& param : facts.trace.launches.at(0).params) param.resize(8);
  EXPECT_EQ(breach(params_without_padding(), facts),
            "pitched.no_pointer(kernel=product, size=size.row(bytes=2244))");
}

TEST(PitchedParamsRule, SeesRowsAndColumnsSwappedWithoutPadding) {
  CaseFacts facts = program_without_padding();
  const uint64_t swapped[] = {SampleProgram::kA, 33 * 4, 33, 17};
  facts.trace.launches.at(0).params[1].assign(reinterpret_cast<const char*>(swapped),
                                              sizeof swapped);
  EXPECT_EQ(breach(params_without_padding(), facts),
            "pitched.pointer(kernel=product, pitch=132, right_pitch=68, right_xsize=17, "
            "right_ysize=33, xsize=33, ysize=17)");
}

TEST(PitchedParamsRule, TakesAnyShapeOfTheSameSizeWithoutPadding) {
  PitchedParamsRule rule = params_without_padding();
  rule.shapes.insert(rule.shapes.begin(), {formula("M*4"), formula("N")});
  EXPECT_EQ(breach(rule, program_without_padding()), "");
}

const PaddingUntouchedRule kPadding{"padded"};

TEST(PaddingUntouchedRule, SeesReadsOfThePadding) {
  EXPECT_EQ(breach(kPadding, SampleProgram().facts), "");
  SampleProgram program;
  program.launch().memory[1].padding_read = true;
  EXPECT_EQ(breach(kPadding, program.facts), "padding.read(kernel=product)");
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
            "finding.padding(place=matmul-pitched.cu:12: , what=read of 4 bytes in the padding of "
            "row 0, who=who.thread(block=1, 0, 0, kernel=product, thread=3, 4, 0))");
}

}  // namespace
}  // namespace warpgrade
