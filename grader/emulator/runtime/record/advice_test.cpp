// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/advice.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

using Metrics = std::map<std::string, double>;

/// A launch of 100 blocks of 256 threads on a device of 80 multiprocessors, and one line of it.
MetricsRow launch(const char* kernel, double ms, const Metrics& line) {
  MetricsRow row;
  row.kernel = kernel;
  row.block = {256, 1, 1};
  row.time.ms = ms;
  row.metrics = {{"launch__block_size", 256}, {"launch__grid_size", 100}, {"launch__sm_count", 80}};
  row.lines.push_back({"k.cu", 7, line});
  return row;
}

Metrics global_loads(double requests, double sectors, double bytes) {
  return {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors},
          {"smsp__sass_data_bytes_mem_global_op_ld.sum", bytes}};
}

std::vector<Advice> advice_for(const std::vector<MetricsRow>& rows) {
  Profile profile;
  for (const MetricsRow& row : rows) profile.add(row);
  return advise(profile);
}

TEST(Advise, SaysNothingOfCoalescedLoads) {
  EXPECT_TRUE(advice_for({launch("k", 1, global_loads(100, 400, 12800))}).empty());
}

TEST(Advise, SetsSectorsAgainstTheIdeal) {
  const auto advice = advice_for({launch("k", 1, global_loads(100, 3200, 12800))});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].where, "k.cu:7, k");
  EXPECT_EQ(advice[0].what,
            "uncoalesced: each load of a warp touches 32 sectors of 32 bytes; 4 would do (8 times "
            "the ideal)");
}

TEST(Advise, TakesLoadsOfOneAddressByAllThreadsForIdeal) {
  EXPECT_TRUE(advice_for({launch("k", 1, global_loads(100, 100, 400))}).empty());
}

TEST(Advise, SaysHowManyWayABankConflictIs) {
  const auto advice =
      advice_for({launch("k", 1,
                         {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 3200},
                          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 3100}})});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].what,
            "32-way bank conflicts: loads of shared memory take 3200 turns; 100 would do");
}

TEST(Advise, NamesTheLineThatSplitsWarps) {
  MetricsRow row = launch(
      "k", 1,
      {{"ptx__branches_threads_divergent.sum", 10}, {"ptx__inst_executed_op_branch.sum", 20}});
  row.metrics["ptx__inst_executed.sum"] = 1000;
  row.metrics["ptx__thread_inst_executed.sum"] = 16000;
  const auto advice = advice_for({row});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].where, "k.cu:7, k");
  EXPECT_EQ(advice[0].what,
            "divergence: 10 of 20 branches here send the threads of a warp two ways; in the kernel "
            "16 of 32 threads of a warp work on average");
}

TEST(Advise, NamesWhatLimitsOccupancy) {
  MetricsRow row = launch("k", 1, {});
  row.metrics["sm__maximum_warps_per_active_cycle_pct"] = 25;
  row.metrics["launch__occupancy_limit_registers"] = 8;
  row.metrics["launch__occupancy_limit_shared_mem"] = 2;
  const auto advice = advice_for({row});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].change, "The limit are the shared memory: take smaller tiles.");
}

TEST(Advise, SaysOneThingAboutTheShapesOfLaunches) {
  MetricsRow row = launch("small", 2, {});
  row.metrics["launch__grid_size"] = 8;
  row.metrics["launch__block_size"] = 100;
  const auto advice = advice_for({row, launch("k", 1, {})});
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_EQ(advice[0].what, "tiny grid: 8 of 80 multiprocessors of the device have work");
}

TEST(Advise, PutsTheKernelThatTakesLongestFirstAndStopsAtFive) {
  std::vector<MetricsRow> rows;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    rows.push_back(launch(name, 1, global_loads(100, 3200, 12800)));
  rows.push_back(launch("e", 10, global_loads(100, 3200, 12800)));
  const auto advice = advice_for(rows);
  ASSERT_EQ(advice.size(), 5u);
  EXPECT_EQ(advice[0].where, "k.cu:7, e");
}

}  // namespace
}  // namespace warpgrade::emulator
