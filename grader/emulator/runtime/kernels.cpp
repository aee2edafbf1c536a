// SPDX-License-Identifier: MIT
#include "emulator/runtime/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "emulator/exec/cluster.h"
#include "emulator/runtime/child_launches.h"
#include "emulator/runtime/error.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/launch_record.h"
#include "emulator/runtime/stream/stream_launch.h"
#include "emulator/runtime/swapped_inputs.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Registers of a thread, where ptxas cannot be asked.
constexpr int kAssumedRegisters = 32;
/// The first compute capability whose devices have thread block clusters.
constexpr int kFirstWithClusters = 90;

Dim3 to_dim3(const dim3& shape) { return {shape.x, shape.y, shape.z}; }

std::string in_words(const dim3& shape) {
  return fmt::format("{} x {} x {}", shape.x, shape.y, shape.z);
}

uint64_t volume(const dim3& shape) { return uint64_t{shape.x} * shape.y * shape.z; }

/// Why a device does not take a launch of that shape; empty where it does.
Sentence misfit_of(const dim3& grid, const dim3& block) {
  if (volume(grid) == 0) return say("misfit.no_blocks", {{"grid", in_words(grid)}});
  if (volume(block) == 0) return say("misfit.no_threads", {{"block", in_words(block)}});
  const bool grid_fits = grid.x - 1 < kMaxGridX && grid.y - 1 < kMaxGridY && grid.z - 1 < kMaxGridZ;
  if (!grid_fits)
    return say("misfit.grid",
               {{"grid", in_words(grid)}, {"most", in_words({kMaxGridX, kMaxGridY, kMaxGridZ})}});
  if (volume(block) > kMaxThreadsPerBlock)
    return say(
        "misfit.threads",
        {{"block", in_words(block)}, {"threads", volume(block)}, {"most", kMaxThreadsPerBlock}});
  const bool block_fits =
      block.x - 1 < kMaxBlockX && block.y - 1 < kMaxBlockY && block.z - 1 < kMaxBlockZ;
  if (block_fits) return {};
  return say("misfit.block", {{"block", in_words(block)},
                              {"most", in_words({kMaxBlockX, kMaxBlockY, kMaxBlockZ})}});
}

/// The same for what the kernel and its attributes allow.
Sentence misfit_of(ApiCall& call, const LoadedKernel& kernel, const dim3& block,
                   size_t shared_bytes) {
  const uint32_t most = kernel.info->max_threads;
  if (most != 0 && volume(block) > most)
    return say("misfit.bounds",
               {{"block", in_words(block)}, {"threads", volume(block)}, {"most", most}});
  const size_t limit = dynamic_shared_limit(call, kernel);
  if (shared_bytes <= limit) return {};
  return say("misfit.shared", {{"bytes", shared_bytes}, {"most", limit}});
}

void tell_refused(ApiCall& call, const LoadedKernel& kernel, const Sentence& why) {
  if (!call.machine().settings.check.api) return;
  call.find(say("api.not_launched", {{"kernel", demangled(kernel.info->mangled)}, {"why", why}}));
}

std::vector<std::byte> pack_parameters(const KernelInfo& info, void** arguments) {
  std::vector<std::byte> block(info.parameter_bytes);
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    std::memcpy(block.data() + info.parameters[i].offset, arguments[i], info.parameters[i].size);
  }
  return block;
}

/// The most threads whose registers a multiprocessor has: it allots them to warps in units, and
/// warps to its four parts.
int threads_with_registers(int registers) {
  constexpr int kUnit = 256, kParts = 4;
  const int of_warp = std::max((registers * kWarpSize + kUnit - 1) / kUnit * kUnit, kUnit);
  return std::min(kRegistersPerSm / kParts / of_warp * kParts * kWarpSize, kMaxThreadsPerBlock);
}

/// Why a block has too many threads for the registers that ptxas allots; empty where ptxas cannot be asked.
Sentence misfit_of_registers(ApiCall& call, const LoadedKernel& kernel, const dim3& block) {
  constexpr uint64_t kAlwaysFit = 256;  // threads, with 255 registers each
  if (volume(block) <= kAlwaysFit) return {};
  const std::optional<KernelResources> resources = resources_of(call, kernel);
  if (!resources) return {};
  const int most = threads_with_registers(resources->registers);
  if (volume(block) <= static_cast<uint64_t>(most)) return {};
  return say("misfit.registers", {{"block", in_words(block)},
                                  {"threads", volume(block)},
                                  {"registers", resources->registers},
                                  {"most", most}});
}

/// Why a device does not take a launch in such clusters; empty where it does.
Sentence misfit_of(ApiCall& call, const LoadedKernel& kernel, const dim3& grid,
                   const Dim3& cluster) {
  const std::string shape = in_words({cluster.x, cluster.y, cluster.z});
  const uint64_t blocks = uint64_t{cluster.x} * cluster.y * cluster.z;
  const uint64_t most =
      kernel.kernel->takes_large_clusters ? kMostClusterBlocks : kMostPortableBlocks;
  if (blocks > 1 && call.device().model.sm() < kFirstWithClusters)
    return say("misfit.no_clusters", {{"cluster", shape}});
  if (blocks == 0 || blocks > most)
    return say("misfit.cluster", {{"cluster", shape}, {"most", most}});
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return {};
  return say("misfit.uneven_grid", {{"grid", in_words(grid)}, {"cluster", shape}});
}

cudaError_t check(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
                  const Dim3& cluster) {
  const dim3 &grid = wanted.grid, &block = wanted.block;
  // An H200 with CUDA 13 answers every one of these with cudaErrorInvalidValue, where older
  // runtimes said cudaErrorInvalidConfiguration.
  Sentence misfit = misfit_of(grid, block);
  if (misfit.empty()) misfit = misfit_of(call, kernel, block, wanted.shared_bytes);
  if (!misfit.empty()) {
    tell_refused(call, kernel, misfit);
    return cudaErrorInvalidValue;
  }
  misfit = misfit_of(call, kernel, grid, cluster);
  if (!misfit.empty()) {
    tell_refused(call, kernel, misfit);
    return cudaErrorInvalidClusterSize;
  }
  misfit = misfit_of_registers(call, kernel, block);
  if (!misfit.empty()) {
    tell_refused(call, kernel, misfit);
    return cudaErrorLaunchOutOfResources;
  }
  if (!wanted.cooperative) return cudaSuccess;
  int per_sm = 0;
  const cudaError_t error = active_blocks(
      call, kernel, static_cast<int>(block.x * block.y * block.z), wanted.shared_bytes, per_sm);
  if (error != cudaSuccess) return error;
  const uint64_t resident =
      static_cast<uint64_t>(per_sm) * static_cast<uint64_t>(call.device().model.sm_count);
  if (volume(grid) <= resident) return cudaSuccess;
  tell_refused(call, kernel,
               say("misfit.cooperative", {{"most", resident}, {"blocks", volume(grid)}}));
  return cudaErrorCooperativeLaunchTooLarge;
}

/// What grid.sync() counts its blocks in: zeros when a kernel starts, as the driver's is.
/// cooperative_groups/details/driver_abi.h: its size, then the barrier.
cudaError_t prepare_workspace(ApiCall& call, LaunchRequest& request) {
  struct Workspace {
    uint32_t size, barrier;
  };
  DeviceMemory& memory = call.machine().memory;
  uint64_t& address = call.device().grid_workspace;
  if (address == 0) {
    const auto placed = memory.allocate(call.device_index(), sizeof(Workspace),
                                        "a cooperative launch", AllocationKind::symbol);
    if (!placed) return cudaErrorMemoryAllocation;
    address = placed->begin;
  }
  const Workspace fresh = {sizeof(Workspace), 0};
  std::memcpy(memory.host_address(address, sizeof fresh), &fresh, sizeof fresh);
  request.grid_workspace = address;
  return cudaSuccess;
}

cudaError_t prepare_heap(ApiCall& call, LaunchRequest& request) {
  Device& device = call.device();
  if (device.heap == nullptr) {
    const size_t bytes = device.limit(cudaLimitMallocHeapSize);
    const auto allocate = [&](size_t range) {
      return call.machine().memory.allocate(call.device_index(), range, "malloc in kernels",
                                            AllocationKind::heap);
    };
    // With room between blocks, where the device has that much.
    auto placed = allocate(2 * bytes + DeviceHeap::kMostGapBytes);
    if (!placed) placed = allocate(bytes);
    if (!placed) return cudaErrorMemoryAllocation;
    device.heap = std::make_unique<DeviceHeap>(placed->begin, bytes, placed->size);
  }
  request.heap = device.heap.get();
  return cudaSuccess;
}

/// What the kernel needs besides its parameters.
cudaError_t provide(ApiCall& call, const KernelLaunch& wanted, LaunchRequest& request) {
  const Device& device = call.device();
  request.textures = &call.machine().textures.table();
  request.text_of_error = text_of_error;
  request.conditions = wanted.conditions;
  request.peers.assign(device.peers.begin(), device.peers.end());
  cudaError_t error = cudaSuccess;
  if (wanted.cooperative) error = prepare_workspace(call, request);
  if (error == cudaSuccess && uses_heap(*request.module)) error = prepare_heap(call, request);
  return error;
}

}  // namespace

const LoadedModule* load_image(ApiCall& call, DeviceImage& image, cudaError_t& error) {
  const int sm = call.device().model.sm();
  const LoadedModule* module = image.load(call.device_index(), sm, call.machine().memory);
  if (module == nullptr) {
    const LoadFailure& failure = image.failure(call.device_index());
    call.find(say("unsupported.code", {{"why", failure.message}}));
    error = failure.code;
  }
  return module;
}

LoadedKernel load_kernel(ApiCall& call, const void* function) {
  LoadedKernel loaded;
  loaded.error =
      function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  loaded.kernel = call.machine().program.find_kernel(function);
  if (loaded.kernel == nullptr) return loaded;
  loaded.module = load_image(call, *loaded.kernel->image, loaded.error);
  if (loaded.module == nullptr) return loaded;
  loaded.info = find_kernel(*loaded.module, loaded.kernel->mangled);
  loaded.error = loaded.info == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  return loaded;
}

size_t dynamic_shared_limit(ApiCall& call, const LoadedKernel& kernel) {
  const auto set = kernel.kernel->dynamic_shared_limit.find(call.device_index());
  if (set != kernel.kernel->dynamic_shared_limit.end()) return static_cast<size_t>(set->second);
  const size_t used = kernel.info->static_shared_bytes;
  return used < kSharedPerBlockBytes ? kSharedPerBlockBytes - used : 0;
}

std::optional<KernelResources> resources_of(ApiCall& call, const LoadedKernel& kernel) {
  const ModuleResources& all = kernel.kernel->image->resources(
      call.device_index(), call.device().model.sm(), call.machine().ptxas);
  const auto found = all.find(kernel.info->mangled);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

void describe_kernel(ApiCall& call, const LoadedKernel& kernel, cudaFuncAttributes& attributes) {
  const KernelInfo& info = *kernel.info;
  std::memset(&attributes, 0, sizeof attributes);
  // In units of 16 bytes: so answered an H200.
  attributes.sharedSizeBytes = round_up(info.static_shared_bytes, 16);
  const std::optional<KernelResources> resources = resources_of(call, kernel);
  attributes.localSizeBytes =
      resources ? static_cast<size_t>(resources->stack_bytes) : info.local_bytes;
  attributes.numRegs = resources ? resources->registers : kAssumedRegisters;
  attributes.maxThreadsPerBlock = info.max_threads != 0
                                      ? static_cast<int>(info.max_threads)
                                      : threads_with_registers(attributes.numRegs);
  attributes.ptxVersion = kernel.kernel->image->ptx_sm(call.device_index());
  attributes.binaryVersion = call.device().model.sm();
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(call, kernel));
  attributes.preferredShmemCarveout = -1;
  attributes.nonPortableClusterSizeAllowed = kernel.kernel->takes_large_clusters ? 1 : 0;
  if (blocks_in(info.cluster) == 1) return;
  attributes.requiredClusterWidth = static_cast<int>(info.cluster.x);
  attributes.requiredClusterHeight = static_cast<int>(info.cluster.y);
  attributes.requiredClusterDepth = static_cast<int>(info.cluster.z);
}

namespace {

/// Nodes of a graph run one after another, to their ends. So do kernels that kernels launch, and
/// those on inputs that the host does not have, as what it saw of them while they wait would tell it the inputs.
bool may_pause(const KernelLaunch& wanted, int depth) {
  return depth == 0 && wanted.conditions == nullptr && swapped_inputs().empty();
}

}  // namespace

cudaError_t launch_loaded(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
                          void** arguments, CUstream_st* queue, int depth) {
  if (arguments == nullptr && !kernel.info->parameters.empty()) return cudaErrorInvalidValue;
  LaunchRequest request;
  request.module = kernel.module;
  request.kernel = kernel.info->mangled;
  request.grid = to_dim3(wanted.grid);
  request.block = to_dim3(wanted.block);
  request.cluster = volume(wanted.cluster) != 1 ? to_dim3(wanted.cluster) : kernel.info->cluster;
  request.dynamic_shared_bytes = wanted.shared_bytes;
  request.parameters = pack_parameters(*kernel.info, arguments);
  request.device = call.device_index();
  request.sm = call.device().model.sm();
  cudaError_t refused = check(call, kernel, wanted, request.cluster);
  if (refused != cudaSuccess) {
    break_capture(queue->capture);
  } else if (const auto kept =
                 captured(*queue, KernelNode{wanted, copy_arguments(*kernel.info, arguments)})) {
    return *kept;
  }
  if (refused == cudaSuccess) refused = provide(call, wanted, request);
  call.leave_no_record();
  if (refused != cudaSuccess || call.device().fault != cudaSuccess) {
    const cudaError_t came_to = refused != cudaSuccess ? refused : call.device().fault;
    record_launch(call, kernel, request, *queue, Begun::no, came_to,
                  range_of_call(call.machine().settings.graded), {});
    call.machine().teller.end_of_launch();
    return refused;
  }
  auto launch =
      std::make_unique<StreamLaunch>(call, kernel, wanted, std::move(request), *queue, depth);
  if (launch->under_way().run(may_pause(wanted, depth))) {
    launch->finish(call, {});
  } else {
    launch->note_waiting(call);
    call.machine().waiting_kernels.add(std::move(launch));
  }
  return cudaSuccess;
}

cudaError_t launch_kernel(ApiCall& call, const KernelLaunch& wanted, void** arguments,
                          cudaStream_t stream) {
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  // "Stream and Event Behavior" (CUDA C++ Programming Guide, "Multi-Device System").
  if (queue->device != call.device_index()) return cudaErrorInvalidResourceHandle;
  if (const auto why = refuse_legacy_work(call, *queue); why != cudaSuccess) return why;
  const LoadedKernel kernel = load_kernel(call, wanted.function);
  call.machine().lacks_code |= kernel.error == cudaErrorNoKernelImageForDevice;
  if (kernel.error != cudaSuccess) return kernel.error;
  return launch_loaded(call, kernel, wanted, arguments, queue, 0);
}

}  // namespace warpgrade::emulator
