// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/memory/address_space.h"
#include "emulator/memory/shadow.h"

namespace warpgrade::emulator {

/// heap: what malloc in kernels cuts up.
enum class AllocationKind { linear, pitched, symbol, host_mapped, heap };

constexpr int kHostDevice = -1;  ///< Allocation::device of memory that belongs to no device.

/// One live (or, in messages, once live) piece of memory that kernels may reach.
struct Allocation {
  uint64_t begin = 0;
  size_t size = 0;          ///< Bytes that may be accessed; row padding of pitched memory included.
  uint8_t* host = nullptr;  ///< Where the byte at `begin` really lies.
  int device = kHostDevice;
  AllocationKind kind = AllocationKind::linear;
  size_t pitch = 0;        ///< Pitched memory only, like the three below: bytes from row to row,
  size_t width_bytes = 0;  ///< bytes of a row that were asked for,
  size_t height = 0;       ///< rows of a slice,
  size_t depth = 0;        ///< slices.
  uint64_t id = 0;         ///< 1, 2, 3... in order of allocation.
  std::string origin;      ///< The call or variable that made it: "cudaMalloc", "variable table".
  std::string freed_by;    ///< "cudaFree after launch 3"; empty while live, or where unknown.
  Shadow shadow;           ///< What checkers know of it; empty unless DeviceMemory::watch().

  uint64_t end() const { return begin + size; }
  bool contains(uint64_t address) const { return address - begin < size; }
  bool contains(uint64_t address, size_t bytes) const {
    return address >= begin && bytes <= size && address - begin <= size - bytes;
  }
  /// Host address of a byte that contains() holds for.
  uint8_t* at(uint64_t address) const { return host + (address - begin); }
  /// The cell of the word that holds a byte that contains() holds for, where there is a shadow.
  Cell* cell(uint64_t address) const { return shadow.cells + (address / 4 - begin / 4); }
  /// True for a byte between the end of a row and the start of the next.
  bool is_padding(uint64_t address) const {
    return pitch != 0 && (address - begin) % pitch >= width_bytes;
  }
};

/// All memory of one emulated machine, over all of its devices.
///
/// Device addresses are made up and the same in every run; the host cannot dereference them. New
/// memory is filled with 0xFF bytes (only the first kPoisonLimitBytes of larger allocations, so
/// that their pages stay unused until touched). Neighbours are at least kRedZoneBytes apart, and a
/// freed address comes back only when the device's 1 TiB slice is used up.
///
/// Changes lock the list; the const functions do not: hold freeze() while using them or the
/// pointers they return, as a launch does for its whole length.
class DeviceMemory {
 public:
  static constexpr size_t kAlignment = 256;
  static constexpr size_t kPitchAlignment = 512;
  static constexpr size_t kRedZoneBytes = 256;
  static constexpr size_t kPoisonLimitBytes = size_t{256} << 20;

  /// One device per element, with that many bytes of memory.
  explicit DeviceMemory(std::vector<size_t> device_bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// An Error where the device's memory is used up. `bytes` must not be 0.
  Result<Allocation> allocate(int device, size_t bytes, std::string origin,
                              AllocationKind kind = AllocationKind::linear);
  Result<Allocation> allocate_pitched(int device, size_t width_bytes, size_t height, size_t depth,
                                      std::string origin);
  /// Addresses for later use: they hold nothing until allocate_at() gives them memory.
  Result<uint64_t> reserve(int device, size_t bytes);
  /// `begin` and `bytes` as reserve() was asked; an Error also where they hold memory already.
  Result<Allocation> allocate_at(uint64_t begin, int device, size_t bytes, std::string origin);
  /// Memory that host and devices reach under the same address (page-locked, managed).
  Result<Allocation> allocate_host(size_t bytes, std::string origin);
  /// Makes the program's own host memory reachable; free() forgets it without freeing it.
  Status register_host(void* host, size_t bytes, std::string origin);

  /// `begin` must be the start of a live allocation; the Error says what it is instead.
  /// `how` goes on from "was freed by".
  Status free(uint64_t begin, const std::string& how = "");
  /// Frees everything that lies on one device.
  void free_all(int device, const std::string& how = "");

  std::shared_lock<std::shared_mutex> freeze() const { return std::shared_lock(mutex_); }

  /// Gives a shadow to what is allocated from now on.
  void watch() { watches_ = true; }
  /// The program, not a kernel, has written these bytes; those outside allocations do not matter.
  void note_written(uint64_t address, size_t bytes);
  /// Bytes were copied together with whether they had ever been written. What lies outside
  /// allocations counts as written.
  void note_copied(uint64_t to, uint64_t from, size_t bytes);
  /// Nothing is known of these bytes any more, and nothing has written them. For memory that
  /// kernels allocate; all bytes lie in one allocation.
  void note_fresh(uint64_t address, size_t bytes) const;
  /// A number for the next launch, from 1 to kGenerations - 1; cells keep those of earlier
  /// launches, and are cleared when the numbers start again. Hold no freeze().
  uint64_t next_generation();
  static constexpr uint64_t kGenerations = 1024;

  /// The live allocation that holds the byte, or null.
  const Allocation* find(uint64_t address) const;
  /// Host address of `bytes` bytes, or null where they do not all lie in one live allocation.
  uint8_t* host_address(uint64_t address, size_t bytes) const;
  /// Where an address is that no allocation holds, in words: "4 bytes past the end of the 4000-byte
  /// allocation made by cudaMalloc".
  std::string describe(uint64_t address) const;

  size_t total_bytes(int device) const { return devices_[device].total_bytes; }
  size_t free_bytes(int device) const {
    return devices_[device].total_bytes - devices_[device].used_bytes;
  }
  /// Sorted by address.
  const std::vector<Allocation>& allocations() const { return live_; }

 private:
  struct Slice {
    uint64_t begin = 0;
    uint64_t limit = 0;
    uint64_t next = 0;  ///< Everything from here to `limit` was never given out.
    size_t total_bytes = 0;
    size_t used_bytes = 0;
  };

  Result<Allocation> place(Allocation allocation, size_t alignment);
  static Status check_room(const Slice& slice, size_t bytes);
  Result<Allocation> back(Slice& slice, Allocation allocation);
  Result<uint64_t> reserve_address(Slice& slice, size_t bytes, size_t alignment);
  void insert(Allocation allocation);
  void forget(const Allocation* allocation, const std::string& how);
  Allocation* find_live(uint64_t address) { return const_cast<Allocation*>(find(address)); }
  const Allocation* find_freed(uint64_t address) const;
  const Allocation* neighbour(uint64_t address) const;

  mutable std::shared_mutex mutex_;
  std::vector<Slice> devices_;
  Slice host_;
  std::vector<Allocation> live_;
  std::deque<Allocation> freed_;
  uint64_t next_id_ = 1;
  uint64_t generation_ = 0;
  bool watches_ = false;
};

}  // namespace warpgrade::emulator
