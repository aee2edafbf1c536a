// SPDX-License-Identifier: MIT
#include "check/counter_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "check/on_device.h"

namespace warpgrade {
namespace {

constexpr long kWarpThreads = 32;

constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
/// Atomics that return what they read count as loads.
constexpr const char* kAtomicSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum";
constexpr const char* kAtomicRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
/// Atomics that return nothing.
constexpr const char* kReductionSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum";
constexpr const char* kReductionRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
/// Bulk copies, of 512 bytes a request.
constexpr const char* kBulkLoadSectors = "ptx__sectors_mem_global_op_bulk_ld.sum";
constexpr const char* kBulkLoadRequests = "ptx__requests_mem_global_op_bulk_ld.sum";
constexpr const char* kBulkStoreSectors = "ptx__sectors_mem_global_op_bulk_st.sum";
constexpr const char* kBulkStoreRequests = "ptx__requests_mem_global_op_bulk_st.sum";
constexpr const char* kSharedAtomicConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum";
/// Textures and surfaces read global memory, too, and no counter has their sectors.
constexpr const char* kTextureFetches = "ptx__inst_executed_op_texture.sum";
constexpr const char* kSurfaceAccesses = "ptx__inst_executed_op_surface.sum";
constexpr const char* kSharedLoadWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* kSharedStoreWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
constexpr const char* kSharedAtomicWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
constexpr const char* kSharedCopyWavefronts =
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum";
constexpr const char* kSharedLoadRequests = "ptx__requests_mem_shared_op_ld.sum";
constexpr const char* kSharedStoreRequests = "ptx__requests_mem_shared_op_st.sum";
constexpr const char* kSharedAtomicRequests = "ptx__requests_mem_shared_op_atom.sum";
constexpr const char* kSharedLoadConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
constexpr const char* kSharedStoreConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
/// Asynchronous copies store what they load.
constexpr const char* kSharedCopyConflicts =
    "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum";
constexpr const char* kGlobalAtomics = "ptx__thread_inst_executed_op_global_atomic.sum";
/// Those of the block with the most.
constexpr const char* kMostGlobalAtomics = "ptx__thread_inst_executed_op_global_atomic.max";
constexpr const char* kSharedAtomics = "ptx__thread_inst_executed_op_shared_atomic.sum";
constexpr const char* kConstantAddresses = "ptx__addresses_mem_const_op_ld.sum";
constexpr const char* kConstantRequests = "ptx__requests_mem_const_op_ld.sum";

std::optional<double> sum(const Launches& launches, const std::string& name) {
  std::optional<double> total;
  for (const KernelLaunch* launch : launches) {
    const auto found = launch->metrics.find(name);
    if (found != launch->metrics.end()) total = total.value_or(0) + found->second;
  }
  return total;
}

/// All these counters together; nothing where no launch has the first.
std::optional<double> sum_of(const Launches& launches, std::initializer_list<const char*> names) {
  std::optional<double> total = sum(launches, *names.begin());
  for (const char* const* name = names.begin() + 1; total && name != names.end(); ++name)
    *total += sum(launches, *name).value_or(0);
  return total;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

double blocks_of(const Launches& launches) {
  double blocks = 0;
  for (const KernelLaunch* launch : launches)
    blocks += static_cast<double>(launch->grid[0] * launch->grid[1] * launch->grid[2]);
  return blocks;
}

long threads_of_block(const KernelLaunch& launch) {
  return launch.block[0] * launch.block[1] * launch.block[2];
}

double warps_of(const Launches& launches) {
  double warps = 0;
  for (const KernelLaunch* launch : launches) {
    const long threads = threads_of_block(*launch);
    warps += blocks_of({launch}) * static_cast<double>((threads + kWarpThreads - 1) / kWarpThreads);
  }
  return warps;
}

std::optional<double> threads_of(const Launches& launches) {
  if (launches.empty()) return std::nullopt;
  double threads = 0;
  for (const KernelLaunch* launch : launches)
    threads += blocks_of({launch}) * static_cast<double>(threads_of_block(*launch));
  return threads;
}

/// Nothing where no launch counted any of them.
std::optional<double> floating_point_additions(const Launches& launches) {
  std::optional<double> total;
  for (const char* op : {"fadd", "ffma", "dadd", "dfma"}) {
    const std::string name = fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", op);
    if (const std::optional<double> some = sum(launches, name)) total = total.value_or(0) + *some;
  }
  return total;
}

/// Launches of one kernel with the same arguments do the same, whatever their loop counts.
double different_launches(const Launches& launches) {
  std::set<std::pair<std::string, std::vector<std::string>>> different;
  for (const KernelLaunch* launch : launches) different.emplace(launch->kernel, launch->params);
  return static_cast<double>(different.size());
}

/// Nothing where a GPU ran the launches and counted none of their instructions.
std::optional<double> counted_multiplications(const Launches& launches) {
  const bool is_counted =
      std::any_of(launches.begin(), launches.end(),
                  [](const KernelLaunch* launch) { return !launch->metrics.empty(); });
  return is_counted ? std::optional(multiplications(launches)) : std::nullopt;
}

/// Whatever reads global memory.
std::optional<double> global_load_requests(const Launches& launches) {
  return sum_of(launches, {kLoadRequests, kAtomicRequests, kTextureFetches, kSurfaceAccesses,
                           kBulkLoadRequests});
}

/// Whatever writes global memory.
std::optional<double> global_store_requests(const Launches& launches) {
  return sum_of(launches, {kStoreRequests, kAtomicRequests, kReductionRequests, kSurfaceAccesses,
                           kBulkStoreRequests});
}

/// By counter: others of what does the same work.
const std::map<std::string, std::vector<const char*>>& alike() {
  static const std::map<std::string, std::vector<const char*>> others = {
      {kLoadSectors, {kAtomicSectors, kBulkLoadSectors}},
      {kLoadRequests, {kAtomicRequests, kTextureFetches, kSurfaceAccesses, kBulkLoadRequests}},
      {kStoreSectors, {kAtomicSectors, kReductionSectors, kBulkStoreSectors}},
      {kStoreRequests, {kAtomicRequests, kReductionRequests, kSurfaceAccesses, kBulkStoreRequests}},
      {kSharedLoadWavefronts, {kSharedAtomicWavefronts}},
      {kSharedLoadRequests, {kSharedAtomicRequests}},
      {kSharedLoadConflicts, {kSharedAtomicConflicts}},
      {kSharedStoreWavefronts, {kSharedAtomicWavefronts, kSharedCopyWavefronts}},
      {kSharedStoreRequests, {kSharedAtomicRequests}},
      {kSharedStoreConflicts, {kSharedAtomicConflicts, kSharedCopyConflicts}},
      {"shared_store_conflicts", {kSharedAtomicConflicts}},
  };
  return others;
}

/// The counter as an upper bound sees it.
std::optional<double> bounded_value_of(const std::string& name, const Launches& launches) {
  if (name == "sectors_per_global_store")
    return ratio(sum_of(launches, {kStoreSectors, kAtomicSectors, kReductionSectors}),
                 sum_of(launches, {kStoreRequests, kAtomicRequests, kReductionRequests}));
  if (name == "global_stores_per_warp")
    return ratio(global_store_requests(launches), warps_of(launches));
  std::optional<double> value = value_of(name, launches);
  const auto others = alike().find(name);
  if (!value || others == alike().end()) return value;
  for (const char* other : others->second) *value += sum(launches, other).value_or(0);
  return value;
}

/// The launches of which `count` counts something: what others prepare or clear does not bring a mean down.
template <class Count>
Launches with_some(const Launches& launches, Count count) {
  Launches some;
  std::copy_if(launches.begin(), launches.end(), std::back_inserter(some),
               [&](const KernelLaunch* launch) { return count({launch}).value_or(0) > 0; });
  return some.empty() ? launches : some;
}

std::optional<double> per_block(const Launches& launches, const char* counter) {
  const auto count = [&](const Launches& each) { return sum(each, counter); };
  return ratio(count(launches), blocks_of(with_some(launches, count)));
}

/// Whether the counter is a mean, which launches that do little else bring down.
bool is_mean(const std::string& name) { return name.find("_per_") != std::string::npos; }

}  // namespace

std::optional<double> value_of(const std::string& name, const Launches& launches) {
  if (name == "sectors_per_global_load")
    return ratio(sum_of(launches, {kLoadSectors, kAtomicSectors}),
                 sum_of(launches, {kLoadRequests, kAtomicRequests}));
  if (name == "global_load_sectors")
    return sum_of(launches, {kLoadSectors, kAtomicSectors, kBulkLoadSectors});
  if (name == "sectors_per_global_store")
    return ratio(sum(launches, kStoreSectors), sum(launches, kStoreRequests));
  if (name == "global_load_requests") return global_load_requests(launches);
  if (name == "global_loads_per_warp")
    return ratio(global_load_requests(launches), warps_of(launches));
  if (name == "global_stores_per_warp")
    return ratio(sum(launches, kStoreRequests), warps_of(launches));
  if (name == "global_atomics_per_block") return per_block(launches, kGlobalAtomics);
  if (name == "shared_atomics_per_block") return per_block(launches, kSharedAtomics);
  if (name == "floating_point_additions") return floating_point_additions(launches);
  if (name == "different_launches" && !launches.empty()) return different_launches(launches);
  // The shapes alone give it, whatever was counted.
  if (name == "launch__thread_count") return threads_of(launches);
  if (name == "addresses_per_constant_load")
    return ratio(sum(launches, kConstantAddresses), sum(launches, kConstantRequests));
  if (name == "multiplications_per_thread")
    return ratio(counted_multiplications(launches),
                 threads_of(with_some(launches, counted_multiplications)));
  if (name == "global_store_sectors")
    return sum_of(launches, {kStoreSectors, kAtomicSectors, kReductionSectors, kBulkStoreSectors});
  if (name == "shared_load_conflicts")
    return sum_of(launches, {kSharedLoadConflicts, kSharedAtomicConflicts});
  if (name == "shared_store_conflicts")
    return sum_of(launches, {kSharedStoreConflicts, kSharedCopyConflicts});
  return sum(launches, name);
}

std::optional<double> largest_value_of(const std::string& name, const Launches& launches) {
  std::optional<double> most = bounded_value_of(name, launches);
  if (!is_mean(name)) return most;
  // Idle blocks of the same launch bring it down as idle launches do.
  const bool knows_blocks = name == "global_atomics_per_block";
  for (const KernelLaunch* launch : launches) {
    std::optional<double> one = bounded_value_of(name, {launch});
    if (const auto of_block = sum({launch}, kMostGlobalAtomics); knows_blocks && of_block)
      one = of_block;
    if (one) most = std::max(most.value_or(*one), *one);
  }
  return most;
}

namespace {

/// Addresses in constant memory beyond the one that all lanes of a warp ask for at once: elements of arrays lie there, which a
/// copy may have brought from global memory, and not what a kernel has to know.
double scattered_constant_loads(const Launches& launches) {
  return std::max(0.0, sum(launches, kConstantAddresses).value_or(0) -
                           sum(launches, kConstantRequests).value_or(0));
}

}  // namespace

double unseen_accesses(const std::string& name, const Launches& launches) {
  static const std::map<std::string, std::vector<const char*>> others = {
      {"sectors_per_global_load", {kTextureFetches, kSurfaceAccesses, kBulkLoadRequests}},
      {"global_load_sectors", {kTextureFetches, kSurfaceAccesses}},
      {kLoadSectors, {kTextureFetches, kSurfaceAccesses}},
      {"sectors_per_global_store", {kSurfaceAccesses, kBulkStoreRequests}},
      {"global_store_sectors", {kSurfaceAccesses}},
      {kStoreSectors, {kSurfaceAccesses}},
  };
  const auto found = others.find(name);
  double accesses = 0;
  if (found == others.end()) return accesses;
  for (const char* counter : found->second) accesses += sum(launches, counter).value_or(0);
  const bool are_loads = name == kLoadSectors || name.find("load") != std::string::npos;
  return are_loads ? accesses + scattered_constant_loads(launches) : accesses;
}

}  // namespace warpgrade
