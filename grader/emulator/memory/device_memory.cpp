// SPDX-License-Identifier: MIT
#include "emulator/memory/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

// The first allocation of a slice keeps this distance from its start, so that a small negative
// index from it still lies in the slice.
constexpr uint64_t kSliceHeadBytes = uint64_t{2} << 20;
constexpr uint64_t kPageBytes = 4096;
constexpr size_t kMaxFreedRecords = 4096;
constexpr size_t kMostRegisteredBytes = size_t{1} << 30;  // for which the machine must have room

bool starts_after(uint64_t address, const Allocation& allocation) {
  return address < allocation.begin;
}

Sentence quoted(const Allocation& allocation) {
  return say("allocation.made", {{"bytes", allocation.size}, {"origin", allocation.origin}});
}

Sentence into(uint64_t offset, const Allocation& allocation) {
  return offset == 0 ? say("where.start", {{"allocation", quoted(allocation)}})
                     : say("where.into", {{"bytes", offset}, {"allocation", quoted(allocation)}});
}

/// So far from an allocation, an address has no more to do with it than with any other.
constexpr uint64_t kFarBytes = uint64_t{1} << 20;

/// A variable that no program names: a string, for example.
bool is_compilers(const Allocation& allocation) {
  const std::string_view origin = allocation.origin;
  return origin.starts_with("the variable $") || origin.starts_with("the variable __unnamed");
}

/// Offsets of an allocation's cells, and of those that no neighbour of it has, in an arena.
struct CellRange {
  uint64_t begin, low, high;
};

CellRange cells_of(const Allocation& allocation, uint64_t origin, uint64_t low, uint64_t high) {
  const auto offset = [&](uint64_t address) { return (address / 4 - origin / 4) * sizeof(Cell); };
  return {offset(allocation.begin), offset(low + 3), offset(high)};
}

}  // namespace

DeviceMemory::DeviceMemory(std::vector<size_t> device_bytes, std::unique_ptr<HostPages> pages)
    : host_{kHostMappedBase, kHostMappedBase + kHostMappedBytes, kHostMappedBase + kSliceHeadBytes,
            DeviceRoom(kHostMemoryBytes), Arena(0)},
      pages_(std::move(pages)) {
  for (const size_t total_bytes : device_bytes) {
    const uint64_t begin = kDeviceBase + devices_.size() * kDeviceSliceBytes;
    devices_.push_back({begin, begin + kDeviceSliceBytes, begin + kSliceHeadBytes,
                        DeviceRoom(total_bytes), Arena(kDeviceSliceBytes)});
  }
  // Keeps every device address invalid on the host. Where the process may not reserve that much
  // (RLIMIT_AS) the addresses are merely unlikely to be mapped by anything else.
  ::mmap(reinterpret_cast<void*>(kDeviceBase), devices_.size() * kDeviceSliceBytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

DeviceMemory::~DeviceMemory() {
  for (const Allocation& allocation : live_) release(allocation);
  ::munmap(reinterpret_cast<void*>(kDeviceBase), devices_.size() * kDeviceSliceBytes);
}

void DeviceMemory::watch() {
  watches_ = true;
  constexpr size_t kCellBytes = kDeviceSliceBytes / 4 * sizeof(Cell);
  static_assert(kHostMappedBytes == kDeviceSliceBytes);
  host_.shadow.emplace(kCellBytes);
  for (Slice& slice : devices_) {
    slice.shadow.emplace(kCellBytes);
    slice.origins.emplace(kDeviceSliceBytes);
  }
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
  if (slice.room.has_room_for(bytes)) return {};
  return Error{fmt::format("{} bytes were asked for, {} of the device's {} are free", bytes,
                           slice.room.free_bytes(), slice.room.total_bytes())};
}

Error DeviceMemory::host_failure(size_t bytes) const {
  Error error{fmt::format("this machine has no room for {} bytes of an emulated device", bytes)};
  if (host_failed_) host_failed_(error.message);
  return error;
}

/// Variables start as zeros, which untouched pages are; other memory starts as anything.
void DeviceMemory::poison(Allocation& allocation) {
  if (allocation.kind == AllocationKind::symbol) return;
  const size_t wanted = allocation.size <= kPoisonWholeBytes ? allocation.size : kPoisonHeadBytes;
  allocation.poisoned = std::min(wanted, kPoisonTotalBytes - poisoned_bytes_);
  poisoned_bytes_ += allocation.poisoned;
  std::memset(allocation.host, 0xFF, allocation.poisoned);
}

Result<uint64_t> DeviceMemory::reserve(int device, size_t bytes) {
  const std::unique_lock lock(mutex_);
  return reserve_address(slice_of(device), bytes, kAlignment);
}

Result<Allocation> DeviceMemory::allocate_at(uint64_t begin, int device, size_t bytes,
                                             std::string origin) {
  const std::unique_lock lock(mutex_);
  Slice& slice = slice_of(device);
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
  Slice& slice = slice_of(allocation.device);
  if (Status room = check_room(slice, allocation.size); !room) return room.error();
  Result<uint64_t> begin = reserve_address(slice, allocation.size, alignment);
  if (!begin) return begin.error();
  allocation.begin = *begin;
  return back(slice, std::move(allocation));
}

Result<Allocation> DeviceMemory::back(Slice& slice, Allocation allocation) {
  allocation.host = slice.memory.take(allocation.begin - slice.begin, allocation.size);
  if (allocation.host == nullptr) return host_failure(allocation.size);
  slice.room.take(allocation.size);
  allocation.id = next_id_++;
  poison(allocation);
  insert(allocation);
  return allocation;
}

Result<Allocation> DeviceMemory::allocate_host(size_t bytes, std::string origin, HostMemory kind,
                                               unsigned host_flags) {
  const std::unique_lock lock(mutex_);
  const bool locked = kind == HostMemory::page_locked;
  if (Status room = locked ? check_room(host_, bytes) : Status{}; !room) return room.error();
  Result<uint64_t> begin = reserve_address(host_, bytes, kPageBytes);
  if (!begin) return begin.error();
  uint8_t* const host = pages_->expose(*begin, round_up(bytes, kPageBytes));
  if (host == nullptr) return host_failure(bytes);
  Allocation allocation;
  allocation.begin = *begin;
  allocation.size = bytes;
  allocation.host = host;
  allocation.kind = AllocationKind::host_mapped;
  allocation.page_locked = locked;
  allocation.host_flags = host_flags;
  if (locked) host_.room.take(bytes);
  allocation.id = next_id_++;
  allocation.origin = std::move(origin);
  poison(allocation);
  insert(allocation);
  return allocation;
}

Registering DeviceMemory::register_host(uint64_t begin, size_t bytes, std::string origin,
                                        unsigned host_flags) {
  const std::unique_lock lock(mutex_);
  if (begin + bytes < begin) return Registering::no_access;
  const auto after = std::upper_bound(live_.begin(), live_.end(), begin, starts_after);
  const bool overlaps_next = after != live_.end() && after->begin < begin + bytes;
  const bool overlaps_previous = after != live_.begin() && std::prev(after)->end() > begin;
  if (overlaps_next || overlaps_previous) return Registering::known;
  const Result<uint8_t*> host = adopt(begin, bytes);
  if (!host) return Registering::no_access;
  if (*host == nullptr) {
    // So much may be more than any machine of the course has, as where a driver reserves more than it holds.
    if (bytes <= kMostRegisteredBytes) host_failure(bytes);
    return Registering::no_room;
  }
  Allocation allocation;
  allocation.begin = begin;
  allocation.size = bytes;
  allocation.host = *host;
  allocation.kind = AllocationKind::host_mapped;
  allocation.host_flags = host_flags;
  allocation.id = next_id_++;
  allocation.origin = std::move(origin);
  insert(std::move(allocation));
  return Registering::done;
}

// Registered ranges may lie on the same page, so pages that were adopted before move with their neighbours.
Result<uint8_t*> DeviceMemory::adopt(uint64_t begin, size_t bytes) {
  uint64_t first = begin / kPageBytes * kPageBytes, end = round_up(begin + bytes, kPageBytes);
  auto next = adopted_.upper_bound(first);
  if (next != adopted_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > first)
    --next;
  std::vector<std::pair<uint64_t, AdoptedPages>> before;
  for (; next != adopted_.end() && next->first < end; ++next) before.push_back(*next);
  if (before.size() == 1 && before[0].first <= first &&
      before[0].first + before[0].second.bytes >= end)
    return before[0].second.host + (begin - before[0].first);
  for (const auto& [old_first, old] : before) {
    first = std::min(first, old_first);
    end = std::max(end, old_first + old.bytes);
  }
  const Result<uint8_t*> adopted = pages_->adopt(first, end - first);
  if (!adopted || *adopted == nullptr) return adopted;
  uint8_t* const host = *adopted;
  for (const auto& [old_first, old] : before) {
    pages_->withdraw(old_first, old.host, old.bytes, false);
    adopted_.erase(old_first);
  }
  for (Allocation& allocation : live_) {
    if (allocation.begin >= first && allocation.begin < end)
      allocation.host = host + (allocation.begin - first);
  }
  adopted_[first] = {end - first, host};
  return host + (begin - first);
}

/// A registered range is gone: its pages are the program's alone, unless another range lies on them.
void DeviceMemory::part_with_pages(uint64_t begin, uint64_t end) {
  const auto after = adopted_.upper_bound(begin);
  if (after == adopted_.begin()) return;
  const auto [first, pages] = *std::prev(after);
  const uint64_t last = first + pages.bytes;
  for (const Allocation& other : live_) {
    const bool is_other = other.begin != begin || other.end() != end;
    if (is_other && other.begin < last && other.end() > first) return;
  }
  pages_->withdraw(first, pages.host, pages.bytes, false);
  adopted_.erase(first);
}

void DeviceMemory::share(uint64_t begin, std::shared_ptr<const std::set<int>> readers) {
  const std::unique_lock lock(mutex_);
  if (Allocation* const allocation = find_live(begin))
    allocation->pool_readers = std::move(readers);
}

Status DeviceMemory::free(uint64_t begin, const std::string& how) {
  const std::unique_lock lock(mutex_);
  const Allocation* allocation = find(begin);
  if (allocation == nullptr || allocation->begin != begin) return Error{describe(begin).text};
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
  poisoned_bytes_ -= allocation->poisoned;
  if (allocation->device != kHostDevice)
    slice_of(allocation->device).room.give_back(allocation->size);
  if (allocation->page_locked) host_.room.give_back(allocation->size);
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

const DeviceMemory::Slice* DeviceMemory::slice_holding(const Allocation& allocation) const {
  if (allocation.device != kHostDevice) return &slice_of(allocation.device);
  return allocation.begin - kHostMappedBase < kHostMappedBytes ? &host_ : nullptr;
}

Shadow DeviceMemory::make_shadow(const Allocation& allocation) const {
  const Slice* const slice = slice_holding(allocation);
  const Arena& arena = slice != nullptr ? *slice->shadow : registered_;
  Shadow shadow;
  shadow.count = cells_for(allocation.begin, allocation.size);
  const uint64_t begin =
      slice != nullptr ? cells_of(allocation, slice->begin, 0, 0).begin : uint64_t{0};
  shadow.cells = reinterpret_cast<Cell*>(arena.take(begin, shadow.count * sizeof(Cell)));
  if (shadow.cells == nullptr) host_failure(shadow.count * sizeof(Cell));
  if (slice == nullptr || !slice->origins) return shadow;
  shadow.origins = slice->origins->take(allocation.begin - slice->begin, allocation.size);
  if (shadow.origins == nullptr) host_failure(allocation.size);
  return shadow;
}

void DeviceMemory::release(const Allocation& allocation) {
  release_constant_marks(allocation.shadow);
  const Slice* const slice = slice_holding(allocation);
  auto* const cells = reinterpret_cast<uint8_t*>(allocation.shadow.cells);
  const size_t cell_bytes = allocation.shadow.count * sizeof(Cell);
  if (slice == nullptr) {  // registered memory, which is the program's own
    if (cells != nullptr) registered_.give_back(cells, 0, cell_bytes, 0, 0);
    part_with_pages(allocation.begin, allocation.end());
    return;
  }
  const Allocation* const first = live_.data();
  const uint64_t low =
      &allocation != first ? std::max(slice->begin, (&allocation - 1)->end()) : slice->begin;
  const Allocation* const next = &allocation + 1;
  const uint64_t high =
      next != first + live_.size() ? std::min(slice->limit, next->begin) : slice->limit;
  if (cells != nullptr) {
    const CellRange range = cells_of(allocation, slice->begin, low, high);
    slice->shadow->give_back(cells, range.begin, cell_bytes, range.low, range.high);
  }
  if (allocation.shadow.origins != nullptr)
    slice->origins->give_back(allocation.shadow.origins, allocation.begin - slice->begin,
                              allocation.size, low - slice->begin, high - slice->begin);
  if (allocation.kind == AllocationKind::host_mapped) {
    pages_->withdraw(allocation.begin, allocation.host, round_up(allocation.size, kPageBytes),
                     true);
    return;
  }
  slice->memory.give_back(allocation.host, allocation.begin - slice->begin, allocation.size,
                          low - slice->begin, high - slice->begin);
}

void DeviceMemory::insert(Allocation allocation) {
  if (watches_) {
    allocation.shadow = make_shadow(allocation);
    // The host can write mapped memory unseen; variables start as zeros.
    allocation.shadow.initialised =
        allocation.kind == AllocationKind::host_mapped || allocation.kind == AllocationKind::symbol;
  }
  const auto place = std::upper_bound(live_.begin(), live_.end(), allocation.begin, starts_after);
  live_.insert(place, std::move(allocation));
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
  const auto is_known = [&](const Allocation& allocation) {
    return address / kDeviceSliceBytes == allocation.begin / kDeviceSliceBytes &&
           !is_compilers(allocation);
  };
  const auto next = std::find_if(after, live_.end(), is_known);
  const auto last = std::find_if(std::make_reverse_iterator(after), live_.rend(), is_known);
  const Allocation* above = next != live_.end() ? &*next : nullptr;
  const Allocation* below = last != live_.rend() ? &*last : nullptr;
  if (above == nullptr || below == nullptr) return above == nullptr ? below : above;
  return address - below->end() <= above->begin - address ? below : above;
}

Sentence DeviceMemory::describe(uint64_t address, const Allocation* meant) const {
  if (address == 0) return say("where.null");
  if (const Allocation* live = find(address)) return into(address - live->begin, *live);
  if (const Allocation* old = find_freed(address)) {
    const Sentence where = into(address - old->begin, *old);
    return old->freed_by.empty()
               ? say("where.freed", {{"where", where}})
               : say("where.freed_by", {{"where", where}, {"call", old->freed_by}});
  }
  const Allocation* near = neighbour(address);
  const auto is_far = [&](const Allocation& it) {
    return (address < it.begin ? it.begin - address : address - it.end()) >= kFarBytes;
  };
  if (near != nullptr && meant != nullptr && is_far(*near)) near = meant;
  if (near != nullptr) {
    if (address < near->begin) {
      return say("where.before", {{"bytes", near->begin - address}, {"allocation", quoted(*near)}});
    }
    return address == near->end() ? say("where.right_past", {{"allocation", quoted(*near)}})
                                  : say("where.past", {{"bytes", address - near->end()},
                                                       {"allocation", quoted(*near)}});
  }
  return say(is_device_address(address) ? "where.never_allocated" : "where.not_device");
}

}  // namespace warpgrade::emulator
