// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace warpgrade::emulator {

/// The device memory that graphs hold: what cudaDeviceGetGraphMemAttribute says.
///
/// As on an H200 (driver 580): the first launch, or upload, of a graph maps as much memory as its
/// allocations need at one time, in units of 32 MiB. The memory stays mapped for later launches, of
/// other graphs too, except what allocations hold that outlive their launch; cudaDeviceGraphMemTrim
/// unmaps what none of them holds. Memory that is mapped counts as used and as reserved.
class GraphMemory {
 public:
  static constexpr size_t kUnitBytes = size_t{32} << 20;

  /// Maps memory for a launch of graph `graph`, whose allocations need that much at one time.
  void map_for(uint64_t graph, size_t bytes);
  /// A launch of the graph has made an allocation, and something has freed one.
  void took(uint64_t graph, uint64_t address) { owners_[address] = graph; }
  void gave_back(uint64_t address) { owners_.erase(address); }
  void trim() { mapped_ = held(kNoGraph); }

  size_t mapped() const { return mapped_; }
  size_t used_high() const { return used_high_; }
  size_t reserved_high() const { return reserved_high_; }
  void reset_used_high() { used_high_ = mapped_; }
  void reset_reserved_high() { reserved_high_ = mapped_; }

 private:
  static constexpr uint64_t kNoGraph = 0;

  /// What live allocations of graphs other than `graph` hold.
  size_t held(uint64_t graph) const;

  size_t mapped_ = 0, used_high_ = 0, reserved_high_ = 0;
  std::map<uint64_t, size_t> needs_;     ///< By graph, in whole units.
  std::map<uint64_t, uint64_t> owners_;  ///< The graph of each live allocation.
};

}  // namespace warpgrade::emulator
