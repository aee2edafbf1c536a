// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sentence.h"
#include "emulator/memory/address_space.h"
#include "emulator/memory/arena.h"
#include "emulator/memory/device_room.h"
#include "emulator/memory/host_pages.h"
#include "emulator/memory/origins.h"
#include "emulator/memory/shadow.h"

namespace warpgrade::emulator {

/// heap: what malloc in kernels cuts up.
enum class AllocationKind { linear, pitched, symbol, host_mapped, heap };

/// Memory of the host that devices reach: page-locked memory is limited, managed memory is not.
enum class HostMemory { page_locked, managed };

/// What became of memory that was to be registered: some of it may be so already, or be out of the program's own reach.
enum class Registering { done, known, no_access, no_room };

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
  /// Devices that may access this memory of a pool, whatever peer access is enabled.
  std::shared_ptr<const std::set<int>> pool_readers;
  size_t poisoned = 0;  ///< Bytes at its start that were filled when it was made.
  bool page_locked = false;
  unsigned host_flags = 0;  ///< What cudaHostAlloc or cudaHostRegister was given.

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

/// Notes what writes these bytes, which contains() holds for.
inline void note_writer(const Allocation& allocation, uint64_t address, size_t bytes,
                        OriginId writer) {
  if (allocation.shadow.origins != nullptr)
    std::memset(allocation.shadow.origins + (address - allocation.begin), writer, bytes);
}

/// All memory of one emulated machine, over all of its devices.
///
/// Device addresses are made up and the same in every run; the host cannot dereference them. New
/// memory is filled with 0xFF bytes; of allocations above kPoisonWholeBytes only the first
/// kPoisonHeadBytes, and no more than kPoisonTotalBytes of what is live, so that most pages stay
/// unused until touched; the rest is zeros. Neighbours are at least kRedZoneBytes apart, and a freed
/// address comes back only when the device's 1 TiB slice is used up.
///
/// A device's own memory is the limit of what it holds (DeviceRoom); pages of the host are taken
/// when they are touched (Arena).
///
/// Changes lock the list; the const functions do not: hold freeze() while using them or the
/// pointers they return, as a launch does for its whole length.
class DeviceMemory {
 public:
  static constexpr size_t kAlignment = 512;  ///< Fit for textures, as cudaMalloc promises.
  static constexpr size_t kPitchAlignment = 512;
  static constexpr size_t kRedZoneBytes = 256;
  static constexpr size_t kPoisonWholeBytes = size_t{256} << 20;
  static constexpr size_t kPoisonHeadBytes = size_t{16} << 20;
  static constexpr size_t kPoisonTotalBytes = size_t{512} << 20;
  static constexpr size_t kHostMemoryBytes = size_t{64} << 30;  ///< That can be page-locked.

  /// One device per element, with that many bytes of memory.
  explicit DeviceMemory(std::vector<size_t> device_bytes,
                        std::unique_ptr<HostPages> pages = pages_of_this_process());
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// `handler` hears, before a call returns its Error, that this machine has no room for memory
  /// that the emulated device has.
  void when_host_fails(std::function<void(const std::string&)> handler) {
    host_failed_ = std::move(handler);
  }

  /// An Error where the device's memory is used up. `bytes` must not be 0.
  Result<Allocation> allocate(int device, size_t bytes, std::string origin,
                              AllocationKind kind = AllocationKind::linear);
  Result<Allocation> allocate_pitched(int device, size_t width_bytes, size_t height, size_t depth,
                                      std::string origin);
  /// Addresses for later use: they hold nothing until allocate_at() gives them memory.
  Result<uint64_t> reserve(int device, size_t bytes);
  /// `begin` and `bytes` as reserve() was asked; an Error also where they hold memory already.
  Result<Allocation> allocate_at(uint64_t begin, int device, size_t bytes, std::string origin);
  /// Memory that host and devices reach under the same address.
  Result<Allocation> allocate_host(size_t bytes, std::string origin,
                                   HostMemory kind = HostMemory::page_locked,
                                   unsigned host_flags = 0);
  /// Makes the program's own host memory reachable; free() forgets it without freeing it.
  Registering register_host(uint64_t begin, size_t bytes, std::string origin,
                            unsigned host_flags = 0);

  /// Lets those devices access the allocation that begins there, whatever peer access is enabled.
  void share(uint64_t begin, std::shared_ptr<const std::set<int>> readers);

  /// `begin` must be the start of a live allocation; the Error says what it is instead.
  /// `how` goes on from "was freed by".
  Status free(uint64_t begin, const std::string& how = "");
  /// Frees everything that lies on one device.
  void free_all(int device, const std::string& how = "");

  /// The allocation that begins there has its bytes at `host` from now on. Nothing may use it meanwhile.
  void redirect(uint64_t begin, uint8_t* host) { find_live(begin)->host = host; }

  std::shared_lock<std::shared_mutex> freeze() const { return std::shared_lock(mutex_); }

  /// Gives a shadow to what is allocated from now on.
  void watch();
  /// The program, not a kernel, has written these bytes; those outside allocations do not matter.
  void note_written(uint64_t address, size_t bytes);
  /// Bytes were copied together with whether they had ever been written. What lies outside
  /// allocations counts as written.
  void note_copied(uint64_t to, uint64_t from, size_t bytes);
  /// A fill has written these bytes of one allocation.
  void note_filled(uint64_t address, size_t bytes);
  /// Nothing is known of these bytes any more, and nothing has written them. For memory that
  /// kernels allocate; all bytes lie in one allocation.
  void note_fresh(uint64_t address, size_t bytes) const;
  /// The numbers by which Shadow::origins tells writers apart.
  Origins& origins() { return origins_; }
  const Origins& origins() const { return origins_; }
  /// Appends what last wrote each of these bytes. What lies outside of watched device memory is the
  /// host's.
  void add_origins(uint64_t address, size_t bytes, OriginRuns& runs) const;
  /// A number for the next launch, from 1 to kGenerations - 1; cells keep those of earlier
  /// launches, and are cleared when the numbers start again. Hold no freeze().
  uint64_t next_generation();
  static constexpr uint64_t kGenerations = 1024;

  /// The live allocation that holds the byte, or null.
  const Allocation* find(uint64_t address) const;
  /// Host address of `bytes` bytes, or null where they do not all lie in one live allocation.
  uint8_t* host_address(uint64_t address, size_t bytes) const;
  /// Where an address is: "4 bytes past the end of the 4000-byte allocation made by cudaMalloc". Far from all allocations
  /// that a program names it is beside the one that is `meant`, where that is known.
  Sentence describe(uint64_t address, const Allocation* meant = nullptr) const;

  size_t total_bytes(int device) const { return slice_of(device).room.total_bytes(); }
  size_t free_bytes(int device) const { return slice_of(device).room.free_bytes(); }
  /// Sorted by address.
  const std::vector<Allocation>& allocations() const { return live_; }

 private:
  struct Slice {
    uint64_t begin = 0;
    uint64_t limit = 0;
    uint64_t next = 0;  ///< Everything from here to `limit` was never given out.
    DeviceRoom room;
    Arena memory;
    std::optional<Arena> shadow{}, origins{};  ///< Where DeviceMemory::watch().
  };

  Slice& slice_of(int device) { return devices_[static_cast<size_t>(device)]; }
  const Slice& slice_of(int device) const { return devices_[static_cast<size_t>(device)]; }
  Result<Allocation> place(Allocation allocation, size_t alignment);
  static Status check_room(const Slice& slice, size_t bytes);
  Error host_failure(size_t bytes) const;
  void poison(Allocation& allocation);
  Shadow make_shadow(const Allocation& allocation) const;
  void note_origin(uint64_t address, size_t bytes, OriginId origin);
  void copy_origins(uint64_t to, uint64_t from, size_t bytes);
  /// `allocation` is one of live_.
  void release(const Allocation& allocation);
  const Slice* slice_holding(const Allocation& allocation) const;
  Result<Allocation> back(Slice& slice, Allocation allocation);
  Result<uint64_t> reserve_address(Slice& slice, size_t bytes, size_t alignment);
  void insert(Allocation allocation);
  void forget(const Allocation* allocation, const std::string& how);
  Result<uint8_t*> adopt(uint64_t begin, size_t bytes);
  void part_with_pages(uint64_t begin, uint64_t end);
  Allocation* find_live(uint64_t address) { return const_cast<Allocation*>(find(address)); }
  const Allocation* find_freed(uint64_t address) const;
  const Allocation* neighbour(uint64_t address) const;

  mutable std::shared_mutex mutex_;
  std::vector<Slice> devices_;
  Slice host_;
  Arena registered_{0};  ///< Shadows of the program's own memory.
  struct AdoptedPages {
    size_t bytes;
    uint8_t* host;
  };
  const std::unique_ptr<HostPages> pages_;
  std::map<uint64_t, AdoptedPages> adopted_;  ///< By the first byte of registered memory's pages.
  std::vector<Allocation> live_;
  std::deque<Allocation> freed_;
  uint64_t next_id_ = 1;
  uint64_t generation_ = 0;
  bool watches_ = false;
  Origins origins_;
  size_t poisoned_bytes_ = 0;
  std::function<void(const std::string&)> host_failed_;
};

}  // namespace warpgrade::emulator
