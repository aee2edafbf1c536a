// SPDX-License-Identifier: MIT
#include "check/launch_rules.h"

#include <gtest/gtest.h>

#include "check/rules.h"
#include "check/sample_trace.h"

namespace warpgrade {
namespace {

const DeviceRule kDevice{formula("major")};

TEST(DeviceRule, SeesTheWrongDevice) {
  EXPECT_EQ(breach(kDevice, SampleProgram().facts), "");
  SampleProgram program;
  program.launch().device = 0;
  EXPECT_EQ(breach(kDevice, program.facts),
            "device.wrong(device=device 0 (T4, capability 7.5), kernel=product, major=8)");
}

TEST(DeviceRule, WantsALaunchExactlyWhereThereIsADevice) {
  SampleProgram program;
  program.facts.trace.launches.clear();
  EXPECT_EQ(breach(kDevice, program.facts),
            "device.unused(device=device 1 (RTX 3090, capability 8.6), major=8)");
  program.facts.values["major"] = 2;
  EXPECT_EQ(breach(kDevice, program.facts), "");
  program.facts.trace.devices.clear();
  EXPECT_EQ(breach(kDevice, program.facts), "device.none");
}

TEST(DeviceRule, TellsWhyALaunchFailedAndNotThatThereWasNone) {
  SampleProgram program;
  program.launch().result = 700;  // cudaErrorIllegalAddress
  program.facts.trace.launches = {program.launch()};
  EXPECT_EQ(breach(kDevice, program.facts).id, "launch.refused");
}

TEST(DeviceRule, WaitsWhereAGpuHasNoOtherBesideIt) {
  SampleProgram program;
  program.facts.trace.source = "gpu";
  EXPECT_TRUE(judge_rule(kDevice, program.facts).passed) << "there are three kinds";
  program.facts.trace.devices = {program.facts.trace.devices.at(1)};
  program.launch().device = 0;
  EXPECT_TRUE(judge_rule(kDevice, program.facts).pending);
  program.facts.trace.source = "emulated";
  EXPECT_TRUE(judge_rule(kDevice, program.facts).passed);
}

const TimedByEventsRule kTimed{"padded", "times", 1};

TEST(TimedByEventsRule, HoldsForTheRightProgram) {
  EXPECT_EQ(breach(kTimed, SampleProgram().facts), "");
}

TEST(TimedByEventsRule, SeesEventsThatDoNotEncloseTheKernel) {
  SampleProgram program;
  program.find("cudaEventRecord", 1).seq = 3;
  EXPECT_EQ(breach(kTimed, program.facts), "times.not_enclosed(kernel=product)");
}

TEST(TimedByEventsRule, SeesEventsOfAnotherStream) {
  SampleProgram program;
  program.find("cudaEventRecord", 0).args["stream"] = 5;
  EXPECT_NE(breach(kTimed, program.facts), "");
}

TEST(TimedByEventsRule, SeesThatMoreThanTheKernelIsTimed) {
  SampleProgram program;
  program.find("cudaMemcpy2D", 1).seq = program.launch().seq;
  EXPECT_EQ(breach(kTimed, program.facts), "times.between_kernels(call=cudaMemcpy2D)");
}

/// The sample program with one more call between its two events.
SampleProgram with_call_while_timed(const std::string& name, int result = 0) {
  SampleProgram program;
  program.find("cudaEventRecord", 1).seq += 100;
  program.find("cudaMemcpy2DAsync").seq += 100;
  program.find("cudaEventElapsedTime").seq += 100;
  program.facts.trace.calls.push_back(
      {program.launch().seq + 1, name, result, 1, "padded", {{"event", 7}}});
  return program;
}

TEST(TimedByEventsRule, WantsNothingButLaunchesBetweenTheEventsWhereTheRubricSaysSo) {
  TimedByEventsRule rule = kTimed;
  for (const char* name :
       {"cudaMalloc", "cudaFree", "cudaDeviceSynchronize", "cudaStreamQuery",
        "cudaGetDeviceProperties", "cudaEventSynchronize", "cudaFuncSetAttribute",
        "cudaLaunchHostFunc", "cudaOccupancyMaxActiveBlocksPerMultiprocessor"}) {
    rule.between = Between::kNoCopies;
    EXPECT_EQ(breach(rule, with_call_while_timed(name).facts), "") << name;
    rule.between = Between::kLaunches;
    EXPECT_EQ(breach(rule, with_call_while_timed(name).facts),
              "times.between_kernels(call=" + std::string(name) + ")");
  }
  EXPECT_NE(breach(rule, with_call_while_timed("cudaStreamQuery", 600).facts), "");
}

TEST(TimedByEventsRule, AllowsWhatBelongsToLaunchesBetweenTheEvents) {
  TimedByEventsRule rule = kTimed;
  rule.between = Between::kLaunches;
  EXPECT_EQ(breach(rule, SampleProgram().facts), "");
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cudaGetLastError",
        "cudaPeekAtLastError", "cudaEventRecord", "cudaEventCreate", "cudaStreamWaitEvent"})
    EXPECT_EQ(breach(rule, with_call_while_timed(name).facts), "") << name;
}

TEST(TimedByEventsRule, WantsOneKernelBetweenTheEventsWhereTheRubricSaysSo) {
  TimedByEventsRule rule = kTimed;
  SampleProgram program = with_call_while_timed("cudaLaunchKernel");
  KernelLaunch again = program.launch();
  again.seq += 1;
  program.facts.trace.launches.push_back(again);
  rule.between = Between::kOneKernel;
  EXPECT_EQ(breach(rule, program.facts), "");
  EXPECT_EQ(breach(rule, with_call_while_timed("cudaMalloc").facts),
            "times.between(call=cudaMalloc)");
  KernelLaunch& other = program.facts.trace.launches.back();
  other.kernel = "clear";
  other.metrics.clear();
  program.launch().metrics["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"] = 1;
  EXPECT_EQ(breach(rule, program.facts), "times.between(call=clear)");
  rule.between = Between::kLaunches;
  EXPECT_EQ(breach(rule, program.facts), "");
}

TEST(TimedByEventsRule, SeesThatNobodyWaitedForTheSecondEvent) {
  SampleProgram program;
  ApiCall& copy = program.find("cudaMemcpy2DAsync");
  ApiCall& elapsed = program.find("cudaEventElapsedTime");
  std::swap(copy.seq, elapsed.seq);
  EXPECT_EQ(breach(kTimed, program.facts), "times.not_waited");
  copy.seq += 10;
  elapsed.seq += 10;
  program.facts.trace.calls.push_back(
      {elapsed.seq - 1, "cudaEventSynchronize", 0, 1, "padded", {{"event", 2}}});
  EXPECT_EQ(breach(kTimed, program.facts), "");
  program.facts.trace.calls.back().args["event"] = 1;
  EXPECT_EQ(breach(kTimed, program.facts), "times.not_waited");
}

TEST(TimedByEventsRule, SeesATimeFromElsewhere) {
  SampleProgram program;
  program.facts.outputs["times"] = make_npy<float>({2}, {0, 0.5f});
  EXPECT_EQ(breach(kTimed, program.facts), "times.other(measured=0.25, returned=0.5)");
  program.facts.outputs.erase("times");
  EXPECT_EQ(breach(kTimed, program.facts), "times.not_written(array=times, index=1)");
}

TEST(TimedByEventsRule, AllowsAWarmUpAndAKernelThatPreparesOutsideTheEvents) {
  SampleProgram program;
  KernelLaunch warm_up = program.launch(), clear = program.launch();
  warm_up.seq = clear.seq = 0;
  clear.kernel = "clear";
  clear.metrics.clear();
  program.facts.trace.launches.insert(program.facts.trace.launches.begin(), {clear, warm_up});
  EXPECT_EQ(breach(kTimed, program.facts), "");
}

TEST(TimedByEventsRule, AllowsALongerKernelThatOnlyWritesOutsideTheEvents) {
  SampleProgram program;
  KernelLaunch clear = program.launch();
  clear.seq = 0;
  clear.metrics = {{"ptx__inst_executed.sum", 9000}};
  program.launch().metrics = {{"ptx__inst_executed.sum", 1000},
                              {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 64}};
  program.facts.trace.launches.push_back(clear);
  EXPECT_EQ(breach(kTimed, program.facts), "");
  program.facts.trace.launches[1].metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 64;
  EXPECT_NE(breach(kTimed, program.facts), "");
}

TEST(TimedByEventsRule, AllowsAWarmUpThatDoesMoreWhereTheRubricTimesWhatIsLikeTheLastLaunch) {
  SampleProgram program;
  program.launch().metrics = {{"ptx__inst_executed.sum", 1000}};
  KernelLaunch warm_up = program.launch();
  warm_up.seq = 0;
  warm_up.metrics = {{"ptx__inst_executed.sum", 9000}};
  auto& launches = program.facts.trace.launches;
  launches.insert(launches.begin(), warm_up);
  TimedByEventsRule rule = kTimed;
  EXPECT_NE(breach(rule, program.facts), "");
  rule.timed = TimedLaunches::kLikeLast;
  EXPECT_EQ(breach(rule, program.facts), "");
  launches.push_back(warm_up);
  launches.back().seq = 100;
  EXPECT_EQ(breach(rule, program.facts), "times.not_enclosed(kernel=product)");
}

TEST(TimedByEventsRule, TakesTheTimeOfSeveralLaunchesForNoneOfOneWhereOneIsAsked) {
  SampleProgram program;
  KernelLaunch second = program.launch();
  auto& launches = program.facts.trace.launches;
  launches.push_back(second);
  TimedByEventsRule rule = kTimed;
  EXPECT_EQ(breach(rule, program.facts), "");
  rule.of = TimeOf::kOne;
  EXPECT_EQ(breach(rule, program.facts), "times.of_several(launches=2, one=0.125, returned=0.25)");
}

TEST(TimedByEventsRule, TimesTheKernelThatUpdatesByAtomicsAndNotALongerOneThatClears) {
  for (const char* atomics : {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                              "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"}) {
    SampleProgram program;
    KernelLaunch clear = program.launch();
    clear.seq = 0;
    clear.metrics = {{"ptx__inst_executed.sum", 5}};
    program.launch().metrics = {{"ptx__inst_executed.sum", 4}, {atomics, 1}};
    program.facts.trace.launches.push_back(clear);
    EXPECT_EQ(breach(kTimed, program.facts), "") << atomics;
  }
}

TEST(WarmedUpRule, WantsTheSameKernelBeforeTheFirstThatIsTimed) {
  SampleProgram program;
  const WarmedUpRule rule{"padded"};
  const std::string cold = "warm.cold(kernel=product)";
  EXPECT_EQ(breach(rule, program.facts), cold);
  KernelLaunch other = program.launch();
  other.seq = 100;
  program.facts.trace.launches.push_back(other);
  EXPECT_EQ(breach(rule, program.facts), cold);
  program.facts.trace.launches[1].seq = 0;
  EXPECT_EQ(breach(rule, program.facts), "");
  program.facts.trace.launches[1].kernel = "clear";
  EXPECT_EQ(breach(rule, program.facts), cold);
  program.find("cudaEventRecord", 1).seq = program.launch().seq - 1;
  EXPECT_EQ(breach(rule, program.facts), "");         // the events are wrong, the warm-up is not
  program.find("cudaEventElapsedTime").result = 600;  // cudaErrorNotReady
  EXPECT_EQ(breach(rule, program.facts), "");         // the wait is missing, the warm-up is not
  program.find("cudaEventElapsedTime").result = 1;
  EXPECT_EQ(breach(rule, program.facts), "warm.untimed(range=padded)");
  program.facts.trace.launches[1].result = 719;
  EXPECT_EQ(breach(rule, program.facts).id, "launch.refused");
}

TEST(TimedByEventsRule, RefusesToTimeOnlyWhatPrepares) {
  SampleProgram program;
  KernelLaunch product = program.launch();
  program.launch().metrics.clear();
  product.seq = 100;
  program.facts.trace.launches.push_back(product);
  EXPECT_NE(breach(kTimed, program.facts), "");
}

TEST(TimedByEventsRule, AllowsTheMeanOfSeveralLaunches) {
  SampleProgram program;
  program.facts.trace.launches.push_back(program.launch());
  program.facts.outputs["times"] = make_npy<float>({2}, {0, 0.125f});
  EXPECT_EQ(breach(kTimed, program.facts), "");
  program.facts.outputs["times"] = make_npy<float>({2}, {0, 0.0625f});
  EXPECT_NE(breach(kTimed, program.facts), "");
}

/// Two rows: two launches, each between two events of its own, of 0.25 and 0.5 ms.
SampleProgram two_rows() {
  SampleProgram program;
  Trace& trace = program.facts.trace;
  const long after = trace.calls.back().seq;
  KernelLaunch second = program.launch();
  second.seq = after + 2;
  trace.launches.push_back(second);
  const auto call = [&](long seq, const char* name, auto args) {
    ApiCall made = program.find("cudaEventRecord");
    made.seq = seq;
    made.name = name;
    made.args = args;
    trace.calls.push_back(made);
  };
  using Args = decltype(ApiCall::args);
  call(after + 1, "cudaEventRecord", Args{{"event", 3}, {"stream", 0}});
  call(after + 3, "cudaEventRecord", Args{{"event", 4}, {"stream", 0}});
  call(after + 4, "cudaEventSynchronize", Args{{"event", 4}});
  call(after + 5, "cudaEventElapsedTime", Args{{"start", 3}, {"end", 4}, {"ms", 0.5}});
  program.facts.outputs["times"] = make_npy<float>({2}, {0.25f, 0.5f});
  return program;
}

TEST(TimedByEventsRule, TakesLaunchesWhoseMultiplicationsDifferByRareNumbersForAlike) {
  constexpr const char* kMultiplications = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
  const TimedByEventsRule kFirst{"padded", "times", 0};
  SampleProgram program = two_rows();
  std::vector<KernelLaunch>& launches = program.facts.trace.launches;
  launches[launches.size() - 2].metrics[kMultiplications] = 100'000;
  launches.back().metrics[kMultiplications] = 100'008;
  EXPECT_EQ(breach(kFirst, program.facts), "");
  launches.back().metrics[kMultiplications] = 200'000;
  EXPECT_NE(breach(kFirst, program.facts), "");
}

const TimedByEventsRule kEachTimed{"padded", "times", 0, Between::kNoCopies, TimedElements::kEach};

TEST(TimedByEventsRule, WantsTwoEventsOfItsOwnForEachElementWhereTheRubricSaysSo) {
  SampleProgram program = two_rows();
  EXPECT_EQ(breach(kEachTimed, program.facts), "");
  program.facts.outputs["times"] = make_npy<float>({2}, {0.5f, 0.25f});
  EXPECT_EQ(breach(kEachTimed, program.facts), "") << "the order is the program's to choose";
  program.facts.outputs["times"] = make_npy<float>({2}, {0.25f, 0.25f});
  EXPECT_EQ(breach(kTimed, program.facts), "");
  EXPECT_EQ(breach(kEachTimed, program.facts),
            "times.not_own(array=times, index=1, returned=0.25)");
  program.facts.outputs["times"] = make_npy<float>({0}, {});
  EXPECT_EQ(breach(kEachTimed, program.facts), "times.not_written(array=times, index=0)");
}

TEST(TimedByEventsRule, LetsAnElementTakeThePairThatAnotherOneCanSpare) {
  SampleProgram program = two_rows();
  // Two launches between the first two events: 0.25 ms, or 0.125 ms each. The others are 0.125 ms.
  KernelLaunch again = program.launch();
  program.facts.trace.launches.push_back(again);
  program.facts.trace.calls.back().args["ms"] = 0.125;
  program.facts.outputs["times"] = make_npy<float>({2}, {0.125f, 0.125f});
  EXPECT_EQ(breach(kEachTimed, program.facts), "");
  program.facts.outputs["times"] = make_npy<float>({2}, {0.125f, 0.25f});
  EXPECT_EQ(breach(kEachTimed, program.facts), "");
}

TEST(TimedByEventsRule, TellsWhyAPairHasNoTimeWhereAnElementHasNoPair) {
  SampleProgram program = two_rows();
  program.find("cudaEventSynchronize").seq = program.facts.trace.calls.back().seq + 1;
  EXPECT_EQ(breach(kEachTimed, program.facts), "times.not_waited");
}

TEST(TimedByEventsRule, SeesThatElapsedTimeFailed) {
  SampleProgram program;
  program.find("cudaEventElapsedTime").result = 600;
  EXPECT_EQ(breach(kTimed, program.facts), "times.no_elapsed(range=padded)");
  program.facts.trace.launches.push_back(program.launch());
  program.facts.trace.launches.back().result = 719;
  EXPECT_EQ(breach(kTimed, program.facts).id, "launch.refused") << "the launch failed before it";
}

TEST(NoFindingsRule, LooksOnlyAtItsCheckers) {
  SampleProgram program;
  program.facts.trace.findings.push_back({20, "padding", "read of 4 bytes", "", "", 0, {}, {}});
  EXPECT_EQ(breach(NoFindingsRule{{"memory"}, ""}, program.facts), "");
  EXPECT_EQ(breach(NoFindingsRule{{"padding"}, ""}, program.facts),
            "finding.padding(place=, what=read of 4 bytes, who=)");
}

TEST(NoFindingsRule, WaitsWhereTheRaceCheckerGaveALaunchUp) {
  SampleProgram program;
  const Rule races = NoFindingsRule{{"memory", "race"}, "padded"}, memory = NoFindingsRule{};
  program.facts.trace.findings.push_back({20, "unchecked", "waits", "product", "", 0, {}, {}});
  EXPECT_EQ(judge_rule(races, program.facts).message, "waits.unchecked(what=waits)");
  EXPECT_TRUE(judge_rule(races, program.facts).pending);
  EXPECT_TRUE(judge_rule(memory, program.facts).passed);
  program.facts.trace.findings.push_back({21, "race", "writes", "product", "", 0, {}, {}});
  EXPECT_FALSE(judge_rule(races, program.facts).pending) << "what was found costs the points";
}

TEST(NoFindingsRule, LooksOnlyAtKernelsOfItsRange) {
  SampleProgram program;
  program.facts.trace.findings.push_back({20, "race", "reads", "other", "", 0, {}, {}});
  EXPECT_EQ(breach(NoFindingsRule{{"race"}, "padded"}, program.facts), "");
  program.facts.trace.findings.push_back({21, "race", "writes", "product", "", 0, {}, {}});
  EXPECT_EQ(breach(NoFindingsRule{{"race"}, "padded"}, program.facts),
            "finding.race(place=, what=writes, who=who.thread(block=0, 0, 0, kernel=product, "
            "thread=0, 0, 0))");
}

TEST(NoFindingsRule, LooksAtKernelsOutsideAllRangesToo) {
  SampleProgram program;
  program.facts.trace.ranges = {{1, "padded", true}, {50, "padded", false}};
  KernelLaunch early = program.launch();
  early.kernel = "early";
  early.range = "";
  program.facts.trace.launches.push_back(early);
  program.facts.trace.findings.push_back({20, "race", "reads", "early", "", 0, {}, {}});
  EXPECT_NE(breach(NoFindingsRule{{"race"}, "padded"}, program.facts), "");
  EXPECT_NE(breach(FindingsRule{{"race"}, "padded"}, program.facts), "") << "they earn nothing";
  program.facts.trace.launches.back().is_drivers = true;
  EXPECT_EQ(breach(NoFindingsRule{{"race"}, "padded"}, program.facts), "");
}

TEST(FindingsRule, WantsOneAboutAKernelOfItsRange) {
  SampleProgram program;
  const FindingsRule rule{{"race"}, "padded"};
  const char* nothing = "findings.none(checkers=race, range=padded)";
  EXPECT_EQ(breach(rule, program.facts), nothing);
  program.facts.trace.findings.push_back({20, "race", "reads", "other", "", 0, {}, {}});
  program.facts.trace.findings.push_back({21, "memory", "reads", "product", "", 0, {}, {}});
  EXPECT_EQ(breach(rule, program.facts), nothing);
  program.facts.trace.findings.push_back({22, "race", "writes", "product", "", 0, {}, {}});
  EXPECT_EQ(breach(rule, program.facts), "");
}

TEST(FindingsRule, IsNotMetWhereNothingRan) {
  SampleProgram program;
  EXPECT_EQ(breach(FindingsRule{{"race"}, "absent"}, program.facts), "launch.none(range=absent)");
}

TEST(JudgeRule, PassesWhatNothingBreaks) {
  EXPECT_TRUE(
      judge_rule(OnDeviceRule{"padded", "C", formula("M*N*K")}, SampleProgram().facts).passed);
  EXPECT_FALSE(judge_rule(LaunchesRule{"dense", Expression(1), {}}, SampleProgram().facts).passed);
}

TEST(Rules, AboutFindingsWaitWhereNobodyLooked) {
  SampleProgram program;
  program.facts.trace.source = "gpu";
  const Rule none = NoFindingsRule{}, some = FindingsRule{{"race"}, "padded"};
  for (const Rule& rule : {none, some}) EXPECT_TRUE(judge_rule(rule, program.facts).pending);
  program.facts.trace.source = "emulated";
  for (const Rule& rule : {none, some}) EXPECT_FALSE(judge_rule(rule, program.facts).pending);
}

}  // namespace
}  // namespace warpgrade
