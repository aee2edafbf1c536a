// SPDX-License-Identifier: MIT
#include "emulator/memory/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace warpgrade::emulator {
namespace {

// The first allocation of a slice keeps this distance from its start, so that a small negative
// index from it still lies in the slice.
constexpr uint64_t kSliceHeadBytes = uint64_t{2} << 20;
constexpr uint64_t kPageBytes = 4096;
constexpr size_t kMaxFreedRecords = 4096;

// Larger blocks come straight from the kernel without a commitment of memory, so that a program may
// allocate most of an 80 GB device on a small host; small ones share pages.
constexpr size_t kOwnMappingBytes = size_t{1} << 20;

/// Variables start as zeros, which fresh mappings are; other memory starts as anything.
void poison(const Allocation& allocation) {
  const bool is_variable = allocation.kind == AllocationKind::symbol;
  if (is_variable && allocation.size >= kOwnMappingBytes) return;
  std::memset(allocation.host, is_variable ? 0 : 0xFF,
              std::min(allocation.size, DeviceMemory::kPoisonLimitBytes));
}

bool starts_after(uint64_t address, const Allocation& allocation) {
  return address < allocation.begin;
}

std::string quoted(const Allocation& allocation) {
  return fmt::format("the {}-byte allocation made by {}", allocation.size, allocation.origin);
}

std::string bytes(uint64_t count) { return counted(static_cast<long>(count), "byte"); }

std::string into(uint64_t offset, const Allocation& allocation) {
  return offset == 0 ? "at the start of " + quoted(allocation)
                     : fmt::format("{} into {}", bytes(offset), quoted(allocation));
}

uint8_t* obtain_backing(size_t bytes) {
  if (bytes < kOwnMappingBytes) {
    return static_cast<uint8_t*>(
        std::aligned_alloc(DeviceMemory::kAlignment, round_up(bytes, DeviceMemory::kAlignment)));
  }
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block == MAP_FAILED ? nullptr : static_cast<uint8_t*>(block);
}

void release_backing(uint8_t* block, size_t bytes) {
  if (bytes < kOwnMappingBytes) {
    std::free(block);
  } else {
    ::munmap(block, bytes);
  }
}

void release(const Allocation& allocation) {
  release_shadow(allocation.shadow);
  if (allocation.kind != AllocationKind::host_mapped) {
    release_backing(allocation.host, allocation.size);
  } else if (allocation.begin - kHostMappedBase < kHostMappedBytes) {
    ::munmap(allocation.host, allocation.size);
  }  // else: registered memory, which is the program's own
}

}  // namespace

DeviceMemory::DeviceMemory(std::vector<size_t> device_bytes) {
  for (const size_t total_bytes : device_bytes) {
    const uint64_t begin = kDeviceBase + devices_.size() * kDeviceSliceBytes;
    devices_.push_back({begin, begin + kDeviceSliceBytes, begin + kSliceHeadBytes, total_bytes, 0});
  }
  host_ = {kHostMappedBase, kHostMappedBase + kHostMappedBytes, kHostMappedBase + kSliceHeadBytes,
           kHostMappedBytes, 0};
  // Keeps every device address invalid on the host. Where the process may not reserve that much
  // (RLIMIT_AS) the addresses are merely unlikely to be mapped by anything else.
  ::mmap(reinterpret_cast<void*>(kDeviceBase), devices_.size() * kDeviceSliceBytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

DeviceMemory::~DeviceMemory() {
  for (const Allocation& allocation : live_) release(allocation);
  ::munmap(reinterpret_cast<void*>(kDeviceBase), devices_.size() * kDeviceSliceBytes);
}

Result<Allocation> DeviceMemory::allocate(int device, size_t bytes, std::string origin,
                                          AllocationKind kind) {
  Allocation allocation;
  allocation.size = bytes;
  allocation.device = device;
  allocation.kind = kind;
  allocation.origin = std::move(origin);
  return place(std::move(allocation), kAlignment);
}

Result<Allocation> DeviceMemory::allocate_pitched(int device, size_t width_bytes, size_t height,
                                                  size_t depth, std::string origin) {
  Allocation allocation;
  allocation.device = device;
  allocation.kind = AllocationKind::pitched;
  allocation.width_bytes = width_bytes;
  allocation.height = height;
  allocation.depth = depth;
  allocation.origin = std::move(origin);
  size_t rows = 0;
  if (width_bytes > kDeviceSliceBytes || __builtin_mul_overflow(height, depth, &rows)) {
    return Error{"more memory was asked for than a device can hold"};
  }
  allocation.pitch = round_up(width_bytes, kPitchAlignment);
  if (__builtin_mul_overflow(allocation.pitch, rows, &allocation.size)) {
    return Error{"more memory was asked for than a device can hold"};
  }
  return place(std::move(allocation), kPitchAlignment);
}

Status DeviceMemory::check_room(const Slice& slice, size_t bytes) {
  const size_t left = slice.total_bytes - slice.used_bytes;
  if (bytes <= left) return {};
  return Error{fmt::format("{} bytes were asked for, {} of the device's {} are free", bytes, left,
                           slice.total_bytes)};
}

Result<uint64_t> DeviceMemory::reserve(int device, size_t bytes) {
  const std::unique_lock lock(mutex_);
  return reserve_address(devices_[static_cast<size_t>(device)], bytes, kAlignment);
}

Result<Allocation> DeviceMemory::allocate_at(uint64_t begin, int device, size_t bytes,
                                             std::string origin) {
  const std::unique_lock lock(mutex_);
  Slice& slice = devices_[static_cast<size_t>(device)];
  const auto after = std::upper_bound(live_.begin(), live_.end(), begin, starts_after);
  const bool overlaps_next = after != live_.end() && after->begin < begin + bytes;
  if (overlaps_next || find(begin) != nullptr) return Error{"the addresses hold memory already"};
  if (Status room = check_room(slice, bytes); !room) return room.error();
  Allocation allocation;
  allocation.begin = begin;
  allocation.size = bytes;
  allocation.device = device;
  allocation.origin = std::move(origin);
  return back(slice, std::move(allocation));
}

Result<Allocation> DeviceMemory::place(Allocation allocation, size_t alignment) {
  const std::unique_lock lock(mutex_);
  Slice& slice = devices_[static_cast<size_t>(allocation.device)];
  if (Status room = check_room(slice, allocation.size); !room) return room.error();
  Result<uint64_t> begin = reserve_address(slice, allocation.size, alignment);
  if (!begin) return begin.error();
  allocation.begin = *begin;
  return back(slice, std::move(allocation));
}

Result<Allocation> DeviceMemory::back(Slice& slice, Allocation allocation) {
  allocation.host = obtain_backing(allocation.size);
  if (allocation.host == nullptr) {
    return Error{
        fmt::format("the host has no {} bytes for emulated device memory", allocation.size)};
  }
  slice.used_bytes += allocation.size;
  allocation.id = next_id_++;
  poison(allocation);
  insert(allocation);
  return allocation;
}

Result<Allocation> DeviceMemory::allocate_host(size_t bytes, std::string origin) {
  const std::unique_lock lock(mutex_);
  Result<uint64_t> begin = reserve_address(host_, bytes, kPageBytes);
  if (!begin) return begin.error();
  void* host =
      ::mmap(reinterpret_cast<void*>(*begin), round_up(bytes, kPageBytes), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (host == MAP_FAILED) return Error{fmt::format("the host has no {} bytes left", bytes)};
  Allocation allocation;
  allocation.begin = *begin;
  allocation.size = bytes;
  allocation.host = static_cast<uint8_t*>(host);
  allocation.kind = AllocationKind::host_mapped;
  allocation.id = next_id_++;
  allocation.origin = std::move(origin);
  poison(allocation);
  insert(allocation);
  return allocation;
}

Status DeviceMemory::register_host(void* host, size_t bytes, std::string origin) {
  const std::unique_lock lock(mutex_);
  const auto begin = reinterpret_cast<uint64_t>(host);
  const auto after = std::upper_bound(live_.begin(), live_.end(), begin, starts_after);
  const bool overlaps_next = after != live_.end() && after->begin < begin + bytes;
  const bool overlaps_previous = after != live_.begin() && std::prev(after)->end() > begin;
  if (overlaps_next || overlaps_previous) return Error{"the range is registered already"};
  Allocation allocation;
  allocation.begin = begin;
  allocation.size = bytes;
  allocation.host = static_cast<uint8_t*>(host);
  allocation.kind = AllocationKind::host_mapped;
  allocation.id = next_id_++;
  allocation.origin = std::move(origin);
  insert(std::move(allocation));
  return {};
}

Status DeviceMemory::free(uint64_t begin, const std::string& how) {
  const std::unique_lock lock(mutex_);
  const Allocation* allocation = find(begin);
  if (allocation == nullptr) return Error{describe(begin)};
  if (allocation->begin != begin) {
    return Error{into(begin - allocation->begin, *allocation)};
  }
  forget(allocation, how);
  return {};
}

void DeviceMemory::free_all(int device, const std::string& how) {
  const std::unique_lock lock(mutex_);
  for (size_t i = live_.size(); i-- > 0;) {
    if (live_[i].device == device) forget(&live_[i], how);
  }
}

void DeviceMemory::forget(const Allocation* allocation, const std::string& how) {
  release(*allocation);
  if (allocation->device != kHostDevice) {
    devices_[static_cast<size_t>(allocation->device)].used_bytes -= allocation->size;
  }
  freed_.push_back(*allocation);
  freed_.back().host = nullptr;
  freed_.back().freed_by = how;
  freed_.back().shadow = {};
  if (freed_.size() > kMaxFreedRecords) freed_.pop_front();
  live_.erase(live_.begin() + (allocation - live_.data()));
}

/// Fresh addresses first; once they are used up, the lowest gap between live allocations.
Result<uint64_t> DeviceMemory::reserve_address(Slice& slice, size_t bytes, size_t alignment) {
  if (bytes > slice.limit - slice.begin)
    return Error{"more was asked for than there are addresses"};
  const uint64_t fresh = round_up(slice.next + kRedZoneBytes, alignment);
  if (fresh + bytes <= slice.limit) {
    slice.next = fresh + bytes;
    return fresh;
  }
  uint64_t candidate = slice.begin + kSliceHeadBytes;
  auto next = std::upper_bound(live_.begin(), live_.end(), slice.begin, starts_after);
  for (; next != live_.end() && next->begin < slice.limit; ++next) {
    if (candidate + bytes + kRedZoneBytes <= next->begin) break;
    candidate = round_up(next->end() + kRedZoneBytes, alignment);
  }
  if (candidate + bytes > slice.limit) return Error{"the device has no addresses left"};
  const auto reused = [&](const Allocation& old) {
    return old.begin < candidate + bytes && candidate < old.end();
  };
  freed_.erase(std::remove_if(freed_.begin(), freed_.end(), reused), freed_.end());
  return candidate;
}

void DeviceMemory::insert(Allocation allocation) {
  if (watches_) {
    allocation.shadow = make_shadow(allocation.begin, allocation.size);
    // The host can write mapped memory unseen; variables start as zeros.
    allocation.shadow.initialised =
        allocation.kind == AllocationKind::host_mapped || allocation.kind == AllocationKind::symbol;
  }
  const auto place = std::upper_bound(live_.begin(), live_.end(), allocation.begin, starts_after);
  live_.insert(place, std::move(allocation));
}

void DeviceMemory::note_written(uint64_t address, size_t bytes) {
  const std::unique_lock lock(mutex_);
  Allocation* const allocation = find_live(address);
  if (allocation == nullptr || allocation->shadow.cells == nullptr || bytes == 0 ||
      allocation->shadow.initialised || !allocation->contains(address, bytes))
    return;
  if (bytes == allocation->size) {
    allocation->shadow.initialised = true;
    return;
  }
  Cell* cell = allocation->cell(address);
  for (uint64_t word = address & ~uint64_t{3}; word < address + bytes; word += 4, ++cell)
    *cell |= bytes_of_word(word, address, address + bytes);
}

void DeviceMemory::note_copied(uint64_t to, uint64_t from, size_t bytes) {
  const Allocation *target = find(to), *source = find(from);
  const bool unknown = source != nullptr && source->shadow.cells != nullptr &&
                       !source->shadow.initialised && source->contains(from, bytes);
  if (!unknown || target == nullptr) return note_written(to, bytes);
  const std::unique_lock lock(mutex_);
  if (target->shadow.cells == nullptr || target->shadow.initialised || !target->contains(to, bytes))
    return;
  for (size_t done = 0; done < bytes; ++done) {
    const bool written = (*source->cell(from + done) >> ((from + done) & 3) & 1) != 0;
    const Cell bit = Cell{1} << ((to + done) & 3);
    Cell& cell = *target->cell(to + done);
    cell = written ? cell | bit : cell & ~bit;
  }
}

void DeviceMemory::note_fresh(uint64_t address, size_t bytes) const {
  const Allocation* const allocation = find(address);
  if (allocation == nullptr || allocation->shadow.cells == nullptr || bytes == 0) return;
  std::fill(allocation->cell(address), allocation->cell(address + bytes - 1) + 1, Cell{0});
}

uint64_t DeviceMemory::next_generation() {
  if (++generation_ < kGenerations) return generation_;
  const std::unique_lock lock(mutex_);
  for (const Allocation& allocation : live_) {
    if (allocation.shadow.cells == nullptr) continue;
    if (allocation.shadow.constant_in != nullptr)
      std::fill_n(allocation.shadow.constant_in, allocation.shadow.count, uint16_t{0});
    // Reading leaves untouched pages unmade.
    for (Cell* cell = allocation.shadow.cells;
         cell != allocation.shadow.cells + allocation.shadow.count; ++cell) {
      if (*cell > kWrittenBits) *cell &= kWrittenBits;
    }
  }
  return generation_ = 1;
}

const Allocation* DeviceMemory::find(uint64_t address) const {
  const auto after = std::upper_bound(live_.begin(), live_.end(), address, starts_after);
  if (after == live_.begin()) return nullptr;
  const Allocation& candidate = *std::prev(after);
  return candidate.contains(address) ? &candidate : nullptr;
}

uint8_t* DeviceMemory::host_address(uint64_t address, size_t bytes) const {
  const Allocation* allocation = find(address);
  const bool inside = allocation != nullptr && allocation->contains(address, bytes);
  return inside ? allocation->at(address) : nullptr;
}

const Allocation* DeviceMemory::find_freed(uint64_t address) const {
  const auto holds = [&](const Allocation& old) { return old.contains(address); };
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), holds);
  return found == freed_.rend() ? nullptr : &*found;
}

/// The allocation whose nearer edge is nearest to an address that none holds; null where there is
/// none in the same slice.
const Allocation* DeviceMemory::neighbour(uint64_t address) const {
  const auto after = std::upper_bound(live_.begin(), live_.end(), address, starts_after);
  const auto reachable = [&](const Allocation& allocation) {
    return address / kDeviceSliceBytes == allocation.begin / kDeviceSliceBytes;
  };
  const Allocation* above = after != live_.end() && reachable(*after) ? &*after : nullptr;
  const Allocation* below =
      after != live_.begin() && reachable(*std::prev(after)) ? &*std::prev(after) : nullptr;
  if (above == nullptr || below == nullptr) return above == nullptr ? below : above;
  return address - below->end() <= above->begin - address ? below : above;
}

std::string DeviceMemory::describe(uint64_t address) const {
  if (address == 0) return "at the null pointer";
  if (const Allocation* old = find_freed(address)) {
    return into(address - old->begin, *old) + ", which was freed" +
           (old->freed_by.empty() ? "" : " by " + old->freed_by);
  }
  if (const Allocation* near = neighbour(address)) {
    if (address < near->begin) {
      return fmt::format("{} before {}", bytes(near->begin - address), quoted(*near));
    }
    return address == near->end()
               ? fmt::format("right past the end of {}", quoted(*near))
               : fmt::format("{} past the end of {}", bytes(address - near->end()), quoted(*near));
  }
  return is_device_address(address) ? "in device memory that was never allocated"
                                    : "not in device memory; is it a pointer of the host's?";
}

}  // namespace warpgrade::emulator
