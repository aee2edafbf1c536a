// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "emulator/runtime/graph/graph_memory.h"
#include "emulator/runtime/toolkit.h"

/// What the toolkit's opaque cudaMemPool_t points to. Memory comes straight from the device and goes
/// back at once; the pool counts, also what one would keep that is below its release threshold.
struct CUmemPoolHandle_st {
  int device = 0;
  /// The other devices that may access its memory.
  std::shared_ptr<std::set<int>> readers = std::make_shared<std::set<int>>();
  bool is_default = false;
  size_t used = 0, used_high = 0;
  size_t reserved = 0, reserved_high = 0;  ///< What it would hold of the device's memory.
  std::map<cudaMemPoolAttr, uint64_t> settings;

  /// Gives back what it holds beyond `kept` bytes and does not use.
  void trim(size_t kept) { reserved = std::max(used, std::min(reserved, kept)); }
};

namespace warpgrade::emulator {

/// The memory pools of a machine and what was taken from them.
class Pools {
 public:
  cudaMemPool_t create(int device);
  cudaMemPool_t default_of(int device);
  /// What cudaMallocAsync takes from.
  cudaMemPool_t current_of(int device);
  GraphMemory& graphs_of(int device) { return graphs_[device]; }
  void make_current(int device, cudaMemPool_t pool) { current_[device] = pool; }
  /// Null for a handle that is none.
  CUmemPoolHandle_st* find(cudaMemPool_t handle) const;
  /// False for a default pool, and for what is none.
  bool destroy(cudaMemPool_t handle);

  void took(CUmemPoolHandle_st& pool, uint64_t address, size_t bytes);
  /// Nothing happens where the memory came from no pool and no graph.
  void gave_back(uint64_t address);

 private:
  struct Taken {
    cudaMemPool_t pool;
    size_t bytes;
  };
  std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> pools_;
  std::map<int, cudaMemPool_t> defaults_, current_;
  std::map<int, GraphMemory> graphs_;
  std::map<uint64_t, Taken> taken_;
};

}  // namespace warpgrade::emulator
