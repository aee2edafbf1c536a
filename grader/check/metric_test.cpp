// SPDX-License-Identifier: MIT
#include "check/metric.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/counter_value.h"
#include "check/sample_measured.h"
#include "check/sample_trace.h"

namespace warpgrade {
namespace {

Item bounded_counter(const char* name, std::optional<Bound> at_most, const char* range = "padded") {
  Item item;
  item.kind = ItemKind::kEfficiency;
  item.metric = Metric{range, name, {}, at_most, "", {}};
  return item;
}

TEST(JudgeEfficiency, DividesSectorsByRequests) {
  const SampleProgram program;
  const auto judge = [&](double most, const char* range) {
    return judge_efficiency(bounded_counter("sectors_per_global_load", most, range), program.facts);
  };
  EXPECT_TRUE(judge(3.0, "padded").passed);
  EXPECT_EQ(judge(2.5, "padded").message,
            "counter.too_large(counter=sectors_per_global_load, value=3, wanted=2.5)");
  EXPECT_EQ(judge(2.5, "dense").message, "launch.none(range=dense)");
}

TEST(JudgeEfficiency, CountsLaunchesThatDifferInKernelOrArguments) {
  SampleProgram program;
  const auto judge = [&](double least) {
    Item item = bounded_counter("different_launches", {});
    item.metric->at_least = least;
    return judge_efficiency(item, program.facts);
  };
  program.facts.trace.launches.push_back(program.launch());
  EXPECT_EQ(judge(2).message, "counter.too_small(counter=different_launches, value=1, wanted=2)");
  program.facts.trace.launches[1].params[0] = "another";
  EXPECT_TRUE(judge(2).passed);
  program.facts.trace.launches[1].params = program.launch().params;
  program.facts.trace.launches[1].kernel = "another";
  EXPECT_TRUE(judge(2).passed);
  program.facts.trace.launches[1].result = 719;
  EXPECT_EQ(judge(2).message.id, "launch.refused") << "the count lacks a launch that failed";
}

TEST(JudgeEfficiency, WaitsForAGpuWhereItsCountersAreAskedFor) {
  const SampleProgram program;
  Item item = bounded_counter("sectors_per_global_load", 3.0);
  item.metric->source = CounterSource::kHardware;
  const Judgement judgement = judge_efficiency(item, program.facts);
  EXPECT_TRUE(judgement.pending);
  EXPECT_FALSE(judgement.passed);
  EXPECT_EQ(judgement.message, "waits.tools(why=no GPU)");
}

TEST(JudgeEfficiency, JudgesWhatTheCountersOfAGpuTold) {
  SampleProgram program;
  Item item = bounded_counter("dram_bytes", 1000.0);
  item.metric->source = CounterSource::kHardware;
  program.facts.hardware = {{"padded", {{"dram_bytes", {1500.0, ""}}}}};
  EXPECT_EQ(judge_efficiency(item, program.facts).message,
            "counter.too_large(counter=dram_bytes, value=1500, wanted=1000)");
  program.facts.hardware["padded"]["dram_bytes"].value = 1000.0;
  EXPECT_TRUE(judge_efficiency(item, program.facts).passed);
}

TEST(JudgeEfficiency, HasAFormulaForEachCounterThatARubricMayNameOnEveryChip) {
  for (const std::string& name : hardware_counters()) {
    for (const int major : {7, 8, 9, 10, 12})
      EXPECT_FALSE(metrics_for(name, major).empty()) << name << " on " << major;
  }
}

TEST(JudgeEfficiency, TakesNoCounterThatAGpuDidNotTellForZero) {
  SampleProgram program;
  Item item = bounded_counter("dram_bytes", 1000.0);
  item.metric->source = CounterSource::kHardware;
  program.facts.hardware = {{"padded", {{"dram_bytes", {std::nullopt, "ncu gave 'nan'"}}}}};
  const Judgement unknown = judge_efficiency(item, program.facts);
  EXPECT_TRUE(unknown.pending);
  EXPECT_EQ(unknown.message, "waits.tools(why=ncu gave 'nan')");
  program.facts.hardware["padded"]["dram_bytes"] = {};
  program.facts.trace.source = "gpu";
  const Judgement none = judge_efficiency(item, program.facts);
  EXPECT_FALSE(none.pending);
  EXPECT_EQ(none.message, "counter.none(counter=dram_bytes, range=padded)");
}

TEST(JudgeEfficiency, DividesByTheBlocksOfLaunchesThatCountSomething) {
  SampleProgram program;  // 15 blocks
  for (const char* counter : {"shared_atomics_per_block", "global_atomics_per_block"}) {
    program.launch().metrics = {{"ptx__thread_inst_executed_op_shared_atomic.sum", 15},
                                {"ptx__thread_inst_executed_op_global_atomic.sum", 15}};
    KernelLaunch clears = program.launch();
    clears.metrics = {{"ptx__thread_inst_executed_op_shared_atomic.sum", 0},
                      {"ptx__thread_inst_executed_op_global_atomic.sum", 0}};
    EXPECT_EQ(value_of(counter, {&program.launch(), &clears}), 1) << counter;
    EXPECT_EQ(value_of(counter, {&clears}), 0) << counter;
  }
}

TEST(JudgeEfficiency, DividesByWarpsAndBlocksAndTakesFormulas) {
  SampleProgram program;  // 15 blocks of 8 warps
  program.launch().metrics["ptx__thread_inst_executed_op_global_atomic.sum"] = 30;
  const Bound twice = *Expression::parse("2*ceil_div(height, 16)"), once = Expression(1);
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("global_atomics_per_block", twice), program.facts).passed);
  EXPECT_EQ(
      judge_efficiency(bounded_counter("global_atomics_per_block", once), program.facts).message,
      "counter.too_large(counter=global_atomics_per_block, value=2, wanted=1)");
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("global_loads_per_warp", 2.5), program.facts).passed);
  EXPECT_FALSE(
      judge_efficiency(bounded_counter("global_loads_per_warp", 2.49), program.facts).passed);
}

constexpr const char* kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
constexpr const char* kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_";

void set_loads(SampleProgram& program, const char* op, double requests, double sectors) {
  program.launch().metrics[fmt::format("{}{}.sum", kRequests, op)] = requests;
  program.launch().metrics[fmt::format("{}{}.sum", kSectors, op)] = sectors;
}

TEST(JudgeEfficiency, SaysSumsInFull) {
  SampleProgram program;
  set_loads(program, "ld", 120, 53130);
  EXPECT_EQ(judge_efficiency(bounded_counter("global_load_sectors", 53126.), program.facts).message,
            "counter.too_large(counter=global_load_sectors, value=53130, wanted=53126)");
}

TEST(JudgeEfficiency, TakesAtomicsWhoseResultIsUsedForLoads) {
  SampleProgram program;  // 120 warps
  set_loads(program, "ld", 120, 480);
  EXPECT_TRUE(judge_efficiency(bounded_counter("global_load_sectors", 480.), program.facts).passed);
  EXPECT_TRUE(judge_efficiency(bounded_counter("global_loads_per_warp", 1.), program.facts).passed);
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("sectors_per_global_load", 4.), program.facts).passed);
  set_loads(program, "atom", 120, 3840);
  EXPECT_FALSE(
      judge_efficiency(bounded_counter("global_load_sectors", 480.), program.facts).passed);
  EXPECT_FALSE(
      judge_efficiency(bounded_counter("global_loads_per_warp", 1.), program.facts).passed);
  EXPECT_FALSE(
      judge_efficiency(bounded_counter("sectors_per_global_load", 4.), program.facts).passed);
}

TEST(JudgeEfficiency, TakesAtomicsForStoresWhereThereMustNotBeTooMany) {
  for (const char* const op : {"atom", "red"}) {
    SampleProgram program;  // 120 warps
    set_loads(program, "st", 120, 480);
    const Item bound = bounded_counter("global_stores_per_warp", 1.);
    EXPECT_TRUE(judge_efficiency(bound, program.facts).passed);
    EXPECT_TRUE(
        judge_efficiency(bounded_counter("sectors_per_global_store", 4.), program.facts).passed);
    set_loads(program, op, 240, 3840);
    EXPECT_EQ(judge_efficiency(bound, program.facts).message,
              "counter.too_large(counter=global_stores_per_warp, value=3, wanted=1)");
    EXPECT_FALSE(
        judge_efficiency(bounded_counter("sectors_per_global_store", 4.), program.facts).passed);
    EXPECT_EQ(value_of("global_stores_per_warp", {&program.launch()}), 1) << "a lower bound";
  }
}

TEST(JudgeEfficiency, TakesWhatDoesTheSameForACounterOfNcuWhereThereMustNotBeTooMuch) {
  SampleProgram program;
  const auto judge = [&](const std::string& name, const std::string& other) {
    program.launch().metrics = {{name, 100}, {other, 0}};
    const bool passes = judge_efficiency(bounded_counter(name.c_str(), 100.), program.facts).passed;
    program.launch().metrics[other] = 1;
    return passes && !judge_efficiency(bounded_counter(name.c_str(), 100.), program.facts).passed;
  };
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
  EXPECT_TRUE(judge(wavefronts + "ld.sum", wavefronts + "atom.sum"));
  EXPECT_TRUE(judge(fmt::format("{}st.sum", kSectors), fmt::format("{}red.sum", kSectors)));
  EXPECT_TRUE(judge(fmt::format("{}ld.sum", kRequests), "ptx__requests_mem_global_op_bulk_ld.sum"));
}

TEST(JudgeEfficiency, TakesConflictsOfAsynchronousCopiesForThoseOfStores) {
  SampleProgram program;
  const Item bound = bounded_counter("shared_store_conflicts", 0.);
  program.launch().metrics = {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0}};
  EXPECT_TRUE(judge_efficiency(bound, program.facts).passed);
  program.launch()
      .metrics["smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"] = 7;
  EXPECT_EQ(judge_efficiency(bound, program.facts).message,
            "counter.too_large(counter=shared_store_conflicts, value=7, wanted=0)");
}

TEST(JudgeEfficiency, TakesBulkCopiesForLoadsAndStoresAndWaitsWhereAMeanCounts) {
  SampleProgram program;
  set_loads(program, "ld", 120, 480);
  set_loads(program, "st", 120, 480);
  for (const char* const op : {"ld", "st"}) {
    program.launch().metrics[fmt::format("ptx__requests_mem_global_op_bulk_{}.sum", op)] = 10;
    program.launch().metrics[fmt::format("ptx__sectors_mem_global_op_bulk_{}.sum", op)] = 160;
  }
  for (const char* const sum : {"global_load_sectors", "global_store_sectors"}) {
    EXPECT_FALSE(judge_efficiency(bounded_counter(sum, 639.), program.facts).passed);
    EXPECT_TRUE(judge_efficiency(bounded_counter(sum, 640.), program.facts).passed);
  }
  for (const char* const mean : {"sectors_per_global_load", "sectors_per_global_store"})
    EXPECT_EQ(judge_efficiency(bounded_counter(mean, 4.), program.facts).message,
              fmt::format("waits.unseen_reads(counter={}, fetches=10)", mean));
}

TEST(JudgeEfficiency, TakesFetchesFromTexturesForLoadsAndWaitsWhereTheirSectorsCount) {
  for (const char* const fetches :
       {"ptx__inst_executed_op_texture.sum", "ptx__inst_executed_op_surface.sum"}) {
    SampleProgram program;
    set_loads(program, "ld", 120, 480);
    program.launch().metrics[fetches] = 120;
    EXPECT_FALSE(
        judge_efficiency(bounded_counter("global_load_requests", 120.), program.facts).passed);
    EXPECT_TRUE(
        judge_efficiency(bounded_counter("global_load_requests", 240.), program.facts).passed);
    const Judgement sectors =
        judge_efficiency(bounded_counter("global_load_sectors", 480.), program.facts);
    EXPECT_TRUE(sectors.pending);
    EXPECT_EQ(sectors.message, "waits.unseen_reads(counter=global_load_sectors, fetches=120)");
    EXPECT_EQ(sectors.flags.size(), 1u);
  }
}

TEST(JudgeEfficiency, WaitsWhereLanesLoadDifferentAddressesOfConstantMemory) {
  SampleProgram program;
  set_loads(program, "ld", 120, 480);
  program.launch().metrics["ptx__requests_mem_const_op_ld.sum"] = 32;
  program.launch().metrics["ptx__addresses_mem_const_op_ld.sum"] = 32;
  EXPECT_TRUE(judge_efficiency(bounded_counter("global_load_sectors", 480.), program.facts).passed);
  program.launch().metrics["ptx__addresses_mem_const_op_ld.sum"] = 1024;
  for (const auto& [name, bound] :
       std::map<std::string, double>{{"global_load_sectors", 480.},
                                     {"sectors_per_global_load", 4.},
                                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 480.}}) {
    const Judgement judgement =
        judge_efficiency(bounded_counter(name.c_str(), bound), program.facts);
    EXPECT_EQ(judgement.message, fmt::format("waits.unseen_reads(counter={}, fetches=992)", name));
  }
}

TEST(JudgeEfficiency, HoldsTheLaunchWithTheLargestMeanAgainstABoundFromAbove) {
  SampleProgram program;
  program.facts.trace.launches.push_back(program.launch());
  KernelLaunch& further = program.facts.trace.launches.back();
  further.metrics = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1000},
                     {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000}};
  EXPECT_EQ(
      judge_efficiency(bounded_counter("sectors_per_global_load", 2.5), program.facts).message,
      "counter.too_large(counter=sectors_per_global_load, value=3, wanted=2.5)");
  further.metrics = {{"ptx__thread_inst_executed_op_global_atomic.sum", 0}};
  EXPECT_EQ(judge_efficiency(bounded_counter("global_loads_per_warp", 2.0), program.facts).message,
            "counter.too_large(counter=global_loads_per_warp, value=2.5, wanted=2)");
}

TEST(JudgeEfficiency, HoldsTheBlockWithTheMostAtomicsAgainstABoundFromAbove) {
  SampleProgram program;  // 15 blocks
  program.launch().metrics["ptx__thread_inst_executed_op_global_atomic.sum"] = 15;
  program.launch().metrics["ptx__thread_inst_executed_op_global_atomic.max"] = 8;
  EXPECT_EQ(
      judge_efficiency(bounded_counter("global_atomics_per_block", 1.0), program.facts).message,
      "counter.too_large(counter=global_atomics_per_block, value=8, wanted=1)");
}

TEST(JudgeEfficiency, CountsWhatHappensToTheMemoryOfAnArray) {
  SampleProgram program;
  std::vector<Touch>& memory = program.launch().memory;
  memory[0].atomic_updates = 50;
  memory[0].writers = 60;
  memory[2].atomic_updates = 7;
  memory[2].writers = 9;
  const auto judge = [&](const char* name, const char* array) {
    Item item = bounded_counter(name, {});
    item.metric->at_least = 100.0;
    item.metric->array = array;
    return judge_efficiency(item, program.facts).message;
  };
  EXPECT_EQ(judge("atomic_updates", ""),
            "counter.too_small(counter=atomic_updates, value=57, wanted=100)");
  EXPECT_EQ(judge("atomic_updates", "C"),
            "counter.too_small(counter=atomic_updates, value=7, wanted=100)");
  EXPECT_EQ(judge("writing_threads", "C"),
            "counter.too_small(counter=writing_threads, value=9, wanted=100)");
  EXPECT_EQ(judge("writing_threads", "times"),
            "counter.none(counter=writing_threads, range=padded)");
}

TEST(JudgeEfficiency, TakesTheMemoryThatTheDriverCopiedLastForAnArrays) {
  SampleProgram program;
  program.launch().memory[0].atomic_updates = 50;
  program.launch().memory[2].atomic_updates = 7;
  ApiCall decoy = program.find("cudaMemcpy2DAsync");
  decoy.args["src"] = SampleProgram::kA;
  program.facts.trace.calls.insert(program.facts.trace.calls.end() - 2, decoy);
  Item item = bounded_counter("atomic_updates", {});
  item.metric->at_least = 8.0;
  item.metric->array = "C";
  EXPECT_FALSE(judge_efficiency(item, program.facts).passed);
}

TEST(JudgeEfficiency, DividesAddressesByConstantLoads) {
  SampleProgram program;
  program.launch().metrics["ptx__requests_mem_const_op_ld.sum"] = 4;
  program.launch().metrics["ptx__addresses_mem_const_op_ld.sum"] = 6;
  EXPECT_EQ(
      judge_efficiency(bounded_counter("addresses_per_constant_load", 1.0), program.facts).message,
      "counter.too_large(counter=addresses_per_constant_load, value=1.5, wanted=1)");
}

TEST(JudgeEfficiency, CountsThreadsByTheShapesOfLaunches) {
  const SampleProgram program;  // 15 blocks of 256 threads
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("launch__thread_count", 3840.0), program.facts).passed);
  EXPECT_EQ(
      judge_efficiency(bounded_counter("launch__thread_count", 3839.0), program.facts).message,
      "counter.too_large(counter=launch__thread_count, value=3840, wanted=3839)");
}

TEST(JudgeEfficiency, CountsAMultiplyAddAsAnAddition) {
  SampleProgram program;
  auto& metrics = program.launch().metrics;
  metrics["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"] = 10;
  metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 20;
  metrics["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"] = 300;
  metrics["smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"] = 4;
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("floating_point_additions", 34.0), program.facts).passed);
  EXPECT_EQ(
      judge_efficiency(bounded_counter("floating_point_additions", 33.0), program.facts).message,
      "counter.too_large(counter=floating_point_additions, value=34, wanted=33)");
}

TEST(JudgeEfficiency, DividesMultiplicationsByThreads) {
  SampleProgram program;  // 15 blocks of 256 threads
  program.launch().metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 3840.0 * 6;
  program.launch().metrics["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"] = 3840.0 * 2;
  const auto at_least = [](double bound) {
    Item item = bounded_counter("multiplications_per_thread", {});
    item.metric->at_least = bound;
    return item;
  };
  EXPECT_TRUE(judge_efficiency(at_least(8), program.facts).passed);
  EXPECT_EQ(judge_efficiency(at_least(9), program.facts).message,
            "counter.too_small(counter=multiplications_per_thread, value=8, wanted=9)");
  program.facts.trace.source = "gpu";
  program.launch().metrics.clear();
  EXPECT_TRUE(judge_efficiency(at_least(8), program.facts).pending);
}

TEST(JudgeEfficiency, WaitsForTheEmulatedDeviceWhereAGpuCountedNothing) {
  SampleProgram program;
  program.facts.trace.source = "gpu";
  program.launch().metrics.clear();
  EXPECT_TRUE(
      judge_efficiency(bounded_counter("sectors_per_global_load", 3.0), program.facts).pending);
  EXPECT_FALSE(
      judge_efficiency(bounded_counter("launch__thread_count", 1e9), program.facts).pending);
}

TEST(JudgeEfficiency, PaysByItsCurve) {
  const SampleProgram program;
  Item item = bounded_counter("sectors_per_global_load", {});
  item.curve = Curve{Interpolation::kLinear, {{1, 1}, {5, 0}}};
  const Judgement judgement = judge_efficiency(item, program.facts);
  EXPECT_TRUE(judgement.passed);
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  EXPECT_EQ(judgement.message,
            "paid.part(bound=bound.at_most, full=1, percent=50, "
            "what=counter.value(counter=sectors_per_global_load, value=3))");
}

/// Four times the baseline's speed earns everything.
Item speedup_over_naive() {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.metric = Metric{"padded", "speedup", {}, {}, "naive", {}};
  item.curve = Curve{Interpolation::kLog, {{1, 0}, {4, 1}}};
  return item;
}

SampleProgram timed(double ms, const char* source) {
  SampleProgram program;
  program.launch().time_ms = KernelTime{ms, source};
  return program;
}

TEST(JudgePerformance, ComparesWithItsBaselineOnTheSameCase) {
  SampleProgram program = timed(2, "modelled");
  program.facts.baselines.emplace("naive", std::map<std::string, double>{{"padded", 4}});
  const Judgement judgement = judge_performance(speedup_over_naive(), program.facts);
  EXPECT_TRUE(judgement.passed && judgement.provisional);
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  EXPECT_EQ(
      judgement.message,
      "paid.part(bound=bound.at_least, full=4, percent=50, what=speed.modelled(baseline=naive, "
      "ours=2, outside=, source=source.modelled(gpu=RTX 3090), speedup=2, theirs=4))");
  SampleProgram measured = timed(1, "measured");
  measured.facts.baselines = program.facts.baselines;
  EXPECT_FALSE(judge_performance(speedup_over_naive(), measured.facts).provisional);
  EXPECT_EQ(
      judge_performance(speedup_over_naive(), measured.facts).message,
      "speed.modelled(baseline=naive, ours=1, outside=, source=source.measured(gpu=RTX 3090), "
      "speedup=4, theirs=4)");
}

TEST(JudgePerformance, TakesWhatWasMeasuredForWhatWasModelled) {
  SampleProgram program = timed(2, "modelled");
  program.facts.baselines.emplace("naive", std::map<std::string, double>{{"padded", 4}});
  Item item = speedup_over_naive();
  item.points = 10;
  program.facts.measured = SampleMeasurement(0.8).measured;
  for (auto& [name, ranges] : program.facts.measured->timed.programs)
    ranges["padded"] = ranges["device"];
  const Judgement judgement = judge_performance(item, program.facts);
  EXPECT_EQ(judgement.fraction, 1);
  EXPECT_FALSE(judgement.provisional);
  EXPECT_EQ(judgement.message.args.at("speedup"), "4.00");
  item.without_gpu = WithoutGpu::kPending;
  EXPECT_FALSE(judge_performance(item, program.facts).pending);
  program.launch().result = 1;
  EXPECT_FALSE(judge_performance(item, program.facts).passed) << "no kernel ran in the other run";
}

TEST(JudgePerformance, ChargesWhatRanOutsideOfTheGradedCallsBeyondTheDriversOwn) {
  SampleProgram program = timed(1, "modelled");
  program.facts.baselines.emplace("naive", std::map<std::string, double>{{"padded", 4}, {"", 1}});
  KernelLaunch early = program.launch();
  early.range = "";
  early.time_ms->value = 1;
  program.facts.trace.launches.push_back(early);
  EXPECT_TRUE(judge_performance(speedup_over_naive(), program.facts).passed);
  EXPECT_EQ(
      judge_performance(speedup_over_naive(), program.facts).message,
      "speed.modelled(baseline=naive, ours=1, outside=, source=source.modelled(gpu=RTX 3090), "
      "speedup=4, theirs=4)");
  program.facts.trace.launches.back().time_ms->value = 2.1;
  EXPECT_EQ(
      judge_performance(speedup_over_naive(), program.facts).message,
      "paid.part(bound=bound.at_least, full=4, percent=50, what=speed.modelled(baseline=naive, "
      "ours=2, outside=, 1 ms of it outside the graded calls,, source=source.modelled(gpu=RTX "
      "3090), "
      "speedup=2, theirs=4))");
}

TEST(JudgePerformance, ChargesWhatRanInARangeWhereTheBaselineRunsNothing) {
  SampleProgram program = timed(1, "modelled");
  program.facts.baselines.emplace("naive",
                                  std::map<std::string, double>{{"padded", 4}, {"dense", 4}});
  for (const char* range : {"dense", "next"}) {
    KernelLaunch elsewhere = program.launch();
    elsewhere.range = range;
    elsewhere.time_ms->value = 1;
    program.facts.trace.launches.push_back(elsewhere);
  }
  EXPECT_EQ(
      judge_performance(speedup_over_naive(), program.facts).message,
      "paid.part(bound=bound.at_least, full=4, percent=50, what=speed.modelled(baseline=naive, "
      "ours=2, outside=, 1 ms of it outside the graded calls,, source=source.modelled(gpu=RTX "
      "3090), "
      "speedup=2, theirs=4))");
}

TEST(JudgePerformance, IsPendingWhereThereIsNothingToCompareWith) {
  const Judgement alone = judge_performance(speedup_over_naive(), timed(2, "modelled").facts);
  EXPECT_TRUE(alone.pending);
  EXPECT_EQ(alone.message,
            "speed.at_home(baseline=naive, ms=2, source=source.modelled(gpu=RTX 3090))");
  EXPECT_TRUE(judge_performance(speedup_over_naive(), SampleProgram().facts).pending)
      << "no time at all";
  Item later = speedup_over_naive();
  later.without_gpu = WithoutGpu::kPending;
  EXPECT_EQ(judge_performance(later, timed(2, "modelled").facts).message, "waits.for_gpu");
}

TEST(JudgePerformance, DoesNotBlameTheStudentForABrokenBaseline) {
  SampleProgram program = timed(2, "modelled");
  program.facts.baselines.emplace("naive", Error{"it crashed"});
  EXPECT_TRUE(judge_performance(speedup_over_naive(), program.facts).system_error);
  program.facts.baselines.clear();
  program.facts.baselines.emplace("naive", std::map<std::string, double>{});
  EXPECT_EQ(judge_performance(speedup_over_naive(), program.facts).message,
            "speed.baseline_idle(baseline=naive, range=padded)");
}

TEST(JudgePerformance, CountsBytesOfAMeasuredTime) {
  Item item = speedup_over_naive();
  item.without_gpu = WithoutGpu::kPending;
  item.metric = Metric{"padded", "gb_per_s", {}, {}, "", *Expression::parse("M*1000000")};
  item.curve = Curve{Interpolation::kLinear, {{0, 0}, {66, 1}}};
  const Judgement judgement = judge_performance(item, timed(1, "measured").facts);
  EXPECT_DOUBLE_EQ(judgement.fraction, 0.5);
  EXPECT_EQ(judgement.message.args.at("what"), "speed.rate(ms=1, rate=33, unit=GB/s)");
  EXPECT_EQ(judgement.message.args.at("percent"), "50");
}

TEST(JudgePerformance, ChargesCopiesWithinTheDeviceAndFills) {
  SampleProgram program = timed(2, "modelled");
  const double alone_ms = times_by_range(program.facts.trace).at("padded");
  // Whatever asked for them: a call without arguments of that kind, or one that failed at the last of several.
  program.facts.trace.calls.push_back({90, "cudaMemcpy2DToArray", 1, 1, "padded", {}});
  ApiCall& call = program.facts.trace.calls.back();
  call.transfers = {{"DtoD", 3, 400, 0.25}, {"PtoP", 1, 80, 0.5}, {"fill", 2, 4, 1}};
  EXPECT_DOUBLE_EQ(times_by_range(program.facts.trace).at("padded"), alone_ms + 1.75);
  call.transfers = {{"HtoD", 1, 400, 0.25}, {"DtoH", 1, 80, 0.5}};
  EXPECT_DOUBLE_EQ(times_by_range(program.facts.trace).at("padded"), alone_ms);
  call.transfers = {{"DtoD", 3, 400, 0.25}};
  call.range = "dense";
  EXPECT_DOUBLE_EQ(times_by_range(program.facts.trace).at("padded"), alone_ms);
}

TEST(JudgePerformance, ChargesCopiesOutsideBeyondTheDrivers) {
  SampleProgram program = timed(2, "modelled");
  const Item item = speedup_over_naive();
  const auto compare_with = [&](std::map<std::string, double> times_ms) {
    program.facts.baselines.insert_or_assign("naive", std::move(times_ms));
    return judge_performance(item, program.facts).fraction;
  };
  EXPECT_DOUBLE_EQ(compare_with({{"padded", 4}}), 0.5);
  program.facts.trace.calls.push_back({90, "cudaMemcpyBatchAsync", 0, 1, "", {}});
  program.facts.trace.calls.back().transfers = {{"DtoD", 3, 400, 2}};
  EXPECT_DOUBLE_EQ(compare_with({{"padded", 4}}), 0);
  EXPECT_DOUBLE_EQ(times_by_range(program.facts.trace).at(""), 2);
  EXPECT_DOUBLE_EQ(compare_with({{"padded", 4}, {"", 2}}), 0.5);
}

TEST(TimesByRange, LeavesOutWhatWasNotTimed) {
  SampleProgram program = timed(2, "modelled");
  program.facts.trace.launches.push_back(program.launch());
  EXPECT_DOUBLE_EQ(times_by_range(program.facts.trace).at("padded"), 4);
  program.launch().time_ms.reset();
  EXPECT_TRUE(times_by_range(program.facts.trace).empty());
}

}  // namespace
}  // namespace warpgrade
