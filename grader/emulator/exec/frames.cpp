// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "emulator/exec/block.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

template <class T>
void fill(uint8_t* lanes, uint64_t bits) {
  std::fill_n(reinterpret_cast<T*>(lanes), kWarpSize, static_cast<T>(bits));
}

void fill_constant(uint8_t* registers, const Constant& constant) {
  uint8_t* const lanes = registers + constant.offset;
  if (constant.bytes == 8) return fill<uint64_t>(lanes, constant.bits);
  if (constant.bytes == 4) return fill<uint32_t>(lanes, constant.bits);
  fill<uint16_t>(lanes, constant.bits);
}

/// A multiprocessor's warps (CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability").
uint32_t warp_slots(int sm) {
  if (sm == 75) return 32;
  return sm == 86 || sm == 87 || sm == 89 || sm >= 120 ? 48 : 64;
}

/// %warpid names a slot of the multiprocessor (PTX ISA, section 10): blocks that run beside each other have others.
uint32_t first_warp_slot(const Block& block, uint32_t warps, int sm) {
  const uint64_t blocks = std::max(warp_slots(sm) / warps, 1u);
  return static_cast<uint32_t>(block.linear_index % blocks) * warps;
}

/// PTX ISA 10, %cluster_ctaid to %nclusterid: clusters tile the grid.
uint32_t cluster_value(const Block& block, const Dim3& cluster, const Dim3& grid,
                       SpecialRegister which) {
  const Dim3& at = block.index;
  // clang-format off
  switch (which) {
    case SpecialRegister::cluster_ctaid_x: return at.x % cluster.x;
    case SpecialRegister::cluster_ctaid_y: return at.y % cluster.y;
    case SpecialRegister::cluster_ctaid_z: return at.z % cluster.z;
    case SpecialRegister::cluster_nctaid_x: return cluster.x;
    case SpecialRegister::cluster_nctaid_y: return cluster.y;
    case SpecialRegister::cluster_nctaid_z: return cluster.z;
    case SpecialRegister::cluster_ctarank: return rank_in(cluster, at);
    case SpecialRegister::cluster_nctarank: return blocks_in(cluster);
    case SpecialRegister::clusterid_x: return at.x / cluster.x;
    case SpecialRegister::clusterid_y: return at.y / cluster.y;
    case SpecialRegister::clusterid_z: return at.z / cluster.z;
    case SpecialRegister::nclusterid_x: return grid.x / cluster.x;
    case SpecialRegister::nclusterid_y: return grid.y / cluster.y;
    case SpecialRegister::nclusterid_z: return grid.z / cluster.z;
    // A predicate.
    case SpecialRegister::is_explicit_cluster: return blocks_in(cluster) > 1 ? kFullMask : 0;
    default: return 0;
  }
  // clang-format on
}

bool is_of_cluster(SpecialRegister which) {
  return which >= SpecialRegister::cluster_ctaid_x && which <= SpecialRegister::is_explicit_cluster;
}

/// All special registers but %tid.
uint32_t special_value(const Warp& warp, SpecialRegister which, uint32_t lane) {
  const LaunchContext& launch = *warp.worker->launch;
  const Dim3 &block = launch.request->block, &grid = launch.request->grid;
  const uint32_t warps = static_cast<uint32_t>(warp.block->warps.size());
  const uint32_t sms = std::max(launch.options->sm_count, 1u);
  // clang-format off
  switch (which) {
    case SpecialRegister::ntid_x: return block.x;
    case SpecialRegister::ntid_y: return block.y;
    case SpecialRegister::ntid_z: return block.z;
    case SpecialRegister::ctaid_x: return warp.block->index.x;
    case SpecialRegister::ctaid_y: return warp.block->index.y;
    case SpecialRegister::ctaid_z: return warp.block->index.z;
    case SpecialRegister::nctaid_x: return grid.x;
    case SpecialRegister::nctaid_y: return grid.y;
    case SpecialRegister::nctaid_z: return grid.z;
    case SpecialRegister::laneid: return lane;
    case SpecialRegister::warpid: return first_warp_slot(*warp.block, warps, launch.request->sm) + warp.index;
    case SpecialRegister::nwarpid: return warp_slots(launch.request->sm);
    case SpecialRegister::smid: return static_cast<uint32_t>(warp.block->linear_index % sms);
    case SpecialRegister::nsmid: return sms;
    case SpecialRegister::lanemask_eq: return 1u << lane;
    case SpecialRegister::lanemask_lt: return (1u << lane) - 1;
    case SpecialRegister::lanemask_le: return (1u << lane) | ((1u << lane) - 1);
    case SpecialRegister::lanemask_gt: return ~((1u << lane) | ((1u << lane) - 1));
    case SpecialRegister::lanemask_ge: return ~((1u << lane) - 1);
    case SpecialRegister::dynamic_smem_size: return static_cast<uint32_t>(launch.request->dynamic_shared_bytes);
    case SpecialRegister::total_smem_size: return static_cast<uint32_t>(launch.request->dynamic_shared_bytes + launch.entry->info.static_shared_bytes);
    // Cooperative groups take the address of the grid's workspace from here (driver_abi.h).
    case SpecialRegister::envreg1: return static_cast<uint32_t>(launch.request->grid_workspace >> 32);
    case SpecialRegister::envreg2: return static_cast<uint32_t>(launch.request->grid_workspace);
    case SpecialRegister::reserved_smem_offset: return launch.reserved_shared;
    default: return cluster_value(*warp.block, launch.request->cluster, grid, which);
  }
  // clang-format on
}

/// The others stay what they are when a warp goes on to its next block.
bool depends_on_block(SpecialRegister which) {
  return which == SpecialRegister::ctaid_x || which == SpecialRegister::ctaid_y ||
         which == SpecialRegister::ctaid_z || which == SpecialRegister::smid ||
         which == SpecialRegister::warpid || is_of_cluster(which);
}

void fill_thread_index(const Warp& warp, uint32_t* lanes, uint32_t Dim3::*axis) {
  const Dim3& block = warp.worker->launch->request->block;
  Dim3 thread = thread_index(block, warp.index * kWarpSize);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    lanes[lane] = thread.*axis;
    if (++thread.x < block.x) continue;
    thread.x = 0;
    if (++thread.y < block.y) continue;
    thread.y = 0;
    ++thread.z;
  }
}

/// Special registers are read as 32 bits, but for %gridid, which is 0 either way.
void fill_special(const Warp& warp, uint8_t* registers, SpecialRegister which, uint32_t offset) {
  auto* const lanes = reinterpret_cast<uint32_t*>(registers + offset);
  if (which == SpecialRegister::tid_x) return fill_thread_index(warp, lanes, &Dim3::x);
  if (which == SpecialRegister::tid_y) return fill_thread_index(warp, lanes, &Dim3::y);
  if (which == SpecialRegister::tid_z) return fill_thread_index(warp, lanes, &Dim3::z);
  if (depends_on_block(which)) {
    std::fill_n(lanes, kWarpSize, special_value(warp, which, 0));
    return;
  }
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) lanes[lane] = special_value(warp, which, lane);
}

std::unique_ptr<Frame> take_spare(Warp& warp, const FunctionCode& function) {
  const auto found = std::find_if(warp.spare_frames.begin(), warp.spare_frames.end(),
                                  [&](const auto& spare) { return spare->function == &function; });
  if (found == warp.spare_frames.end()) return nullptr;
  std::unique_ptr<Frame> frame = std::move(*found);
  warp.spare_frames.erase(found);
  return frame;
}

/// One that an earlier launch has left, its registers zeroed; or null.
std::unique_ptr<Frame> take_left(Warp& warp, uint32_t bytes) {
  const auto found = std::find_if(
      warp.spare_frames.begin(), warp.spare_frames.end(),
      [&](const auto& spare) { return spare->function == nullptr && spare->stack_bytes >= bytes; });
  if (found == warp.spare_frames.end()) return nullptr;
  std::unique_ptr<Frame> frame = std::move(*found);
  warp.spare_frames.erase(found);
  std::memset(frame->registers, 0, bytes);
  return frame;
}

std::unique_ptr<Frame> allocate_frame(uint32_t bytes) {
  constexpr size_t kAlignment = 64;
  auto frame = std::make_unique<Frame>();
  frame->storage = std::make_unique<uint8_t[]>(bytes + kAlignment);
  void* start = frame->storage.get();
  size_t space = bytes + kAlignment;
  frame->registers = static_cast<uint8_t*>(std::align(kAlignment, bytes, start, space));
  return frame;
}

std::unique_ptr<Frame> new_frame(Warp& warp, const FunctionCode& function) {
  std::unique_ptr<Frame> frame = take_left(warp, function.frame_bytes);
  if (frame == nullptr) frame = allocate_frame(function.frame_bytes);
  frame->function = &function;
  for (const Constant& constant : function.constants) fill_constant(frame->registers, constant);
  return frame;
}

}  // namespace

uint64_t end_of_local(const Frame& frame) {
  return uint64_t{frame.local_base} + frame.function->local_bytes + frame.taken_local;
}

void provide_local(Warp& warp, uint32_t lanes, uint64_t begin, uint64_t bytes) {
  const size_t rows = (begin + bytes + 3) / 4;
  if (warp.local.size() < rows * 4 * kWarpSize) warp.local.resize(rows * 4 * kWarpSize, 0xFF);
  if (warp.worker->launch->watch != nullptr && warp.worker->launch->watch->init)
    forget_local(warp, lanes, static_cast<uint32_t>(begin / 4),
                 static_cast<uint32_t>((bytes + 3) / 4));
}

Frame* make_frame(Warp& warp, const FunctionCode& function, Frame* caller, uint32_t lanes) {
  std::unique_ptr<Frame> frame = take_spare(warp, function);
  const bool is_new = frame == nullptr;
  if (is_new) frame = new_frame(warp, function);
  for (const auto& [which, offset] : function.specials) {
    if (is_new || depends_on_block(which)) fill_special(warp, frame->registers, which, offset);
  }
  frame->caller = caller;
  frame->depth = caller == nullptr ? 0 : caller->depth + 1;
  frame->stack_bytes = function.frame_bytes + (caller == nullptr ? 0 : caller->stack_bytes);
  frame->lanes = lanes;
  frame->local_base = caller == nullptr ? 0 : static_cast<uint32_t>(end_of_local(*caller));
  frame->taken_local = 0;
  provide_local(warp, lanes, frame->local_base, function.local_bytes);
  warp.frames.push_back(std::move(frame));
  return warp.frames.back().get();
}

}  // namespace warpgrade::emulator
