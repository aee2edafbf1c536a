// SPDX-License-Identifier: MIT
#include "emulator/model/time_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "emulator/model/device_rates.h"

namespace warpgrade::emulator {
namespace {

const DeviceModel& h200() { return *find_device_model("H200"); }

/// A launch that reads and writes 64 MB once, every access coalesced.
LaunchWork streaming() {
  LaunchWork work;
  work.blocks = 8192;
  work.warps_per_block = 8;
  work.resident_blocks = 8;
  work.pipes.issue = 1e6;
  work.load_requests = work.load_miss_requests = work.load_miss_lines = 524288;
  work.load_wavefronts = work.store_wavefronts = 524288;
  work.load_sectors = work.store_sectors = 2097152;
  work.load_miss_sectors = work.load_warp_miss_sectors = work.load_sectors;
  work.read_bytes = work.written_bytes = 64 << 20;
  work.path.fixed = 30;
  work.path.global = 1;
  return work;
}

TEST(TimeModel, BoundsAStreamingLaunchByDram) {
  const TimeEstimate estimate = estimate_time(streaming(), h200());
  EXPECT_EQ(estimate.pipes.front().name, "dram");
  EXPECT_GT(estimate.ms, 2 * (64 << 20) / h200().bytes_per_ms());
}

TEST(TimeModel, SaysWhatDramMoves) {
  // What was written last stays in the L2 cache.
  const TimeEstimate estimate = estimate_time(streaming(), h200());
  EXPECT_GT(estimate.dram_bytes, 1.9 * (64 << 20));
  EXPECT_LE(estimate.dram_bytes, 2.0 * (64 << 20));
}

TEST(TimeModel, AsksTheL2CacheOnceForStoresThatTheL1CacheMerges) {
  LaunchWork apart = streaming();
  apart.store_sectors *= 3;
  apart.partial_share = 1;
  LaunchWork merged = apart;
  merged.merged_share = 2.0 / 3;
  merged.partial_share = 0;
  const auto l2_ms = [](const LaunchWork& work) {
    for (const PipeTime& pipe : estimate_time(work, h200()).pipes)
      if (pipe.name == "l2") return pipe.ms;
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(l2_ms(merged), l2_ms(streaming()));
  EXPECT_GT(l2_ms(apart), 2 * l2_ms(merged));
  LaunchWork lines = apart;
  lines.partial_line_share = 1;
  EXPECT_GT(l2_ms(lines), 1.5 * l2_ms(apart));
}

TEST(TimeModel, CountsWhatAtomicsMoveBetweenDramAndTheL2Cache) {
  LaunchWork atomics = streaming();
  atomics.atomic_distinct_sectors = 1e6;
  EXPECT_NEAR(estimate_time(atomics, h200()).dram_bytes,
              estimate_time(streaming(), h200()).dram_bytes + 2 * 32e6, 1);
}

TEST(TimeModel, TakesLongerForSectorsThatLieFarFromAllOthers) {
  LaunchWork together = streaming();
  together.atomic_distinct_sectors = 1e6;
  LaunchWork scattered = together;
  scattered.scattered_atomic_sectors = 1e6;
  const auto dram_ms = [](const LaunchWork& work) {
    return estimate_time(work, h200()).pipes.front().ms;
  };
  EXPECT_GT(dram_ms(scattered), 1.5 * dram_ms(together));
  EXPECT_DOUBLE_EQ(estimate_time(scattered, h200()).dram_bytes,
                   estimate_time(together, h200()).dram_bytes);
  LaunchWork in_part = streaming();
  in_part.partial_share = 1;
  in_part.stored_bytes = in_part.store_sectors;
  scattered = in_part;
  scattered.scattered_written_sectors = scattered.store_sectors;
  scattered.scattered_written_bytes = scattered.written_bytes;
  EXPECT_GT(dram_ms(scattered), 2 * dram_ms(in_part));
}

TEST(TimeModel, WaitsForTheWarpThatMeetsOtherBlocks) {
  LaunchWork work;
  work.blocks = h200().sm_count;
  work.warps_per_block = 8;
  work.path.fixed = 1e3;
  const double before = estimate_time(work, h200()).ms;
  work.path_alone.fixed = 1e4;
  EXPECT_GT(estimate_time(work, h200()).ms, before + 0.004);
  const double fixed = estimate_time(work, h200()).ms;
  work.path_alone.atomic = 10;
  EXPECT_GT(estimate_time(work, h200()).ms, fixed + 0.003);
}

TEST(TimeModel, LetsLaterWavesFindWhatTheFirstOneFetched) {
  LaunchWork work = streaming();
  work.resident_blocks = 1;
  work.path.global = 10;
  const double missing = estimate_time(work, h200()).ms;
  work.load_served_requests = work.load_miss_requests;
  const double served = estimate_time(work, h200()).ms;
  EXPECT_LT(served, missing / 2);
  // In one wave, all wait for the same data at the same time, unless each reads it when it likes.
  work.blocks = h200().sm_count;
  const double together = estimate_time(work, h200()).ms;
  work.read_in_order = 0;
  EXPECT_LT(estimate_time(work, h200()).ms, together);
}

TEST(TimeModel, FetchesAgainWhatBlocksOfAWaveReadAtOtherTimes) {
  LaunchWork work = streaming();
  work.blocks = 132;
  work.block_read_bytes = 8 * work.read_bytes;
  const double in_order = estimate_time(work, h200()).dram_bytes;
  work.read_in_order = 0;
  EXPECT_GT(estimate_time(work, h200()).dram_bytes, 2 * in_order);
}

TEST(TimeModel, KnowsTheRoofOfADevice) {
  // NVIDIA's data sheet: 35.6 TFLOP/s in single precision.
  EXPECT_NEAR(peak_gflop_per_s(*find_device_model("RTX 3090")), 35600, 100);
}

TEST(TimeModel, TellsTheKernelFromItsLaunch) {
  const TimeEstimate estimate = estimate_time(streaming(), h200());
  EXPECT_GE(estimate.kernel_ms, estimate.pipes.front().ms);
  EXPECT_NEAR(estimate.ms - estimate.kernel_ms, 0.0022, 1e-9);
}

TEST(TimeModel, TakesLessBehindOtherWorkThanBetweenTwoEvents) {
  const TimeEstimate estimate = estimate_time(streaming(), h200());
  EXPECT_NEAR(estimate.ms - estimate.in_row_ms, 0.00137, 1e-9);
  EXPECT_GT(estimate.in_row_ms, estimate.kernel_ms);
}

TEST(TimeModel, IsNotFasterThanItsLongestPipe) {
  const TimeEstimate estimate = estimate_time(streaming(), h200());
  EXPECT_GE(estimate.ms, estimate.pipes.front().ms);
  for (size_t rank = 1; rank < estimate.pipes.size(); ++rank)
    EXPECT_LE(estimate.pipes[rank].ms, estimate.pipes[rank - 1].ms);
}

TEST(TimeModel, TakesLongerForEachThingThatALaunchDoesMoreOf) {
  const double before = estimate_time(streaming(), h200()).ms;
  LaunchWork names = streaming();
  visit_numbers(names, [&](const std::string& name, double&) {
    const bool is_more_work = name == "load_miss_sectors" || name == "shared_wavefronts" ||
                              name == "atomic_operations" || name == "fp64" || name == "xu" ||
                              name == "path_global" || name == "path_barrier";
    if (!is_more_work) return;
    LaunchWork more = streaming();
    visit_numbers(more, [&](const std::string& other, double& number) {
      if (other == name) number += 1e9;
    });
    EXPECT_GT(estimate_time(more, h200()).ms, before) << name;
  });
}

TEST(TimeModel, HidesLatencyByResidentBlocks) {
  LaunchWork many = streaming();
  many.path.global = 4;
  LaunchWork few = many;
  few.resident_blocks = 1;
  EXPECT_EQ(estimate_time(many, h200()).pipes.front().name, "dram");
  EXPECT_EQ(estimate_time(few, h200()).pipes.front().name, "latency");
  EXPECT_GT(estimate_time(few, h200()).ms, estimate_time(many, h200()).ms);
}

TEST(TimeModel, LeavesMultiprocessorsIdleWhereTheGridIsSmall) {
  LaunchWork one;
  one.blocks = 1;
  one.warps_per_block = 32;
  one.pipes.fp64 = 1e6;
  LaunchWork spread = one;
  spread.blocks = h200().sm_count;
  EXPECT_GT(estimate_time(one, h200()).ms, 50 * (estimate_time(spread, h200()).ms - 0.0028));
}

TEST(TimeModel, HasAPipeForEachWayToMemory) {
  const auto longest = [](auto change) {
    LaunchWork work = streaming();
    change(work);
    return estimate_time(work, h200()).pipes.front().name;
  };
  EXPECT_EQ(longest([](LaunchWork& work) { work.host_read_bytes = 64 << 20; }), "bus");
  EXPECT_EQ(longest([](LaunchWork& work) { work.heap_calls = 1e6; }), "library");
  EXPECT_EQ(longest([](LaunchWork& work) { work.prints = 1e6; }), "library");
  EXPECT_EQ(longest([](LaunchWork& work) { work.constant_turns = 1e8; }), "constant");
  EXPECT_EQ(longest([](LaunchWork& work) { work.constant_misses = 1e7; }), "constant");
  EXPECT_EQ(longest([](LaunchWork& work) { work.far_load_sectors = 1e8; }), "cluster");
  EXPECT_EQ(longest([](LaunchWork& work) { work.far_store_sectors = 1e8; }), "cluster");
  EXPECT_EQ(longest([](LaunchWork& work) { work.far_atomic_sectors = 1e8; }), "cluster");
  EXPECT_EQ(longest([](LaunchWork& work) { work.texture_quads = 1e8; }), "texture");
  EXPECT_EQ(longest([](LaunchWork& work) { work.load_miss_lines = 1e8; }), "l1-misses");
}

TEST(TimeModel, WaitsForTheLongestWarpOfAllBlocks) {
  LaunchWork even;
  even.blocks = h200().sm_count;
  even.warps_per_block = 1;
  even.path.fixed = 1e5;
  LaunchWork uneven = even;
  uneven.longest_warp = 10;
  EXPECT_GT(estimate_time(uneven, h200()).ms, 8 * estimate_time(even, h200()).ms);
}

TEST(TimeModel, GetsNoFasterByBlocksThatDoNothing) {
  LaunchWork few;
  few.blocks = few.working_blocks = h200().sm_count * 2;
  few.warps_per_block = 8;
  few.resident_blocks = 2;
  few.pipes.issue = 1e7;
  few.path.fixed = 1e5;
  LaunchWork padded = few;
  padded.blocks *= 16;
  EXPECT_GT(estimate_time(padded, h200()).ms, estimate_time(few, h200()).ms);
}

TEST(TimeModel, WaitsForTheMultiprocessorThatGotTheLongBlocks) {
  LaunchWork even;
  even.blocks = h200().sm_count * 8;
  even.resident_blocks = 8;
  even.warps_per_block = 8;
  even.pipes.issue = 1e9;
  LaunchWork uneven = even;
  uneven.busiest_share = 4.0 / h200().sm_count;
  EXPECT_GT(estimate_time(uneven, h200()).ms, 3 * estimate_time(even, h200()).ms);
  // Where blocks wait for a place, those with less to do make room for more.
  uneven.resident_blocks = even.resident_blocks = 1;
  EXPECT_DOUBLE_EQ(estimate_time(uneven, h200()).ms, estimate_time(even, h200()).ms);
}

TEST(TimeModel, KnowsEveryDeviceOfTheTable) {
  for (const DeviceModel& device : device_table()) {
    EXPECT_EQ(device_rates(device).sm, device.sm()) << device.name;
    const double ms = estimate_time(streaming(), device).ms;
    EXPECT_TRUE(std::isfinite(ms)) << device.name;
    EXPECT_GE(ms, 2 * (64 << 20) / device.bytes_per_ms()) << device.name;
  }
}

TEST(TimeModel, SaysInWordsWhatBoundsALaunch) {
  EXPECT_NE(in_words(estimate_time(streaming(), h200())).find("ms, bound by DRAM ("),
            std::string::npos);
}

}  // namespace
}  // namespace warpgrade::emulator
