// SPDX-License-Identifier: MIT
#include "check/on_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "check/arrivals.h"
#include "check/provenance.h"
#include "check/rules.h"
#include "check/sample_trace.h"

namespace warpgrade {
namespace {

const OnDeviceRule kOnDevice{"padded", "C", formula("M*N*K")};

TEST(OnDeviceRule, HoldsForTheRightProgram) {
  EXPECT_EQ(breach(kOnDevice, SampleProgram().facts), "");
}

TEST(OnDeviceRule, SeesAKernelThatDoesTooLittle) {
  SampleProgram program;
  program.launch().metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 100;
  EXPECT_EQ(breach(kOnDevice, program.facts),
            "device_work.multiplications(done=100, range=padded, wanted=36465)");
}

/// The program with its result passed on by `copies` copies within the device before it is read back.
SampleProgram with_chain(long copies, const char* first = "DtoD") {
  SampleProgram program;
  std::vector<ApiCall>& calls = program.facts.trace.calls;
  const auto read_back = std::find_if(calls.begin(), calls.end(), [](const ApiCall& call) {
    return call.name == "cudaMemcpy2DAsync";
  });
  std::for_each(read_back, calls.end(), [&](ApiCall& call) { call.seq += copies; });
  std::vector<ApiCall> chain;
  for (long i = 0; i < copies; ++i) {
    const Arguments args = {{"direction", i == 0 ? first : "DtoD"},
                            {"src", i == 0 && first[0] == 'H' ? 7 : SampleProgram::kC},
                            {"dst", SampleProgram::kC},
                            {"count", 4}};
    chain.push_back({read_back->seq - copies + i, "cudaMemcpy", 0, 1, "padded", args});
  }
  calls.insert(read_back, chain.begin(), chain.end());
  return program;
}

TEST(OnDeviceRule, FollowsALongChainOfCopiesInOnePass) {
  constexpr long kCopies = 30'000;
  EXPECT_EQ(breach(kOnDevice, with_chain(kCopies).facts), "");
  EXPECT_EQ(breach(kOnDevice, with_chain(kCopies, "HtoD").facts),
            "device_work.elsewhere(array=C, doer=doer.host, range=padded)");
}

TEST(OnDeviceRule, WaitsForTheEmulatedDeviceWhereAGpuCannotCount) {
  SampleProgram program;
  program.facts.trace.source = "gpu";
  EXPECT_TRUE(judge_rule(kOnDevice, program.facts).pending);
  EXPECT_TRUE(judge_rule(OnDeviceRule{"padded", "C", formula("0*M")}, program.facts).passed);
}

TEST(OnDeviceRule, WithoutANumberOfMultiplicationsLooksOnlyWhereTheResultCameFrom) {
  const OnDeviceRule rule{"padded", "C", std::nullopt};
  SampleProgram program;
  program.launch().metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 0;
  EXPECT_EQ(breach(rule, program.facts), "");
  program.facts.outputs["C"] = make_npy<float>({2}, {3, 4});
  EXPECT_EQ(breach(rule, program.facts),
            "device_work.elsewhere(array=C, doer=doer.host, range=padded)");
}

TEST(OnDeviceRule, LooksAtFewOfTheWaysInWhichTheSameBytesCame) {
  constexpr size_t kElements = 64, kCopies = 2000;
  SampleProgram program;
  const NpyArray zeros = make_npy<float>({kElements}, std::vector<float>(kElements));
  ApiCall copy = program.find("cudaMemcpy2D");
  copy.name = "cudaMemcpy";
  copy.args = {{"direction", "DtoH"},
               {"count", sizeof(float)},
               {"content_hash", hex64(content_hash(std::string(4, 0)))}};
  for (size_t i = 0; i < kCopies; ++i) {
    copy.args["dst"] = 4096 + i * sizeof(float);
    program.facts.trace.calls.push_back(copy);
  }
  const std::vector<Arrival> arrivals = arrivals_of(zeros, program.facts.trace, "");
  EXPECT_GE(arrivals.size(), 2u) << "by rows, and in pieces";
  EXPECT_LE(arrivals.size(), 100u);
  for (const Arrival& arrival : arrivals) {
    ASSERT_EQ(arrival.size(), kElements);
    EXPECT_LE(arrival[0].sources->size(), 100u);
  }
}

TEST(OnDeviceRule, SeesAResultComputedOnTheHost) {
  SampleProgram program;
  program.facts.outputs["C"] = make_npy<float>({2}, {3, 4});
  EXPECT_EQ(breach(kOnDevice, program.facts),
            "device_work.elsewhere(array=C, doer=doer.host, range=padded)");
  program.facts.outputs["C"] = make_npy<float>({2, 1}, {3, 4});
  EXPECT_EQ(breach(kOnDevice, program.facts),
            "device_work.elsewhere(array=C, doer=doer.host_or_gaps, range=padded)")
      << "rows may lie in what one copy brought, between gaps";
}

TEST(OnDeviceRule, WaitsWhereAGpuSawNoChangeOfMemoryThatAKernelHad) {
  const OnDeviceRule rule{"padded", "C", std::nullopt};
  SampleProgram program;
  for (Touch& touch : program.launch().memory) touch.written = false;
  EXPECT_FALSE(judge_rule(rule, program.facts).pending) << "the emulated device sees each store";
  program.facts.trace.source = "gpu";
  EXPECT_TRUE(judge_rule(rule, program.facts).pending);
  program.facts.outputs["C"] = make_npy<float>({2}, {3, 4});
  EXPECT_FALSE(judge_rule(rule, program.facts).pending) << "that came from elsewhere";
}

TEST(OnDeviceRule, SeesAHostResultSentThereAndBack) {
  SampleProgram program;
  ApiCall sent = program.find("cudaMemcpy2D", 0);
  sent.args["dst"] = SampleProgram::kC;
  sent.seq = program.launch().seq + 1;
  program.find("cudaMemcpy2DAsync").seq = sent.seq + 1;
  program.facts.trace.calls.push_back(sent);
  EXPECT_EQ(breach(kOnDevice, program.facts),
            "device_work.elsewhere(array=C, doer=doer.host, range=padded)");
}

/// Between the kernel and the copy back: a copy from `src` to `dst` on the device.
ApiCall copied_within(SampleProgram& program, uint64_t dst, uint64_t src) {
  ApiCall copy = program.find("cudaMemcpy2D", 0);
  copy.args["direction"] = "DtoD";
  copy.args["dst"] = dst;
  copy.args["src"] = src;
  copy.seq = program.launch().seq + 1;
  program.find("cudaMemcpy2DAsync").seq = copy.seq + 1;
  return copy;
}

TEST(OnDeviceRule, SeesAHostResultThatWentThroughOtherMemory) {
  SampleProgram program;
  program.facts.trace.calls.push_back(copied_within(program, SampleProgram::kC, SampleProgram::kA));
  EXPECT_EQ(breach(kOnDevice, program.facts),
            "device_work.elsewhere(array=C, doer=doer.host, range=padded)");
}

TEST(OnDeviceRule, FollowsAResultThroughOtherMemory) {
  SampleProgram program;
  program.facts.trace.calls.push_back(copied_within(program, SampleProgram::kA, SampleProgram::kC));
  EXPECT_EQ(breach(kOnDevice, program.facts), "") << "C is copied to A, and read back from C";
  program.find("cudaMemcpy2DAsync").args["src"] = SampleProgram::kA;
  EXPECT_EQ(breach(kOnDevice, program.facts), "") << "and from A";
  program.find("cudaMemcpy2DAsync").args["src"] = SampleProgram::kB;
  EXPECT_NE(breach(kOnDevice, program.facts), "");
}

TEST(OnDeviceRule, AcceptsRowsThatCameOneByOne) {
  SampleProgram program;
  const NpyArray c = make_npy<float>({2, 1}, {1, 2});
  program.facts.outputs["C"] = c;
  ApiCall& copy = program.find("cudaMemcpy2DAsync");
  const char* bytes = reinterpret_cast<const char*>(c.bytes.data());
  copy.args["content_hash"] = "none";
  copy.args["row_hashes"] =
      std::vector{hex64(content_hash({bytes, 4})), hex64(content_hash({bytes + 4, 4}))};
  EXPECT_EQ(breach(kOnDevice, program.facts), "");
}

TEST(OnDeviceRule, CountsNoMultiplicationsOfAGpu) {
  SampleProgram program;
  const OnDeviceRule rule{"padded", "C", *Expression::parse("1000000000")};
  const Sentence here = breach(rule, program.facts);
  program.facts.trace.source = "gpu";
  EXPECT_NE(here, breach(rule, program.facts));
}

/// A program whose "sum" range computes `out`, which one copy brings back. The tests say what last
/// wrote its bytes.
class SumProgram {
 public:
  static constexpr const char* kOurs = "kernel\tsum\tadd(float*)";

  explicit SumProgram(NpyArray out, std::vector<std::string> writers, std::string runs) {
    facts.trace.launches = {launch_in("sum")};
    facts.outputs["out"] = std::move(out);
    copy_back(facts.outputs["out"].bytes, 0x7000, std::move(writers), std::move(runs));
  }

  static KernelLaunch launch_in(const std::string& range) {
    KernelLaunch launch;
    launch.seq = 1;
    launch.kernel = "add(float*)";
    launch.range = range;
    return launch;
  }

  void copy_back(std::span<const std::byte> bytes, uint64_t dst, std::vector<std::string> writers,
                 std::string runs) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ApiCall call{++seq_, "cudaMemcpy", 0, 0, "sum", {}};
    call.args = {{"direction", "DtoH"},
                 {"dst", dst},
                 {"src", uint64_t{0x100}},
                 {"count", bytes.size()},
                 {"content_hash", hex64(content_hash(text))},
                 {"origins", std::move(writers)},
                 {"origin_runs", std::move(runs)}};
    facts.trace.calls.push_back(std::move(call));
  }

  std::string judge() const {
    return breach(OnDeviceRule{"sum", "out", std::nullopt}, facts).key();
  }

  CaseFacts facts;

 private:
  long seq_ = 1;
};

NpyArray floats(std::vector<float> values) { return make_npy<float>({values.size()}, values); }

std::string foreign(int element, const char* writer) {
  return "device_work.foreign(array=out, element=" + std::to_string(element) +
         ", range=sum, writer=" + writer + ")";
}

using Words = std::vector<std::string>;
const Words kOursAndHost = {SumProgram::kOurs, "host"};

TEST(OnDeviceRule, AsksOfEveryElementThatAKernelOfTheRangeWroteIt) {
  EXPECT_EQ(SumProgram(floats({3, 4, 5}), {SumProgram::kOurs}, "12:0").judge(), "");
  EXPECT_EQ(SumProgram(floats({3, 4, 5}), kOursAndHost, "4:0 8:1").judge(),
            foreign(1, "writer.host"));
  EXPECT_EQ(SumProgram(floats({3, 4, 5}), {"host"}, "12:0").judge(), foreign(0, "writer.host"));
}

TEST(OnDeviceRule, TakesEveryKernelOfTheRangeAndNoneOfAnother) {
  const Words kernels = {SumProgram::kOurs, "kernel\tsum\tscale(float*)"};
  EXPECT_EQ(SumProgram(floats({3, 4, 5}), kernels, "4:0 4:1 4:0").judge(), "");
  EXPECT_EQ(
      SumProgram(floats({3, 4, 5}), {SumProgram::kOurs, "kernel\tother\tf()"}, "8:0 4:1").judge(),
      foreign(2, "writer.kernel(kernel=f(), range=other)"));
  EXPECT_EQ(SumProgram(floats({3, 4, 5}), {SumProgram::kOurs, "kernel\t\tf()"}, "8:0 4:1").judge(),
            foreign(2, "writer.outside(kernel=f())"));
  SumProgram anywhere(floats({3, 4}), {"kernel\tother\tf()"}, "8:0");
  EXPECT_EQ(breach(OnDeviceRule{"", "out", std::nullopt}, anywhere.facts).key(), "");
}

TEST(OnDeviceRule, LeavesElementsAloneThatWereClearedBeforeAKernelAddedToOthers) {
  const Words writers = {SumProgram::kOurs, "fill"};
  EXPECT_EQ(SumProgram(floats({0, 4, 0, 1}), writers, "4:1 4:0 4:1 4:0").judge(), "");
  EXPECT_EQ(SumProgram(floats({0, 4, 0, 1}), kOursAndHost, "4:1 4:0 4:1 4:0").judge(), "")
      << "the host cleared them";
  EXPECT_EQ(
      SumProgram(floats({0, 4, 0, 1}), {SumProgram::kOurs, "nothing"}, "4:1 4:0 4:1 4:0").judge(),
      "")
      << "a variable is clear from the start";
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(SumProgram(floats({inf, 4, inf}), kOursAndHost, "4:1 4:0 4:1").judge(), "");
}

TEST(OnDeviceRule, TakesNoTwoValuesForWhatWasClearedBefore) {
  EXPECT_EQ(SumProgram(floats({0, 4, 1}), kOursAndHost, "4:1 4:0 4:1").judge(),
            foreign(2, "writer.host"));
  EXPECT_EQ(SumProgram(floats({0.5f, 4, 0.5f}), kOursAndHost, "4:1 4:0 4:1").judge(),
            foreign(0, "writer.host"));
}

TEST(OnDeviceRule, WantsAKernelBehindSomeByte) {
  EXPECT_EQ(SumProgram(floats({1, 1}), {"fill"}, "8:0").judge(),
            "device_work.elsewhere(array=out, doer=doer.host, range=sum)");
  EXPECT_EQ(SumProgram(floats({1}), {"host"}, "4:0").judge(),
            "device_work.elsewhere(array=out, doer=doer.host, range=sum)");
}

TEST(OnDeviceRule, LeavesZerosAloneThatAKernelOfTheirAllocationNeedNotWrite) {
  SumProgram program(floats({0, 0}), {"fill"}, "8:0");
  EXPECT_NE(program.judge(), "");
  ApiCall made{0, "cudaMalloc", 0, 0, "sum", {}};
  made.args = {{"ptr", uint64_t{0x100}}, {"size", uint64_t{64}}};
  program.facts.trace.calls.insert(program.facts.trace.calls.begin(), made);
  program.facts.trace.launches[0].memory = {{0x100, false, true}};
  EXPECT_EQ(program.judge(), "");
}

TEST(OnDeviceRule, LeavesElementsOfAnInputAloneThatAKernelWorksOnInPlace) {
  SumProgram program(floats({-3, 4, 5}), kOursAndHost, "4:1 4:0 4:1");
  EXPECT_EQ(program.judge(), foreign(0, "writer.host"));
  program.facts.inputs = [] {
    return Arrays{{"short", floats({-3, 9})}, {"x", floats({-3, 9, 5})}};
  };
  EXPECT_EQ(program.judge(), "");
  program.facts.inputs = [] { return Arrays{{"x", floats({-3, 9, 6})}}; };
  EXPECT_EQ(program.judge(), foreign(2, "writer.host"));
}

TEST(OnDeviceRule, TakesNoCopyOfAWholeInputForWorkInPlace) {
  SumProgram program(floats({-3, 4, 5}), kOursAndHost, "4:0 8:1");
  program.facts.inputs = [] { return Arrays{{"x", floats({-3, 4, 5})}}; };
  EXPECT_EQ(program.judge(), foreign(1, "writer.host"));
}

TEST(OnDeviceRule, HoldsNothingAgainstAProgramWhoseInputsTheGraderCannotRead) {
  SumProgram program(floats({-3, 4, 5}), kOursAndHost, "4:1 4:0 4:1");
  program.facts.inputs = []() -> Result<Arrays> { return Error{"the disk is gone"}; };
  EXPECT_EQ(program.judge(), "");
}

TEST(OnDeviceRule, LooksAtTheBytesOfAnElementThatAKernelWroteInPart) {
  EXPECT_EQ(SumProgram(make_npy<int>({1}, {7}), kOursAndHost, "1:0 3:1").judge(), "")
      << "the kernel counts in bytes";
  EXPECT_EQ(SumProgram(make_npy<int>({1}, {0x1207}), kOursAndHost, "1:0 3:1").judge(),
            foreign(0, "writer.host"));
}

TEST(OnDeviceRule, JoinsPiecesThatLieSideBySideOnTheHost) {
  const NpyArray out = floats({5, 6, 7, 8});
  SumProgram program(out, {SumProgram::kOurs}, "16:0");
  program.facts.trace.calls.clear();
  const std::span<const std::byte> bytes(out.bytes);
  program.copy_back(bytes.subspan(8), 0x7008, {SumProgram::kOurs}, "8:0");
  EXPECT_NE(program.judge(), "");
  program.copy_back(bytes.first(8), 0x7000, {SumProgram::kOurs}, "8:0");
  EXPECT_EQ(program.judge(), "");
  program.copy_back(bytes.first(8), 0x7000, {"host"}, "8:0");
  EXPECT_EQ(program.judge(), foreign(0, "writer.host"));
}

TEST(OnDeviceRule, FindsAnArrayAmongThePiecesOfALongerBuffer) {
  const NpyArray out = floats({2, 3}), all = floats({1, 2, 3, 4});
  SumProgram program(out, {SumProgram::kOurs}, "8:0");
  program.facts.trace.calls.clear();
  for (size_t i = 0; i < 4; ++i)
    program.copy_back(std::span(all.bytes).subspan(4 * i, 4), 0x7000 + 4 * i, {SumProgram::kOurs},
                      "4:0");
  EXPECT_EQ(program.judge(), "");
}

TEST(OnDeviceRule, AcceptsAnyOfSeveralCopiesOfTheSameBytes) {
  SumProgram program(floats({3, 4}), {"host"}, "8:0");
  EXPECT_NE(program.judge(), "");
  program.copy_back(program.facts.outputs["out"].bytes, 0x9000, {SumProgram::kOurs}, "8:0");
  EXPECT_EQ(program.judge(), "");
}

TEST(OnDeviceRule, KnowsTheWriterOfEachRow) {
  SumProgram program(make_npy<float>({2, 1}, {3, 4}), kOursAndHost, "4:0 4:1");
  ApiCall& copy = program.facts.trace.calls[0];
  const char* bytes = reinterpret_cast<const char*>(program.facts.outputs["out"].bytes.data());
  copy.args["content_hash"] = "another";
  copy.args["width"] = 4;
  copy.args["row_hashes"] =
      Words{hex64(content_hash({bytes, 4})), hex64(content_hash({bytes + 4, 4}))};
  EXPECT_EQ(program.judge(), foreign(1, "writer.host"));
  copy.args["origin_runs"] = "8:0";
  EXPECT_EQ(program.judge(), "");
}

TEST(OnDeviceRule, BelievesNoRecordThatMakesNoSense) {
  for (const char* runs : {"", "4:0", "8:7", "8", "8:", ":0", "x:0", "8:0x", "4:0,4:0"})
    EXPECT_EQ(SumProgram(floats({3, 4}), {SumProgram::kOurs}, runs).judge(),
              "device_work.elsewhere(array=out, doer=doer.host, range=sum)")
        << runs;
}

TEST(IsNeutral, KnowsWhatIsThereBeforeAKernelRuns) {
  const auto neutral = [](auto value) {
    return is_neutral({reinterpret_cast<const char*>(&value), sizeof value},
                      npy_dtype<decltype(value)>());
  };
  EXPECT_TRUE(neutral(0.0f) && neutral(-0.0) && neutral(1) && neutral(-1.0f));
  EXPECT_TRUE(neutral(std::numeric_limits<double>::max()) && neutral(INT32_MIN) &&
              neutral(UINT64_MAX) && neutral(0x3f3f3f3f));
  EXPECT_FALSE(neutral(0.5f) || neutral(2) || neutral(int64_t{7}) || neutral(uint32_t{258}));
  EXPECT_TRUE(neutral(uint8_t{0}) && neutral(uint8_t{1}) && neutral(uint8_t{255}));
  EXPECT_FALSE(neutral(uint8_t{7}));
}

}  // namespace
}  // namespace warpgrade
