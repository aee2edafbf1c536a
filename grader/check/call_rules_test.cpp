// SPDX-License-Identifier: MIT
#include "check/call_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "check/sample_trace.h"

namespace warpgrade {
namespace {

TEST(LaunchesRule, CountsFromBothSides) {
  EXPECT_EQ(breach(LaunchesRule{"padded", Expression(1), Expression(1)}, SampleProgram().facts),
            "");
  EXPECT_EQ(breach(LaunchesRule{"padded", Expression(2), {}}, SampleProgram().facts),
            "launches.too_few(count=1, range=padded, wanted=2)");
  EXPECT_EQ(breach(LaunchesRule{"padded", {}, Expression(0)}, SampleProgram().facts),
            "launches.too_many(count=1, range=padded, wanted=0)");
}

TEST(CallsRule, CountsAsyncFormsAndOnlySuccesses) {
  SampleProgram program;
  const auto exactly = [](long count) {
    return CallsRule{"padded", "cudaMemcpy2D", Expression(count), Expression(count)};
  };
  EXPECT_EQ(breach(exactly(3), program.facts), "");
  program.find("cudaMemcpy2D").result = 1;
  EXPECT_EQ(breach(exactly(3), program.facts),
            "calls.too_few(api=cudaMemcpy2D, count=2, range=padded, wanted=3)");
  EXPECT_EQ(breach(exactly(1), program.facts),
            "calls.too_many(api=cudaMemcpy2D, count=2, range=padded, wanted=1)");
}

TEST(LaunchesRule, CountsThoseThatFaultedWhereTheyAreTooManyAndNotWhereTheyAreTooFew) {
  SampleProgram program;
  KernelLaunch faulted = program.launch();
  faulted.result = 719;
  program.facts.trace.launches.push_back(faulted);
  EXPECT_EQ(breach(LaunchesRule{"padded", Expression(1), Expression(1)}, program.facts), "")
      << "CUDA refused it";
  program.facts.trace.launches.back().has_faulted = true;
  EXPECT_EQ(breach(LaunchesRule{"padded", {}, Expression(1)}, program.facts),
            "launches.too_many(count=2, range=padded, wanted=1)");
  EXPECT_EQ(breach(LaunchesRule{"padded", Expression(2), {}}, program.facts),
            "launches.too_few(count=1, range=padded, wanted=2)");
}

TEST(CallsRule, CountsTheCopiesOfGraphsKernelsAndBatches) {
  SampleProgram program;
  const auto at_most = [](const char* api, long count) {
    return CallsRule{"padded", api, {}, Expression(count)};
  };
  EXPECT_EQ(breach(at_most("cudaMemcpy*", 3), program.facts), "");
  ApiCall node = {90, "cudaGraphAddMemcpyNode", 0, 1, "padded", {{"like", "cudaMemcpy2DAsync"}}};
  node.transfers = {{"DtoD", 1, 8}};
  program.facts.trace.calls.push_back(node);
  EXPECT_EQ(breach(at_most("cudaMemcpy*", 3), program.facts),
            "calls.too_many(api=cudaMemcpy*, count=4, range=padded, wanted=3)");
  EXPECT_EQ(breach(at_most("cudaMemcpy2D", 4), program.facts), "") << "it does the same";
  EXPECT_NE(breach(at_most("cudaMemcpy2D", 3), program.facts), "");
  ApiCall unnamed = {91, "cudaNewCall", 1, 1, "padded", {}};
  unnamed.transfers = {{"DtoD", 2, 8}, {"DtoH", 1, 8}, {"fill", 1, 8}};
  program.facts.trace.calls.push_back(unnamed);
  EXPECT_NE(breach(at_most("cudaMemcpy*", 6), program.facts), "");
  EXPECT_EQ(breach(at_most("cudaMemcpy*", 7), program.facts), "");
}

/// Whatever SampleProgram allocated, freed in `range`.
void free_all(SampleProgram& program, const std::string& range) {
  long seq = 100;
  for (const uint64_t ptr : {SampleProgram::kA, SampleProgram::kB, SampleProgram::kC})
    program.facts.trace.calls.push_back({seq++, "cudaFree", 0, 1, range, {{"ptr", ptr}}});
}

TEST(FreedRule, WantsMemoryBackInTheSameRange) {
  SampleProgram program;
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts),
            "freed.memory(api=cudaMallocPitch, bytes=2244, count=3, place=, range=padded)");
  SampleProgram late;
  free_all(late, "");
  EXPECT_NE(breach(FreedRule{"padded"}, late.facts), "");
  free_all(program, "padded");
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "");
}

TEST(FreedRule, TellsOfTheKernelThatFaultedWhereMemoryIsFreedInVain) {
  constexpr int kFault = 719;
  SampleProgram program;
  program.launch().result = kFault;
  program.launch().has_faulted = true;
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts).id, "freed.memory") << "nothing is freed";
  free_all(program, "padded");
  for (ApiCall& call : program.facts.trace.calls)
    if (call.name == "cudaFree") call.result = kFault;
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts).id, "launch.refused");
  program.facts.trace.calls.pop_back();
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts).id, "freed.memory") << "one is forgotten";
}

TEST(FreedRule, WantsMemoryBackThatWasMadeBeforeAnyRangeAndThatItsKernelsWorkOn) {
  SampleProgram program;
  free_all(program, "padded");
  ApiCall& made = program.find("cudaMallocPitch");
  made.range = "";
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "");
  SampleProgram kept;
  kept.find("cudaMallocPitch", 0).range = "";
  EXPECT_EQ(breach(FreedRule{"padded"}, kept.facts),
            "freed.memory(api=cudaMallocPitch, bytes=2244, count=3, place=, range=padded)");
  kept.launch().memory.erase(kept.launch().memory.begin());
  EXPECT_EQ(breach(FreedRule{"padded"}, kept.facts),
            "freed.memory(api=cudaMallocPitch, bytes=4420, count=2, place=, range=padded)");
}

TEST(FreedRule, WantsBackWhatKernelsOfTheRangeTookByMalloc) {
  SampleProgram program;
  free_all(program, "padded");
  program.facts.trace.ranges = {{200, "dense", true, 0},  {201, "dense", false, 3},
                                {202, "padded", true, 3}, {203, "padded", false, 5},
                                {204, "padded", true, 5}, {205, "padded", false, 4}};
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "freed.in_kernels(count=1, range=padded)");
  program.facts.trace.ranges.back().heap_blocks = 3;
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "");
}

TEST(FreedRule, WantsBackWhatANodeOfAGraphAllocates) {
  SampleProgram program;
  free_all(program, "padded");
  std::vector<ApiCall>& calls = program.facts.trace.calls;
  calls.push_back({300, "cudaGraphAddMemAllocNode", 0, 1, "padded", {{"ptr", uint64_t{4096}}}});
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts),
            "freed.object(api=cudaGraphAddMemAllocNode, back=cudaFreeAsync, place=, range=padded)");
  for (const char* const giver : {"cudaFree", "cudaFreeAsync", "cudaGraphAddMemFreeNode"}) {
    calls.push_back({301, giver, 0, 1, "padded", {{"ptr", uint64_t{4096}}}});
    EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "") << giver;
    calls.pop_back();
  }
}

TEST(FreedRule, WantsNothingGivenBackThatIsNotThere) {
  SampleProgram program;
  free_all(program, "padded");
  std::vector<ApiCall>& calls = program.facts.trace.calls;
  ApiCall twice = *std::find_if(calls.begin(), calls.end(),
                                [](const ApiCall& call) { return call.name == "cudaFree"; });
  twice.seq = 300;
  for (const int result : {1, 400, 713}) {
    twice.result = result;
    calls.push_back(twice);
    EXPECT_EQ(breach(FreedRule{"padded"}, program.facts),
              "freed.refused(api=cudaFree, range=padded)");
    calls.back().range = "dense";
    EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "") << "another range's";
    calls.pop_back();
  }
  twice.result = 1;
  calls.push_back(twice);
  EXPECT_EQ(breach(FreedRule{"padded", true}, program.facts), "") << "another item's to charge";
  calls.pop_back();
  twice.result = 719;
  calls.push_back(twice);
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "") << "a kernel failed";
}

TEST(FreedRule, WantsNothingBackWhereNothingWasAskedFor) {
  SampleProgram program;
  free_all(program, "padded");
  program.facts.trace.calls.push_back(
      {200, "cudaMalloc", 0, 1, "padded", {{"ptr", 0}, {"size", 0}}});
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "");
}

TEST(FreedRule, NamesTheLineOfWhatIsNotGivenBack) {
  SampleProgram program;
  ApiCall& made = program.find("cudaMallocPitch", 0);
  made.file = "a.cu";
  made.line = 31;
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts),
            "freed.memory(api=cudaMallocPitch, bytes=2244, count=3, place=place.at(file=a.cu, "
            "line=31), range=padded)");
}

TEST(FreedRule, WantsEventsAndStreamsBackToo) {
  SampleProgram program;
  free_all(program, "padded");
  program.facts.trace.calls.push_back(
      {200, "cudaEventCreateWithFlags", 0, 1, "padded", {{"event", 7}}});
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "freed.event(place=, range=padded)");
  program.facts.trace.calls.push_back({201, "cudaEventDestroy", 0, 1, "padded", {{"event", 7}}});
  program.facts.trace.calls.push_back({202, "cudaStreamCreate", 0, 1, "padded", {{"stream", 3}}});
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "freed.stream(place=, range=padded)");
}

void add_call(SampleProgram& program, const char* name, Arguments args = {}) {
  const long seq = 300 + static_cast<long>(program.facts.trace.calls.size());
  program.facts.trace.calls.push_back({seq, name, 0, 1, "padded", std::move(args)});
}

TEST(FreedRule, WantsBackWhateverElseThereIsToMake) {
  const std::vector<std::array<const char*, 2>> pairs = {
      {"cudaHostAlloc", "cudaFreeHost"},
      {"cudaHostRegister", "cudaHostUnregister"},
      {"cudaMallocArray", "cudaFreeArray"},
      {"cudaMalloc3DArray", "cudaFreeArray"},
      {"cudaMallocMipmappedArray", "cudaFreeMipmappedArray"},
      {"cudaCreateTextureObject", "cudaDestroyTextureObject"},
      {"cudaCreateSurfaceObject", "cudaDestroySurfaceObject"},
      {"cudaGraphCreate", "cudaGraphDestroy"},
      {"cudaStreamEndCapture", "cudaGraphDestroy"},
      {"cudaGraphInstantiateWithFlags", "cudaGraphExecDestroy"},
      {"cudaMemPoolCreate", "cudaMemPoolDestroy"}};
  for (const auto& [maker, giver] : pairs) {
    SampleProgram program;
    free_all(program, "padded");
    add_call(program, maker, {{"ptr", 0x900}});
    EXPECT_EQ(
        breach(FreedRule{"padded"}, program.facts),
        std::string("freed.object(api=") + maker + ", back=" + giver + ", place=, range=padded)");
    add_call(program, giver, {{"ptr", 0x900}});
    EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "") << maker;
  }
}

TEST(FreedRule, WantsAGraphBackOnceThatACaptureOnlyAddsTo) {
  SampleProgram program;
  free_all(program, "padded");
  for (const char* const name : {"cudaGraphCreate", "cudaStreamBeginCaptureToGraph",
                                 "cudaStreamEndCapture", "cudaGraphDestroy"})
    add_call(program, name);
  EXPECT_EQ(breach(FreedRule{"padded"}, program.facts), "");
}

}  // namespace
}  // namespace warpgrade
