// SPDX-License-Identifier: MIT
#include "emulator/counters/metric_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace warpgrade::emulator {
namespace {

using Names = std::vector<std::string>;
using Words = std::initializer_list<std::string_view>;

/// `format` with each of `words` for its {}.
void add(Names& names, std::string_view format, Words words) {
  for (const std::string_view word : words)
    names.push_back(fmt::format(fmt::runtime(format), word));
}

void add_memory(Names& names) {
  const Words global = {"ld", "st", "atom", "red"}, plain = {"ld", "st"},
              shared = {"ld", "st", "atom"};
  add(names, "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", global);
  add(names, "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", global);
  add(names, "smsp__sass_data_bytes_mem_global_op_{}.sum", plain);
  add(names, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{}.ratio", plain);
  add(names, "smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", plain);
  add(names, "l1tex__t_requests_pipe_lsu_mem_local_op_{}.sum", global);
  add(names, "l1tex__t_sectors_pipe_lsu_mem_local_op_{}.sum", global);
  add(names, "ptx__requests_mem_shared_op_{}.sum", shared);
  add(names, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", shared);
  add(names, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", shared);
  add(names, "smsp__sass_l1tex_data_{}_mem_shared_op_ldgsts.sum",
      {"pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu"});
  add(names, "ptx__{}.sum",
      {"requests_mem_global_op_bulk_ld", "requests_mem_global_op_bulk_st",
       "sectors_mem_global_op_bulk_ld", "sectors_mem_global_op_bulk_st"});
  add(names, "ptx__{}_mem_const_op_ld.sum", {"requests", "addresses"});
}

void add_instructions(Names& names) {
  add(names, "smsp__sass_thread_inst_executed_op_{}_pred_on.sum",
      {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma"});
  add(names, "ptx__{}.sum",
      {"inst_executed", "thread_inst_executed", "branches_threads_divergent",
       "thread_inst_executed_op_global_atomic", "thread_inst_executed_op_shared_atomic"});
  add(names, "ptx__inst_executed_op_{}.sum",
      {"bit", "branch", "control", "conversion", "fp16", "fp32", "fp64", "integer",
       "inter_thread_communication", "matrix", "memory", "move", "surface", "synchronisation",
       "texture"});
  names.emplace_back("ptx__thread_inst_executed_per_inst_executed.ratio");
  names.emplace_back("ptx__thread_inst_executed_op_global_atomic.max");
}

void add_launches(Names& names) {
  add(names, "launch__{}", {"block_size", "grid_size", "thread_count", "sm_count"});
  add(names, "launch__shared_mem_per_block_{}", {"static", "dynamic", "driver", "allocated"});
  add(names, "launch__occupancy_limit_{}", {"shared_mem", "warps", "blocks"});
  for (const std::string_view prefix : {"launch", "estimated"}) {
    for (const std::string_view number :
         {"registers_per_thread", "occupancy_limit_registers", "waves_per_multiprocessor"})
      names.push_back(fmt::format("{}__{}", prefix, number));
  }
  add(names, "{}__maximum_warps_per_active_cycle_pct", {"sm", "estimated"});
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const Names all = [] {
    Names names;
    add_memory(names);
    add_instructions(names);
    add_launches(names);
    std::sort(names.begin(), names.end());
    return names;
  }();
  return all;
}

}  // namespace warpgrade::emulator
