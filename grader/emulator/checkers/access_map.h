// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// How an operation uses a byte of memory. Atomics and volatile accesses of several kernels do not
/// conflict with each other.
enum class Use : uint8_t { read, write, volatile_read, volatile_write, atomic };

constexpr uint32_t kNoUser = ~uint32_t{0};

/// The thread and the instruction behind an access.
struct MemoryUser {
  uint32_t pc = kNoUser;  ///< kNoUser: not known
  uint32_t block = 0;
  uint16_t thread = 0;  ///< linear in its block
  uint16_t at = 0;      ///< low bits of the address that the thread accessed
  uint8_t step = 0;     ///< bytes from thread to thread where consecutive threads go on; else 0
};

/// Which bytes of global memory a kernel uses, and how.
class AccessMap {
 public:
  static constexpr unsigned kPageShift = 12, kRowShift = 7;
  static constexpr uint64_t kPageBytes = uint64_t{1} << kPageShift;
  static constexpr size_t kRows = kPageBytes >> kRowShift, kWords = kPageBytes / 64;
  /// Beyond so many pages the map is incomplete.
  static constexpr size_t kMostPages = size_t{1} << 15;

  using Bits = std::array<uint64_t, kWords>;  ///< one for each byte
  struct Strong {
    Bits read{}, written{}, atomic{};
  };
  struct Page {
    Bits read{}, written{};
    std::unique_ptr<Strong> strong;                    ///< null: none
    std::array<MemoryUser, kRows> reader{}, writer{};  ///< the latest of each row
  };
  using Entry = std::pair<uint64_t, const Page*>;  ///< by page number

  void note(uint64_t address, uint64_t bytes, Use use, const MemoryUser& user);
  void merge(const AccessMap& other);
  /// Sorts the pages, after which nothing may be noted.
  void finish();

  /// Notes only what is no device's own memory.
  void leave_out_devices() { without_devices_ = true; }

  bool leaves_out(uint64_t address) const { return without_devices_ && is_device_address(address); }

  bool is_complete() const { return pages_.size() < kMostPages; }
  bool empty() const { return pages_.empty(); }
  size_t page_count() const { return pages_.size(); }
  /// By their numbers; after finish().
  const std::vector<Entry>& pages() const { return sorted_; }

 private:
  struct Slot {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  Page* page(uint64_t number);
  void note_in_page(Page& page, uint64_t from, uint64_t to, Use use, const MemoryUser& user);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Slot, 64> latest_{};
  std::vector<Entry> sorted_;
  bool without_devices_ = false;
};

struct ByteRange {
  uint64_t begin = 0, end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// All that an operation does to memory: a kernel's map, or the ranges of a copy.
struct MemoryUse {
  std::vector<ByteRange> read, written;  ///< each sorted, without overlaps
  std::shared_ptr<const AccessMap> map;  ///< null but for kernels

  bool empty() const { return read.empty() && written.empty() && map == nullptr; }
};

/// Bytes that two operations use so that it matters which of them comes first.
struct Clash {
  ByteRange bytes;  ///< the first of them that lie together
  bool first_writes = false, second_writes = false;
  std::optional<MemoryUser> first_user, second_user;  ///< empty but for kernels
};
std::optional<Clash> find_clash(const MemoryUse& first, const MemoryUse& second);

/// Whether one writes by atomics or volatile stores what the other reads so: the one may wait for
/// the other.
bool may_signal(const AccessMap& a, const AccessMap& b);
/// Whether it writes by atomics or volatile stores to memory of the host, which may wait for that.
bool may_signal_host(const AccessMap& map);

/// What the cells of an allocation still hold of the launch with that number (Cell), added to `map`.
void note_cells(const Allocation& allocation, uint64_t generation, AccessMap& map);

}  // namespace warpgrade::emulator
