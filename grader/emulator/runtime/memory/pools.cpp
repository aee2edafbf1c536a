// SPDX-License-Identifier: MIT
#include "emulator/runtime/memory/pools.h"

#include <algorithm>

namespace warpgrade::emulator {

cudaMemPool_t Pools::create(int device) {
  auto pool = std::make_unique<CUmemPoolHandle_st>();
  pool->device = device;
  const cudaMemPool_t handle = pool.get();
  pools_.emplace(handle, std::move(pool));
  return handle;
}

cudaMemPool_t Pools::default_of(int device) {
  cudaMemPool_t& pool = defaults_[device];
  if (pool == nullptr) {
    pool = create(device);
    pool->is_default = true;
  }
  return pool;
}

cudaMemPool_t Pools::current_of(int device) {
  const auto set = current_.find(device);
  return set != current_.end() ? set->second : default_of(device);
}

CUmemPoolHandle_st* Pools::find(cudaMemPool_t handle) const {
  const auto found = pools_.find(handle);
  return found == pools_.end() ? nullptr : found->second.get();
}

bool Pools::destroy(cudaMemPool_t handle) {
  const CUmemPoolHandle_st* pool = find(handle);
  if (pool == nullptr || pool->is_default) return false;
  for (auto it = current_.begin(); it != current_.end();) {
    it = it->second == handle ? current_.erase(it) : std::next(it);
  }
  for (auto it = taken_.begin(); it != taken_.end();) {
    it = it->second.pool == handle ? taken_.erase(it) : std::next(it);
  }
  return pools_.erase(handle) != 0;
}

void Pools::took(CUmemPoolHandle_st& pool, uint64_t address, size_t bytes) {
  taken_[address] = {&pool, bytes};
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

void Pools::gave_back(uint64_t address) {
  for (auto& [device, memory] : graphs_) memory.gave_back(address);
  const auto found = taken_.find(address);
  if (found == taken_.end()) return;
  CUmemPoolHandle_st& pool = *found->second.pool;
  pool.used -= found->second.bytes;
  pool.trim(pool.settings[cudaMemPoolAttrReleaseThreshold]);
  taken_.erase(found);
}

}  // namespace warpgrade::emulator
