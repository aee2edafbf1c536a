// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/model/op_costs.h"

namespace warpgrade::emulator {

/// What a launch asks of a device, on any device of the same compute capability: the time model's
/// input. Counts are of the whole launch.
struct LaunchWork {
  double blocks = 0, warps_per_block = 0;
  double resident_blocks = 1;  ///< on one multiprocessor
  double working_blocks = 0;   ///< as many alike would share the instructions; 0: all
  OpCost pipes;  ///< sums over all warp instructions; `clocks` and `kind` mean nothing
  double shared_wavefronts = 0;
  double load_wavefronts = 0, store_wavefronts = 0;  ///< of the L1 cache
  double shared_loop_rounds = 0;  ///< of the loops that do an atomic on shared memory
  double load_requests = 0;
  double barriers = 0;                ///< warp instructions
  double load_sectors = 0;            ///< global, asked of the L1 cache
  double load_miss_sectors = 0;       ///< of these, asked of the L2 cache
  double load_warp_miss_sectors = 0;  ///< those that the warp had not asked for before
  double store_sectors = 0;
  double merged_share = 0;  ///< of the stored sectors: the L1 cache puts them together with others
  double stored_bytes = 0;
  double partial_share = 0;  ///< of the other stored sectors: written in part, and not read before
  double partial_line_share = 0;  ///< lines of these, request by request, for each other sector
  double local_load_sectors = 0, local_store_sectors = 0;
  double atomic_requests = 0, atomic_sectors = 0, atomic_operations = 0;
  /// Turns of the place where atomics, or stores, wait for each other most.
  double hottest_operations = 0;
  double atomic_lines = 0;
  double atomic_distinct_sectors = 0;
  double load_miss_requests = 0;    ///< with a sector that the warp had not asked for before
  double load_served_requests = 0;  ///< of these, those that another block's miss serves
  double load_miss_lines = 0;       ///< of those sectors, request by request
  double constant_turns = 0;        ///< addresses of indexed loads from constant memory, by warps
  double constant_misses = 0;       ///< lines that the constant cache had lost, warp by warp
  double far_load_lines = 0, far_load_sectors = 0;  ///< of shared memory of the cluster's others
  double far_store_sectors = 0, far_atomic_sectors = 0;
  double texture_quads = 0;  ///< fetches of four lanes; those that mix two layers count twice
  double heap_calls = 0, prints = 0;                   ///< of threads
  double host_read_bytes = 0, host_written_bytes = 0;  ///< over the bus, block by block
  double block_read_bytes = 0;                         ///< distinct ones of each block, summed
  double read_bytes = 0, written_bytes = 0;            ///< distinct ones, in granules of 64
  /// Distinct sectors far from each other, without a stride; the first ones written in part. The bytes are those that
  /// written_bytes has for them.
  double scattered_written_sectors = 0, scattered_atomic_sectors = 0;
  double scattered_written_bytes = 0;
  double read_in_order = 1;  ///< of what blocks share: the share that they read at the same stage
  WarpPath path;             ///< of one warp, on average
  WarpPath path_alone;  ///< what the warp of a block that meets others waits beyond the average
  double warp_imbalance = 1;  ///< longest warp of a block by the average one
  double longest_warp = 1;    ///< the same of the whole launch
  double busiest_share = 0;   ///< of all instructions: those of the multiprocessor with most, where
                              ///< blocks go to them in turn

  /// Blocks that do next to nothing lengthen no wave and shorten no warp's way.
  double sharing_blocks() const { return working_blocks > 0 ? working_blocks : blocks; }
  double working_warps() const { return sharing_blocks() * warps_per_block; }
};

template <class Any, class Visit>
void visit_pipes(Any& work, Visit visit) {
  visit("issue", work.pipes.issue);
  visit("fp32", work.pipes.fp32);
  visit("imad", work.pipes.imad);
  visit("alu", work.pipes.alu);
  visit("flex", work.pipes.flex);
  visit("fp64", work.pipes.fp64);
  visit("xu", work.pipes.xu);
  visit("tensor", work.pipes.tensor);
  visit("shuffle", work.pipes.shuffle);
}

template <class Any, class Visit>
void visit_paths(Any& work, Visit visit) {
  visit("path_fixed", work.path.fixed);
  visit("path_shared", work.path.shared);
  visit("path_global", work.path.global);
  visit("path_atomic", work.path.atomic);
  visit("path_shared_atomic", work.path.shared_atomic);
  visit("path_barrier", work.path.barrier);
  visit("alone_fixed", work.path_alone.fixed);
  visit("alone_global", work.path_alone.global);
  visit("alone_atomic", work.path_alone.atomic);
}

/// Calls visit(name, number) for each number of a LaunchWork.
template <class Any, class Visit>
void visit_numbers(Any& work, Visit visit) {
  visit("blocks", work.blocks);
  visit("warps_per_block", work.warps_per_block);
  visit("resident_blocks", work.resident_blocks);
  visit("working_blocks", work.working_blocks);
  visit_pipes(work, visit);
  visit("shared_wavefronts", work.shared_wavefronts);
  visit("load_wavefronts", work.load_wavefronts);
  visit("store_wavefronts", work.store_wavefronts);
  visit("shared_loop_rounds", work.shared_loop_rounds);
  visit("load_sectors", work.load_sectors);
  visit("load_miss_sectors", work.load_miss_sectors);
  visit("load_warp_miss_sectors", work.load_warp_miss_sectors);
  visit("store_sectors", work.store_sectors);
  visit("merged_share", work.merged_share);
  visit("partial_share", work.partial_share);
  visit("partial_line_share", work.partial_line_share);
  visit("stored_bytes", work.stored_bytes);
  visit("local_load_sectors", work.local_load_sectors);
  visit("local_store_sectors", work.local_store_sectors);
  visit("atomic_requests", work.atomic_requests);
  visit("atomic_sectors", work.atomic_sectors);
  visit("atomic_operations", work.atomic_operations);
  visit("hottest_operations", work.hottest_operations);
  visit("atomic_lines", work.atomic_lines);
  visit("atomic_distinct_sectors", work.atomic_distinct_sectors);
  visit("scattered_written_sectors", work.scattered_written_sectors);
  visit("scattered_atomic_sectors", work.scattered_atomic_sectors);
  visit("scattered_written_bytes", work.scattered_written_bytes);
  visit("read_in_order", work.read_in_order);
  visit("block_read_bytes", work.block_read_bytes);
  visit("read_bytes", work.read_bytes);
  visit("written_bytes", work.written_bytes);
  visit_paths(work, visit);
  visit("warp_imbalance", work.warp_imbalance);
  visit("longest_warp", work.longest_warp);
  visit("busiest_share", work.busiest_share);
  visit("load_miss_requests", work.load_miss_requests);
  visit("load_served_requests", work.load_served_requests);
  visit("load_miss_lines", work.load_miss_lines);
  visit("constant_turns", work.constant_turns);
  visit("constant_misses", work.constant_misses);
  visit("far_load_lines", work.far_load_lines);
  visit("far_load_sectors", work.far_load_sectors);
  visit("far_store_sectors", work.far_store_sectors);
  visit("far_atomic_sectors", work.far_atomic_sectors);
  visit("texture_quads", work.texture_quads);
  visit("heap_calls", work.heap_calls);
  visit("prints", work.prints);
  visit("host_read_bytes", work.host_read_bytes);
  visit("host_written_bytes", work.host_written_bytes);
  visit("load_requests", work.load_requests);
  visit("barriers", work.barriers);
}

}  // namespace warpgrade::emulator
