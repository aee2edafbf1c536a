// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/exec/block.h"

// Thread block clusters (PTX ISA 3.2, "Cluster of Cooperative Thread Arrays"; 5.1.7, shared::cluster).

namespace warpgrade::emulator {

/// Blocks that one worker keeps going beside each other, and that reach each other's shared memory.
struct Cluster {
  uint64_t index = 0;          ///< in the grid
  std::vector<Block*> blocks;  ///< by rank; null once a block has ended
};

/// The most blocks that a device takes in a cluster, and without cudaFuncAttributeNonPortableClusterSizeAllowed.
constexpr uint32_t kMostClusterBlocks = 16, kMostPortableBlocks = 8;

constexpr uint32_t blocks_in(const Dim3& cluster) { return cluster.x * cluster.y * cluster.z; }

/// %cluster_ctarank of the block of that index.
constexpr uint32_t rank_in(const Dim3& cluster, const Dim3& index) {
  return index.x % cluster.x +
         cluster.x * (index.y % cluster.y + cluster.y * (index.z % cluster.z));
}

/// The linear index of a cluster's block of that rank.
uint64_t block_of_cluster(const Dim3& grid, const Dim3& cluster, uint64_t index, uint32_t rank);

/// A place in a cluster's shared memory: in the window of shared memory, that of other blocks lies behind a block's own.
struct ClusterPlace {
  int64_t rank = -1;  ///< negative: the block's own
  uint64_t offset = 0;
};
constexpr int kClusterShift = 27;
constexpr ClusterPlace cluster_place(uint64_t offset) {
  return {static_cast<int64_t>(offset >> kClusterShift) - 1,
          offset & ((uint64_t{1} << kClusterShift) - 1)};
}
/// The inverse; a rank that no cluster has stays one.
constexpr uint64_t cluster_offset(uint32_t rank, uint64_t offset) {
  const uint64_t kept = rank < kMostClusterBlocks ? rank : kMostClusterBlocks;
  return (kept + 1) << kClusterShift | offset;
}

/// Those of the lanes that reach the block's own shared memory, by generic addresses or offsets in the window.
uint32_t lanes_at_home(const Block& block, uint32_t lanes, const uint64_t* addresses);

/// Lets all of its threads go on that wait for the cluster, once each of them does; true where they go on.
bool release_cluster(Cluster& cluster);
/// Whether some of the block's threads wait for the cluster.
bool waits_for_cluster(const Block& block);
/// Whether none of its threads can go on.
bool is_stuck(const Cluster& cluster);
/// The block has ended: nothing reaches its shared memory any more.
void leave_cluster(Block& block);

}  // namespace warpgrade::emulator
