// SPDX-License-Identifier: MIT
#include "emulator/exec/cluster.h"

#include <algorithm>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

template <class Holds>
bool holds_for_all(const Cluster& cluster, Holds holds) {
  return std::all_of(cluster.blocks.begin(), cluster.blocks.end(),
                     [&](const Block* block) { return block == nullptr || holds(*block); });
}

bool is_at_barrier(const Group& group) { return group.state == Group::State::at_barrier; }

}  // namespace

uint64_t block_of_cluster(const Dim3& grid, const Dim3& cluster, uint64_t index, uint32_t rank) {
  const uint64_t across = grid.x / cluster.x, down = grid.y / cluster.y;
  const uint64_t x = index % across * cluster.x + rank % cluster.x;
  const uint64_t y = index / across % down * cluster.y + rank / cluster.x % cluster.y;
  const uint64_t z = index / across / down * cluster.z + rank / cluster.x / cluster.y;
  return x + grid.x * (y + grid.y * z);
}

uint32_t lanes_at_home(const Block& block, uint32_t lanes, const uint64_t* addresses) {
  if (block.cluster == nullptr) return lanes;
  const auto& blocks = block.cluster->blocks;
  uint32_t home = 0;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int lane = first_lane(left);
    const uint64_t address = addresses[lane];
    const ClusterPlace place =
        cluster_place(is_shared_address(address) ? address - kSharedBase : address);
    const auto rank = static_cast<size_t>(place.rank);
    if (place.rank < 0 || (rank < blocks.size() && blocks[rank] == &block)) home |= 1u << lane;
  }
  return home;
}

bool release_cluster(Cluster& cluster) {
  const bool all = holds_for_all(cluster, [](const Block& block) {
    return block.barriers[kClusterBarrier].arrived >= block.live_threads;
  });
  if (!all) return false;
  watch_cluster(cluster);
  for (Block* const block : cluster.blocks) {
    if (block != nullptr) release_barrier(*block, kClusterBarrier);
  }
  return true;
}

bool waits_for_cluster(const Block& block) {
  return block.cluster != nullptr && block.barriers[kClusterBarrier].arrived != 0;
}

bool is_stuck(const Cluster& cluster) {
  return holds_for_all(cluster, [](const Block& block) {
    return std::all_of(block.warps.begin(), block.warps.end(), [](const Warp& warp) {
      return std::all_of(warp.groups.begin(), warp.groups.end(), is_at_barrier);
    });
  });
}

void leave_cluster(Block& block) {
  if (block.cluster == nullptr) return;
  std::replace(block.cluster->blocks.begin(), block.cluster->blocks.end(), &block,
               static_cast<Block*>(nullptr));
  block.cluster.reset();
}

}  // namespace warpgrade::emulator
