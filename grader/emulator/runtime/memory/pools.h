// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <set>

#include "emulator/runtime/graph/graph_memory.h"
#include "emulator/runtime/toolkit.h"

/// What the toolkit's opaque cudaMemPool_t points to. Memory comes straight from the device and goes
/// back at once; the pool counts.
struct CUmemPoolHandle_st {
  int device = 0;
  /// The other devices that may access its memory.
  std::shared_ptr<std::set<int>> readers = std::make_shared<std::set<int>>();
  bool is_default = false;
  size_t used = 0, used_high = 0;
  std::map<cudaMemPoolAttr, uint64_t> settings;
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
