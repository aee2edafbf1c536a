// SPDX-License-Identifier: MIT
#include "emulator/exec/launch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/files.h"
#include "emulator/exec/worker_pool.h"

namespace warpgrade::emulator {
namespace {

constexpr int kLaunchSm = 86;

/// Line of launch_test_kernels.cu that carries "mark: <name>".
int launched_line(const std::string& mark) {
  std::ifstream source(WARPGRADE_TEST_KERNELS_SOURCE);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("mark: " + mark)) return number;
  }
  return -1;
}

class Launch : public testing::Test {
 protected:
  Launch() : memory_({size_t{1} << 30, size_t{1} << 30}) {
    const auto ptx = RealFiles().read(WARPGRADE_TEST_KERNELS_PTX);
    auto module = load_module(ptx.value(), 0, kLaunchSm, memory_);
    if (!module) throw std::runtime_error(module.error().message);
    module_ = std::move(module).value();
    options_.max_shared_bytes = 48 << 10;
    options_.instruction_limit = 10'000'000;
  }

  template <class... Arguments>
  LaunchResult run(const char* kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    LaunchRequest request;
    request.module = module_.get();
    request.kernel = kernel;
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = dynamic_shared_bytes_;
    request.sm = kLaunchSm;
    const KernelInfo* const info = find_kernel(*module_, kernel);
    request.parameters.resize(info->parameter_bytes);
    size_t index = 0;
    (std::memcpy(request.parameters.data() + info->parameters.at(index++).offset, &arguments,
                 sizeof arguments),
     ...);
    return pool_ != nullptr ? launch(request, options_, memory_, *pool_)
                            : launch(request, options_, memory_);
  }

  uint64_t allocate(size_t bytes) { return memory_.allocate(0, bytes, "cudaMalloc")->begin; }

  template <class T>
  T* host(uint64_t address, size_t count) {
    return reinterpret_cast<T*>(memory_.host_address(address, count * sizeof(T)));
  }

  DeviceMemory memory_;
  std::shared_ptr<LoadedModule> module_;
  LaunchOptions options_;
  WorkerPool* pool_ = nullptr;
  size_t dynamic_shared_bytes_ = 0;
};

std::string place(const Finding& finding) {
  return fmt::format("{}:{} block {} thread {} x{}", finding.file, finding.line, finding.block.x,
                     finding.thread.x, finding.count);
}

TEST_F(Launch, SeesAWriteOneElementPastTheEnd) {
  const LaunchResult result = run("write_at", {2, 1, 1}, {32, 1, 1}, allocate(31 * 4), 0);
  EXPECT_EQ(result.status, LaunchStatus::illegal_address);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.writes, bytes=4, where=where.right_past(allocation=allocation.m"
            "ade(bytes=124, origin=cudaMalloc)))");
  EXPECT_EQ(place(result.findings[0]), fmt::format("launch_test_kernels.cu:{} block 0 thread 31 x2",
                                                   launched_line("write_at")));
}

TEST_F(Launch, EndsALoopThatWaitsForWhatItCannotRead) {
  options_.instruction_limit = 0;
  const LaunchResult result = run("wait_at", {2, 1, 1}, {64, 1, 1}, uint64_t{0});
  EXPECT_EQ(result.status, LaunchStatus::illegal_address);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, launched_line("wait_at"));
}

// As an H100 with driver 580 prints, but for the sizes h and hh and the 33rd argument: there it printed what lay beside
// them, and what is expected here is what the CUDA C++ Programming Guide says.
TEST_F(Launch, PrintsByTheFormsOfTheHost) {
  std::string printed;
  options_.print = [&](std::string_view text) { printed += text; };
  const uint64_t returned = allocate(16);
  EXPECT_EQ(run("print_forms", {}, {}, returned, uint64_t{0}).findings.size(), 0u);
  EXPECT_EQ(printed,
            "[                  0x1234] [0x1234    ] [(nil)]\n"
            "[4464] [ff] [34] [-6] [  3.1] [x] [%k] [%5%]\n"
            "no arguments\n"
            "(null)\n"
            "12345678901234567890123456789012%d\n");
  const int* const values = host<int>(returned, 4);
  EXPECT_EQ(std::vector<int>(values, values + 4), (std::vector<int>{3, 6, 0, -1}));
}

TEST_F(Launch, SeesTheLastByteAndNotOneMore) {
  const uint64_t in = allocate(1001), out = allocate(1);
  EXPECT_EQ(run("read_byte", {}, {}, in, out, 1000).status, LaunchStatus::ok);
  const LaunchResult result = run("read_byte", {}, {}, in, out, 1001);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.reads, bytes=1, where=where.right_past(allocation=allocation.ma"
            "de(bytes=1001, origin=cudaMalloc)))");
  EXPECT_EQ(run("read_byte", {}, {}, in, out, -1).status, LaunchStatus::illegal_address);
}

TEST_F(Launch, SeesMemoryOfAnotherDevice) {
  const uint64_t other = memory_.allocate(1, 128, "cudaMalloc")->begin;
  const LaunchResult result = run("write_at", {}, {}, other, 0);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.writes, bytes=4, where=where.other_device(device=1))");
}

TEST_F(Launch, SeesOneSharedArrayRunningIntoTheNext) {
  const uint64_t out = allocate(128);
  EXPECT_EQ(run("shared_past_end", {}, {32, 1, 1}, out, 7).status, LaunchStatus::ok);
  const LaunchResult result = run("shared_past_end", {}, {32, 1, 1}, out, 8);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, launched_line("shared_past_end"));
  const std::string told = result.findings[0].message.key();
  EXPECT_NE(told.find("where.right_past(allocation=allocation.shared(array="), std::string::npos)
      << told;
}

TEST_F(Launch, SeesTheEndOfDynamicSharedMemory) {
  dynamic_shared_bytes_ = 64;
  const uint64_t out = allocate(128);
  EXPECT_EQ(run("dynamic_past_end", {}, {32, 1, 1}, out, 15).status, LaunchStatus::ok);
  const LaunchResult result = run("dynamic_past_end", {}, {32, 1, 1}, out, 16);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, launched_line("dynamic_past_end"));
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.writes, bytes=4, where=where.right_past(allocation=allocation.s"
            "hared(array=dynamic, bytes=64)))");
}

TEST_F(Launch, NamesDynamicSharedMemoryAsTheKernelDoes) {
  dynamic_shared_bytes_ = 64;
  const LaunchResult result = run("other_dynamic", {}, {32, 1, 1}, allocate(128), 16);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.writes, bytes=4, where=where.right_past(allocation=allocation.s"
            "hared(array=other, bytes=64)))");
}

TEST_F(Launch, SeesTheEndOfLocalMemory) {
  const uint64_t out = allocate(128);
  EXPECT_EQ(run("local_past_end", {}, {32, 1, 1}, out, 3).status, LaunchStatus::ok);
  const LaunchResult result = run("local_past_end", {}, {32, 1, 1}, out, 4);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, launched_line("local_past_end"));
  EXPECT_EQ(result.findings[0].message,
            "memory.outside(act=act.reads, bytes=4, where=where.local(bytes=16))");
}

TEST_F(Launch, SeesAMisalignedAccess) {
  const LaunchResult result = run("misaligned", {}, {}, allocate(64));
  EXPECT_EQ(result.status, LaunchStatus::misaligned_address);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, launched_line("misaligned"));
}

TEST_F(Launch, SeesRowPaddingOnlyWhenAsked) {
  const uint64_t rows = memory_.allocate_pitched(0, 40, 3, 1, "cudaMallocPitch")->begin;
  EXPECT_TRUE(run("touch_padding", {}, {}, rows, 10).findings.empty());
  options_.check.padding = true;
  EXPECT_TRUE(run("touch_padding", {}, {}, rows, 9).findings.empty());
  const LaunchResult result = run("touch_padding", {}, {}, rows, 10);
  EXPECT_EQ(result.status, LaunchStatus::ok);
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].message,
            "padding.touched(act=act.reads, origin=cudaMallocPitch, pitch=512, width=40)");
  ASSERT_EQ(result.touched.size(), 1u);
  EXPECT_TRUE(result.touched[0].padding_read && result.touched[0].padding_written);
}

TEST_F(Launch, CountsAtomicsThatChangeSomethingAndThreadsThatWrite) {
  options_.check.race = true;
  const uint64_t sum = allocate(4), alone = allocate(64);
  *host<int>(sum, 1) = 0;
  const LaunchResult result = run("some_add", {3, 1, 1}, {64, 1, 1}, sum, alone);
  ASSERT_EQ(result.touched.size(), 2u);
  EXPECT_EQ(result.metrics.at("ptx__thread_inst_executed_op_global_atomic.max"), 3 * 64)
      << "of each block";
  const bool sum_is_first = result.touched[0].ptr == sum;
  const TouchedAllocation &of_all = result.touched[sum_is_first ? 0 : 1],
                          &of_one = result.touched[sum_is_first ? 1 : 0];
  EXPECT_EQ(of_all.atomic_updates, 3u * 32);
  EXPECT_EQ(of_all.writers, 3u * 64);
  EXPECT_EQ(of_one.atomic_updates, 0u);
  EXPECT_EQ(of_one.writers, 3u);
}

/// Lane 1's part of what meet_in_shared writes, and the sum that no result tells.
std::vector<int> seen_by_lane_1(const int* out) {
  return {out[1], out[33], out[65], out[97], out[128]};
}

TEST_F(Launch, KeepsFromAKernelWhatItsResultShouldDependOn) {
  const uint64_t out = allocate(129 * 4);
  const auto seen = [&] {
    EXPECT_EQ(run("meet_in_shared", {}, {32, 1, 1}, out, 0).status, LaunchStatus::ok);
    return seen_by_lane_1(host<int>(out, 129));
  };
  EXPECT_EQ(seen(), (std::vector<int>{5, 5, 5, 1, 32}));
  options_.hides_shared = true;
  EXPECT_EQ(seen(), (std::vector<int>{0, 0, 5, 1, 32})) << "volatile loads and atomics synchronise";
  options_.hides_shared = false;
  options_.forgets_shared = true;
  EXPECT_EQ(seen(), (std::vector<int>{0, 0, 0, 0, 0}));
  options_.forgets_shared = false;
  options_.drops_reductions = true;
  EXPECT_EQ(seen(), (std::vector<int>{5, 5, 5, 1, 0}));
  options_.drops_reductions = false;
  options_.drops_atomics = true;
  EXPECT_EQ(seen(), (std::vector<int>{5, 5, 5, 0, 0}));
}

TEST_F(Launch, StopsAKernelThatNeverEnds) {
  const uint64_t flag = allocate(4);
  *host<int>(flag, 1) = 0;
  const LaunchResult result = run("endless", {4, 1, 1}, {64, 1, 1}, flag);
  EXPECT_EQ(result.status, LaunchStatus::instruction_limit);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].message, "limit.instructions(instructions=10000000)");
}

// A warp that sleeps in a loop would else spend its whole share of instructions on it.
TEST_F(Launch, GivesTheTurnOfASleepingWarpToTheOthers) {
  const uint64_t flag = allocate(4);
  *host<int>(flag, 1) = 0;
  options_.instruction_limit = 1000;
  EXPECT_EQ(run("sleep_until_set", {}, {256, 1, 1}, flag).status, LaunchStatus::ok);
}

TEST_F(Launch, ShufflesNoPlausibleValueFromALaneThatDoesNotTakePart) {
  const uint64_t values = allocate(32 * 4);
  std::fill_n(host<int>(values, 32), 32, 1);
  options_.check.sync = true;
  const LaunchResult result = run("sum_of_four_lanes", {}, {32, 1, 1}, values);
  EXPECT_EQ(result.status, LaunchStatus::ok);
  EXPECT_LT(*host<int>(values, 1), 0);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "sync.idle_source(lane=16, why=idle.not_named)");
  EXPECT_EQ(result.findings[0].line, launched_line("sum_of_four_lanes"));
}

TEST_F(Launch, LetsLanesExchangeValuesInTwoBranchesAndInCallsOfTheirOwn) {
  const uint64_t out = allocate(96 * 4), in = allocate(32 * 4);
  std::fill_n(host<int>(in, 32), 32, 1);
  options_.check.sync = true;
  for (const uint64_t order : {0, 1, 2, 3}) {
    options_.order = order;
    LaunchResult result = run("vote_in_two_branches", {}, {32, 1, 1}, out, 1);
    EXPECT_TRUE(result.findings.empty()) << order;
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(host<int>(out, 32)[lane], lane < 16 ? 112 : 20012) << order;
    result = run("call_from_two_branches", {}, {32, 1, 1}, out);
    EXPECT_TRUE(result.findings.empty()) << order;
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(host<int>(out, 32)[lane], lane < 16 ? 48 : 148) << order;
    result = run("call_after_a_loop", {}, {32, 1, 1}, out, in);
    EXPECT_TRUE(result.findings.empty()) << order;
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(host<int>(out, 32)[lane], 496) << order;
  }
}

TEST_F(Launch, LetsLanesMeetWhileOthersSpin) {
  const uint64_t out = allocate(32 * 4);
  options_.check.sync = true;
  for (const uint64_t order : {0, 1, 2, 3}) {
    options_.order = order;
    for (const int lanes : {16, 32}) {
      const Dim3 block{lanes == 32 ? 64u : 32u, 1, 1};
      const LaunchResult result = run("call_while_others_spin", {}, block, out, lanes);
      EXPECT_EQ(result.status, LaunchStatus::ok) << order;
      EXPECT_TRUE(result.findings.empty()) << order;
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(host<int>(out, 32)[lane], lanes == 32 ? 496 : 120) << order;
    }
  }
}

TEST_F(Launch, ReportsAnExchangeThatOtherLanesLeaveOutBeforeTheNext) {
  const uint64_t out = allocate(32 * 4);
  options_.check.sync = true;
  const LaunchResult result = run("leave_out_an_exchange", {}, {32, 1, 1}, out);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].line, launched_line("leave_out_an_exchange"));
}

// Each lane names others than the next, and none names itself: they would wake one another for ever.
TEST_F(Launch, EndsAVoteWhoseLanesAllNameOthers) {
  const uint64_t out = allocate(32 * 4);
  options_.check.sync = true;
  options_.instruction_limit = 10'000;
  for (const uint64_t order : {0, 1, 2, 3}) {
    options_.order = order;
    const LaunchResult result = run("vote_among_lower_lanes", {}, {32, 1, 1}, out);
    EXPECT_EQ(result.status, LaunchStatus::ok) << order;
    ASSERT_FALSE(result.findings.empty()) << order;
    EXPECT_EQ(result.findings[0].message,
              "sync.own_mask(call=call.vote, lanes=lanes.one(lanes=0), mask=0x00000000)");
    EXPECT_EQ(result.findings[0].line, launched_line("vote_among_lower_lanes"));
  }
}

TEST_F(Launch, GivesTheTurnOfAWarpThatReadsTheDevicesClockToTheOthers) {
  const uint64_t flag = allocate(4), upper_halves = allocate(4);
  *host<int>(flag, 1) = 0;
  *host<int>(upper_halves, 1) = 0;
  options_.instruction_limit = 1000;
  EXPECT_EQ(run("read_the_clock_until_set", {}, {256, 1, 1}, flag, upper_halves).status,
            LaunchStatus::ok);
  EXPECT_EQ(*host<int>(upper_halves, 1), 0);
}

TEST_F(Launch, ReportsABarrierThatNobodyOpens) {
  const LaunchResult result = run("half_a_barrier", {}, {64, 1, 1});
  EXPECT_EQ(result.status, LaunchStatus::deadlock);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].checker, "sync");
}

TEST_F(Launch, GivesTheSameFloatSumOnAnyNumberOfThreads) {
  constexpr int kCount = 20'000;
  const uint64_t total = allocate(4), values = allocate(kCount * 4);
  for (int i = 0; i < kCount; ++i)
    host<float>(values, kCount)[i] = 1.0f / static_cast<float>(i + 1);
  std::vector<float> sums;
  for (const unsigned threads : {1u, 2u, 4u, 7u}) {
    *host<float>(total, 1) = 0;
    options_.threads = threads;
    ASSERT_EQ(run("sum_floats", {37, 1, 1}, {96, 1, 1}, total, values, kCount).status,
              LaunchStatus::ok);
    sums.push_back(*host<float>(total, 1));
  }
  EXPECT_EQ(sums, std::vector<float>(4, sums[0]));
}

TEST_F(Launch, CountsTheSameOnAnyNumberOfThreads) {
  const uint64_t in = allocate(32 * 1024 * 4), out = allocate(1024 * 4);
  options_.threads = 1;
  const LaunchResult one = run("strided", {64, 1, 1}, {256, 1, 1}, in, out, 3);
  options_.threads = 5;
  EXPECT_EQ(run("strided", {64, 1, 1}, {256, 1, 1}, in, out, 3).metrics, one.metrics);
}

TEST_F(Launch, DoesTheSameWithWorkersThatItKeeps) {
  const uint64_t in = allocate(32 * 1024 * 4), out = allocate(1024 * 4);
  options_.threads = 3;
  const LaunchResult strided = run("strided", {64, 1, 1}, {256, 1, 1}, in, out, 3);
  const LaunchResult write = run("write_at", {5, 1, 1}, {33, 1, 1}, out, 7);
  WorkerPool pool;
  pool_ = &pool;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(run("strided", {64, 1, 1}, {256, 1, 1}, in, out, 3).metrics, strided.metrics);
    std::memset(host<float>(out, 1024), 0, 1024 * 4);
    EXPECT_EQ(run("write_at", {5, 1, 1}, {33, 1, 1}, out, 7).metrics, write.metrics);
    EXPECT_EQ(host<float>(out, 1024)[6], 0);
    EXPECT_EQ(host<float>(out, 1024)[7 + 32], 1);
    EXPECT_EQ(host<float>(out, 1024)[7 + 33], 0);
  }
}

TEST_F(Launch, LetsLanesOfAWarpTakeTurnsAtALock) {
  const uint64_t lock = allocate(4), counter = allocate(4);
  *host<int>(lock, 1) = *host<int>(counter, 1) = 0;
  EXPECT_EQ(run("spin_lock_in_a_warp", {4, 1, 1}, {64, 1, 1}, lock, counter).status,
            LaunchStatus::ok);
  EXPECT_EQ(*host<int>(counter, 1), 256);
}

TEST_F(Launch, LetsLanesOfAWarpTakeTurnsInTheOrderOfTheirTickets) {
  const uint64_t lock = allocate(8), counter = allocate(4);
  host<int>(lock, 2)[0] = host<int>(lock, 2)[1] = *host<int>(counter, 1) = 0;
  options_.instruction_limit = 2'000'000;
  EXPECT_EQ(run("ticket_lock_in_a_warp", {4, 1, 1}, {64, 1, 1}, lock, counter).status,
            LaunchStatus::ok);
  EXPECT_EQ(*host<int>(counter, 1), 256);
}

TEST_F(Launch, GivesEachLaneATurnThatWaitsInAPlaceOfItsOwn) {
  const uint64_t boxes = allocate(16), out = allocate(4);
  std::fill_n(host<int>(boxes, 4), 4, 0);
  EXPECT_EQ(run("stages_in_a_warp", {}, {32, 1, 1}, boxes, 20, out).status, LaunchStatus::ok);
  EXPECT_EQ(*host<int>(out, 1), 440);
  const uint64_t forks = allocate(32 * 4), meals = allocate(32 * 4);
  std::fill_n(host<int>(forks, 32), 32, 0);
  std::fill_n(host<int>(meals, 32), 32, 0);
  EXPECT_EQ(run("dine_in_a_warp", {}, {32, 1, 1}, forks, meals, 5).status, LaunchStatus::ok);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(host<int>(meals, 32)[lane], 5);
}

TEST_F(Launch, LetsResidentBlocksWaitForEachOther) {
  for (const bool deterministic : {false, true}) {
    const uint64_t arrived = allocate(4);
    *host<int>(arrived, 1) = 0;
    options_.deterministic = deterministic;
    options_.instruction_limit = 1'000'000'000;
    EXPECT_EQ(run("blocks_wait_for_each_other", {20, 1, 1}, {32, 1, 1}, arrived).status,
              LaunchStatus::ok);
    EXPECT_EQ(*host<int>(arrived, 1), 20 * 32);
  }
}

TEST_F(Launch, LetsABlockThatWaitsForOthersLookFewTimes) {
  constexpr unsigned kGrid = 200;
  const uint64_t arrived = allocate(4);
  *host<int>(arrived, 1) = 0;
  options_.deterministic = true;
  const LaunchResult result = run("blocks_wait_for_each_other", {kGrid, 1, 1}, {32, 1, 1}, arrived);
  ASSERT_EQ(result.status, LaunchStatus::ok);
  // Each block looks when it has arrived, and once for each block that is admitted after it while it has its turns.
  EXPECT_LE(result.metrics.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 10 * kGrid);
}

TEST_F(Launch, StopsBlocksThatWaitForNothing) {
  const uint64_t arrived = allocate(4);
  *host<int>(arrived, 1) = -1000;
  for (const bool deterministic : {false, true}) {
    options_.deterministic = deterministic;
    EXPECT_EQ(run("blocks_wait_for_each_other", {4, 1, 1}, {32, 1, 1}, arrived).status,
              LaunchStatus::instruction_limit);
  }
}

TEST_F(Launch, CallsFunctionsRecursivelyAndThroughPointers) {
  const uint64_t out = allocate(64 * 4);
  ASSERT_EQ(run("recursion", {}, {64, 1, 1}, out).status, LaunchStatus::ok);
  EXPECT_EQ(host<int>(out, 64)[11], 89);
  EXPECT_EQ(host<int>(out, 64)[34], 55);
  const LaunchResult result = run("function_pointers", {}, {64, 1, 1}, out, 0);
  ASSERT_EQ(result.status, LaunchStatus::ok);
  EXPECT_EQ(result.metrics.at("ptx__branches_threads_divergent.sum"), 2)
      << "lanes that call different functions part";
  EXPECT_EQ(host<int>(out, 64)[6], 12);
  EXPECT_EQ(host<int>(out, 64)[7], 49);
}

TEST_F(Launch, ReconvergesAfterADivergentLoop) {
  const uint64_t out = allocate(64 * 4);
  const LaunchResult result = run("divergent_loop", {}, {64, 1, 1}, out);
  for (int thread = 0; thread < 64; ++thread)
    EXPECT_EQ(host<int>(out, 64)[thread], __builtin_popcount(static_cast<unsigned>(thread)));
  // All lanes meet again for the store: one request a warp.
  EXPECT_EQ(result.metrics.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 2);
}

TEST_F(Launch, ReportsATrapWithItsKernel) {
  const LaunchResult result = run("traps", {}, {});
  EXPECT_EQ(result.status, LaunchStatus::trap);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kernel, "traps");
}

TEST_F(Launch, CountsSectorsAsNcuDoes) {
  const uint64_t in = allocate(32 * 64 * 4), out = allocate(128);
  const auto sectors = [&](int stride) {
    return run("strided", {}, {32, 1, 1}, in, out, stride)
        .metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  };
  EXPECT_EQ(sectors(0), 1);
  EXPECT_EQ(sectors(1), 4);
  EXPECT_EQ(sectors(2), 8);
  EXPECT_EQ(sectors(8), 32);
  EXPECT_EQ(sectors(33), 32);
}

TEST_F(Launch, CountsLineByLineWhenAsked) {
  const uint64_t out = allocate(64 * 4);
  EXPECT_TRUE(run("write_at", {2, 1, 1}, {32, 1, 1}, out, 0).lines.empty());
  options_.count_lines = true;
  const std::vector<LineMetrics> lines = run("write_at", {2, 1, 1}, {32, 1, 1}, out, 0).lines;
  const auto line = std::find_if(lines.begin(), lines.end(), [](const LineMetrics& each) {
    return each.line == launched_line("write_at");
  });
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(line->file, "launch_test_kernels.cu");
  EXPECT_EQ(line->metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 8);
  EXPECT_EQ(
      line->metrics.at("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"), 4);
  EXPECT_EQ(line->metrics.count("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 0u);
}

TEST_F(Launch, CountsTheAddressesOfConstantLoads) {
  const uint64_t out = allocate(128);
  const auto addresses = [&](int stride) {
    const auto metrics = run("constants", {}, {32, 1, 1}, out, stride).metrics;
    EXPECT_EQ(metrics.at("ptx__requests_mem_const_op_ld.sum"), 1);
    EXPECT_EQ(metrics.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 0);
    return metrics.at("ptx__addresses_mem_const_op_ld.sum");
  };
  EXPECT_EQ(addresses(0), 1);
  EXPECT_EQ(addresses(1), 32);
  EXPECT_EQ(addresses(8), 4);  // modulo 32
}

// ptxas lets one lane add a value that all share, times their number, and only such a value.
TEST_F(Launch, CountsOneLaneOfA64BitSumOfOneValue) {
  const uint64_t sums = allocate(16);
  const auto metrics = run("count_lanes", {}, {32, 1, 1}, sums).metrics;
  EXPECT_EQ(metrics.at("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"), 1 + 32);
  EXPECT_EQ(metrics.at("ptx__thread_inst_executed_op_global_atomic.sum"), 64);
}

TEST_F(Launch, CountsBankConflictsAsNcuDoes) {
  const uint64_t out = allocate(128);
  const auto conflicts = [&](int stride) {
    return run("bank_conflicts", {}, {32, 1, 1}, out, stride)
        .metrics.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
  };
  EXPECT_EQ(conflicts(1), 0);
  EXPECT_EQ(conflicts(2), 1);
  EXPECT_EQ(conflicts(32), 31);
  EXPECT_EQ(conflicts(31), 0);
}

TEST(LoadModule, NamesTheLineItDoesNotUnderstand) {
  DeviceMemory memory({size_t{1} << 20});
  const auto module = load_module(
      ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { ret }\n", 0, kLaunchSm, memory);
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("PTX line 4"), std::string::npos) << module.error().message;
}

TEST(LoadModule, RefusesPtxThatIsTooNewForTheDevice) {
  DeviceMemory memory({size_t{1} << 20});
  const auto module = load_module(".version 8.0\n.target sm_90\n.address_size 64\n", 0, 75, memory);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "the PTX is for sm_90, which a device of compute capability 7.5 cannot run");
}

TEST(LoadModule, SurvivesPtxThatIsCutShortAnywhere) {
  const auto ptx = RealFiles().read(WARPGRADE_TEST_KERNELS_PTX);
  DeviceMemory memory({size_t{1} << 30});
  for (size_t length = 0; length < ptx->size(); length += 97) {
    const auto module = load_module(ptx->substr(0, length), 0, kLaunchSm, memory);
    static_cast<void>(module);
  }
}

class Order : public Launch {
 protected:
  /// The order in which 8 blocks, their 32 warps and their 1024 threads drew a number.
  std::vector<std::vector<int>> tickets(uint64_t order) {
    options_.order = order;
    const uint64_t blocks = allocate(8 * 4), warps = allocate(32 * 4), lanes = allocate(1024 * 4),
                   next = allocate(3 * 4);
    std::fill_n(host<int>(next, 3), 3, 0);
    run("tickets", {8, 1, 1}, {128, 1, 1}, blocks, warps, lanes, next);
    std::vector<std::vector<int>> drawn;
    for (const auto& [address, count] :
         {std::pair{blocks, 8}, std::pair{warps, 32}, std::pair{lanes, 1024}}) {
      const int* const numbers = host<int>(address, static_cast<size_t>(count));
      drawn.emplace_back(numbers, numbers + count);
    }
    return drawn;
  }
};

TEST_F(Order, ReversesTheBlocks) {
  options_.deterministic = true;
  EXPECT_EQ(tickets(0)[0], (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(tickets(1)[0], (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(Order, ShufflesBlocksWarpsAndLanesTheSameWayEveryTime) {
  const auto natural = tickets(0);
  for (const uint64_t order : {2, 3, 4}) {
    const auto shuffled = tickets(order);
    EXPECT_EQ(shuffled, tickets(order));
    for (size_t what = 0; what < natural.size(); ++what)
      EXPECT_NE(shuffled[what], natural[what]) << what;
  }
}

}  // namespace
}  // namespace warpgrade::emulator
