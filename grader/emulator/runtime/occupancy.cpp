// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Occupancy", by the toolkit's own rules.
#include <cuda_occupancy.h>

#include <algorithm>

#include "emulator/exec/cluster.h"
#include "emulator/runtime/device_properties.h"
#include "emulator/runtime/kernels.h"

namespace warpgrade::emulator {
namespace {

cudaError_t max_active_blocks(ApiCall& call, int* blocks, const void* function, int block_size,
                              size_t dynamic_shared_bytes) {
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  const LoadedKernel kernel = load_kernel(call, function);
  if (kernel.error != cudaSuccess) return kernel.error;
  return active_blocks(call, kernel, block_size, dynamic_shared_bytes, *blocks);
}

cudaOccError occupancy(ApiCall& call, const cudaFuncAttributes& attributes, int threads,
                       size_t dynamic_shared_bytes, cudaOccResult& result) {
  const cudaOccDeviceProp properties(device_properties(call.device().model, call.device_index()));
  const cudaOccFuncAttributes function_attributes(attributes);
  const cudaOccDeviceState state;
  return cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function_attributes, &state,
                                                 threads, dynamic_shared_bytes);
}

/// ncu tells no fewer, whatever ptxas said (seen on an H200).
constexpr int kLeastRegisters = 16;

void add_limits(const cudaOccResult& result, const std::string& registers_prefix,
                std::map<std::string, double>& metrics) {
  const auto limit = [&](const std::string& name, int blocks) {
    metrics[name] = std::min(blocks, kMaxThreadsPerBlock);
  };
  limit(registers_prefix + "occupancy_limit_registers", result.blockLimitRegs);
  // Where shared memory does not limit it, a driver chooses how much of it there is.
  if ((result.limitingFactors & OCC_LIMIT_SHARED_MEMORY) != 0)
    limit("launch__occupancy_limit_shared_mem", result.blockLimitSharedMem);
  limit("launch__occupancy_limit_warps", result.blockLimitWarps);
  limit("launch__occupancy_limit_blocks", result.blockLimitBlocks);
}

/// The most dynamic shared memory with which `blocks` blocks still fit one multiprocessor.
cudaError_t available_shared(ApiCall& call, size_t* bytes, const void* function, int blocks,
                             int block_size) {
  if (bytes == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
  const LoadedKernel kernel = load_kernel(call, function);
  if (kernel.error != cudaSuccess) return kernel.error;
  cudaFuncAttributes attributes;
  describe_kernel(call, kernel, attributes);
  const cudaOccDeviceProp properties(device_properties(call.device().model, call.device_index()));
  const cudaOccFuncAttributes function_attributes(attributes);
  const cudaOccDeviceState state;
  const cudaOccError error = cudaOccAvailableDynamicSMemPerBlock(
      bytes, &properties, &function_attributes, &state, blocks, block_size);
  return error == CUDA_OCC_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

/// A launch's kernel and the blocks of its clusters.
struct ClusterLaunch {
  cudaError_t error = cudaSuccess;
  LoadedKernel kernel = {};
  uint32_t blocks = 1;
  uint32_t most_blocks = kMostPortableBlocks;
};

/// Refuses what an H100 refuses: clusters that do not divide the grid, and large ones of a kernel that did not ask for them.
ClusterLaunch cluster_launch(ApiCall& call, const void* function,
                             const cudaLaunchConfig_t& config) {
  ClusterLaunch launch;
  launch.kernel = load_kernel(call, function);
  launch.error = launch.kernel.error;
  if (launch.error != cudaSuccess) return launch;
  const dim3 asked = cluster_of(config), grid = config.gridDim;
  const Dim3 wanted = {asked.x, asked.y, asked.z};
  const Dim3 shape = blocks_in(wanted) != 1 ? wanted : launch.kernel.info->cluster;
  launch.blocks = blocks_in(shape);
  if (launch.kernel.kernel->takes_large_clusters) launch.most_blocks = kMostClusterBlocks;
  const bool divides =
      launch.blocks != 0 && grid.x % shape.x == 0 && grid.y % shape.y == 0 && grid.z % shape.z == 0;
  const bool is_too_large =
      launch.blocks > launch.most_blocks && launch.most_blocks < kMostClusterBlocks;
  if (!divides || is_too_large) launch.error = cudaErrorInvalidClusterSize;
  return launch;
}

/// How many clusters of that shape the device holds at a time; each multiprocessor's places count, whichever GPC it is of.
cudaError_t active_clusters(ApiCall& call, int* clusters, const void* function,
                            const cudaLaunchConfig_t* config) {
  if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
  const ClusterLaunch launch = cluster_launch(call, function, *config);
  if (launch.error != cudaSuccess) return launch.error;
  *clusters = 0;
  if (launch.blocks > launch.most_blocks) return cudaSuccess;
  const dim3& block = config->blockDim;
  int for_each = 0;
  const cudaError_t error =
      active_blocks(call, launch.kernel, static_cast<int>(block.x * block.y * block.z),
                    config->dynamicSmemBytes, for_each);
  *clusters = for_each * call.device().model.sm_count / static_cast<int>(launch.blocks);
  return error;
}

cudaError_t largest_cluster(ApiCall& call, int* blocks, const void* function,
                            const cudaLaunchConfig_t* config) {
  if (blocks == nullptr || config == nullptr) return cudaErrorInvalidValue;
  const ClusterLaunch launch = cluster_launch(call, function, *config);
  if (launch.error != cudaSuccess) return launch.error;
  *blocks = static_cast<int>(launch.most_blocks);
  return cudaSuccess;
}

}  // namespace

cudaError_t active_blocks(ApiCall& call, const LoadedKernel& kernel, int threads,
                          size_t dynamic_shared_bytes, int& blocks) {
  cudaFuncAttributes attributes;
  describe_kernel(call, kernel, attributes);
  cudaOccResult result;
  if (occupancy(call, attributes, threads, dynamic_shared_bytes, result) != CUDA_OCC_SUCCESS)
    return cudaErrorInvalidValue;
  blocks = result.activeBlocksPerMultiprocessor;
  return cudaSuccess;
}

/// ncu rounds what a kernel declares up to this (seen on an H200).
constexpr size_t kSharedUnit = 16;

void add_launch_metrics(ApiCall& call, const LoadedKernel& kernel, const LaunchRequest& request,
                        std::map<std::string, double>& metrics) {
  const DeviceModel& model = call.device().model;
  const uint32_t threads = request.block.x * request.block.y * request.block.z;
  const double blocks = static_cast<double>(request.grid.x) * request.grid.y * request.grid.z;
  metrics["launch__block_size"] = threads;
  metrics["launch__grid_size"] = blocks;
  metrics["launch__thread_count"] = blocks * threads;
  metrics["launch__sm_count"] = model.sm_count;
  metrics["launch__shared_mem_per_block_static"] = static_cast<double>(
      (kernel.info->static_shared_bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit);
  metrics["launch__shared_mem_per_block_dynamic"] =
      static_cast<double>(request.dynamic_shared_bytes);
  metrics["launch__shared_mem_per_block_driver"] = model.shared_reserved_bytes;
  const bool known = resources_of(call, kernel).has_value();
  const std::string prefix = known ? "launch__" : "estimated__";
  cudaFuncAttributes attributes;
  describe_kernel(call, kernel, attributes);
  attributes.numRegs = std::max(attributes.numRegs, kLeastRegisters);
  metrics[prefix + "registers_per_thread"] = attributes.numRegs;
  cudaOccResult result;
  if (occupancy(call, attributes, static_cast<int>(threads), request.dynamic_shared_bytes,
                result) != CUDA_OCC_SUCCESS)
    return;
  add_limits(result, prefix, metrics);
  const int resident = result.activeBlocksPerMultiprocessor;
  if (resident == 0) return;
  metrics["launch__shared_mem_per_block_allocated"] =
      static_cast<double>(result.allocatedSharedMemPerBlock);
  metrics[prefix + "waves_per_multiprocessor"] = blocks / resident / model.sm_count;
  const int warps = resident * static_cast<int>((threads + kWarpSize - 1) / kWarpSize);
  metrics[known ? "sm__maximum_warps_per_active_cycle_pct"
                : "estimated__maximum_warps_per_active_cycle_pct"] =
      100.0 * warps * kWarpSize / model.threads_per_sm;
}

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, size_t shared_bytes) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", EarlierFault::if_known,
                  [&](ApiCall& call) {
                    return max_active_blocks(call, blocks, function, block_size, shared_bytes);
                  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t shared_bytes, unsigned flags) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", EarlierFault::if_known,
                  [&](ApiCall& call) {
                    if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
                    return max_active_blocks(call, blocks, function, block_size, shared_bytes);
                  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return api_call("cudaOccupancyMaxActiveClusters", EarlierFault::if_known,
                  [&](ApiCall& call) { return active_clusters(call, clusters, function, config); });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return api_call("cudaOccupancyMaxPotentialClusterSize", EarlierFault::if_known,
                  [&](ApiCall& call) { return largest_cluster(call, blocks, function, config); });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int block_size) {
  return api_call(
      "cudaOccupancyAvailableDynamicSMemPerBlock", EarlierFault::if_known,
      [&](ApiCall& call) { return available_shared(call, bytes, function, blocks, block_size); });
}

}  // extern "C"
}  // namespace warpgrade::emulator
