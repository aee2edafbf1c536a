// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/model/device_table.h"
#include "emulator/model/time_estimate.h"
#include "emulator/model/work.h"

namespace warpgrade::emulator {

/// Constants that hold for every device; fitted on measured/fit.cu (see README.md).
struct ModelConstants {
  double launch_us = 2.87;         ///< an empty kernel between two events
  double record_us = 0.67;         ///< of these, what CUPTI's record of the kernel holds
  double in_row_us = 1.5;          ///< of these, what an empty kernel behind others takes
  double block_clocks = 1.18;      ///< of the whole device, to start a block
  double dram_efficiency = 0.914;  ///< of the bus's rate
  double l2_dirty_share = 0.073;   ///< of the L2 cache, which holds what was written last
  double l2_sectors = 1.18;        ///< of the L2 cache's rate
  double l2_write_factor = 1.34;   ///< for a written sector
  double merge_exponent = 8.34;    ///< how much pipes that are nearly as long add
  double latency_exponent = 1.35;  ///< the same of latency and the longest pipe
  double block_latency = 0.249;    ///< clocks until a block's place is taken by the next
  double barrier_clocks = 3.96;
  double barrier_warp_clocks = 2.16;  ///< of a multiprocessor, for each warp
  double l2_atomic_factor = 2.99;     ///< for a sector with atomics
  double l2_atomic_clocks = 1.18;     ///< of a slice, for an operation
  double l2_slice_lines = 5.27;       ///< that lie in one slice
  // Not fitted: ncu's DRAM bytes of the same kernels, and the latency of an L2 miss.
  double l2_local_factor = 4.2;    ///< for a sector of local memory, from local_array alone
  double l2_partial_factor = 2.3;  ///< for a sector written in part
  double l2_partial_line = 1.9;    ///< the same for a line with such sectors, as if it were sectors
  double sector_clocks = 0.5;      ///< of a warp, for each sector it loads: 64 bytes a clock
  double l2_capacity = 0.5;        ///< the share of the L2 cache that holds what blocks share
  double loop_instructions = 9;    ///< in a round of a shared atomic's loop
  double loop_clocks = 120;        ///< of such a round
  double atomic_clocks = 700;      ///< until the old value is back
  double issue_efficiency = 1.02;
  // Measured by themselves, see README.md.
  double constant_clocks = 2.0;      ///< of a multiprocessor, for an address of constant memory
  double constant_miss_clocks = 34;  ///< the same for a line that the constant cache had lost
  double miss_line_clocks = 1.45;    ///< of a multiprocessor, for a line of the L1 cache's misses
  double miss_sector_clocks = 0.16;  ///< the same for each of its sectors
  double far_line_clocks = 4.2;  ///< of a multiprocessor, for loads from another's shared memory
  double far_load_clocks = 1.8, far_store_clocks = 2.5, far_atomic_clocks = 6.3;  ///< for a sector
  // The DRAM takes as long for a sector far from all others as for so many bytes at its full rate:
  double scattered_store_bytes = 300, scattered_atomic_bytes = 210;
  double heap_clocks = 590;     ///< of the device, for a thread's malloc or free
  double print_clocks = 2200;   ///< the same for printf
  double bus_efficiency = 0.8;  ///< of the bus's rate
  double bus_clocks = 2000;     ///< until what lies behind the bus is there
};

/// Calls visit(name, number) for each constant.
template <class Any, class Visit>
void visit_constants(Any& constants, Visit visit) {
  visit("launch_us", constants.launch_us);
  visit("block_clocks", constants.block_clocks);
  visit("dram_efficiency", constants.dram_efficiency);
  visit("l2_dirty_share", constants.l2_dirty_share);
  visit("l2_sectors", constants.l2_sectors);
  visit("l2_write_factor", constants.l2_write_factor);
  visit("merge_exponent", constants.merge_exponent);
  visit("latency_exponent", constants.latency_exponent);
  visit("block_latency", constants.block_latency);
  visit("barrier_clocks", constants.barrier_clocks);
  visit("barrier_warp_clocks", constants.barrier_warp_clocks);
  visit("l2_atomic_factor", constants.l2_atomic_factor);
  visit("l2_atomic_clocks", constants.l2_atomic_clocks);
  visit("l2_slice_lines", constants.l2_slice_lines);
  visit("issue_efficiency", constants.issue_efficiency);
}

/// The time of a launch: launch overhead plus the longest of its pipes, with the caches cold (the
/// form of Zhang & Owens, HPCA'11, with Volkov's latency term).
TimeEstimate estimate_time(const LaunchWork& work, const DeviceModel& device,
                           const ModelConstants& constants = {});

/// "0.052 ms: waits for DRAM (0.047 ms), then ..., then ..."
std::string in_words(const TimeEstimate& estimate);

}  // namespace warpgrade::emulator
