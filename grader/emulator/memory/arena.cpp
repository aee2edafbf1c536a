// SPDX-License-Identifier: MIT
#include "emulator/memory/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "emulator/memory/address_space.h"

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr size_t kPagesAtOnce = 4096;

uint64_t page_below(uint64_t address) { return address / kPageBytes * kPageBytes; }

uint8_t* map_lazily(size_t bytes) {
  void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  // A core dump would visit each of the pages that do not exist.
  ::madvise(block, bytes, MADV_DONTDUMP);
  // A child process would write into the device of its parent.
  ::madvise(block, bytes, MADV_DONTFORK);
  return static_cast<uint8_t*>(block);
}

}  // namespace

Arena::Arena(size_t bytes) : bytes_(bytes), base_(map_lazily(bytes)) {}

Arena::Arena(Arena&& other) noexcept
    : bytes_(other.bytes_), base_(std::exchange(other.base_, nullptr)) {}

Arena::~Arena() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

uint8_t* Arena::take(uint64_t begin, size_t bytes) const {
  return base_ != nullptr ? base_ + begin : map_lazily(bytes);
}

void Arena::give_back(uint8_t* block, uint64_t begin, size_t bytes, uint64_t low,
                      uint64_t high) const {
  if (base_ == nullptr) {
    ::munmap(block, bytes);
    return;
  }
  const uint64_t end = begin + bytes;
  const uint64_t first = page_below(begin) >= low ? page_below(begin) : begin;
  const uint64_t last = round_up(end, kPageBytes) <= high ? round_up(end, kPageBytes) : end;
  clear_pages(base_ + first, last - first);
}

void clear_pages(uint8_t* begin, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  const uint64_t first = round_up(address, kPageBytes), last = page_below(address + bytes);
  if (last <= first || ::madvise(reinterpret_cast<void*>(first), last - first, MADV_REMOVE) != 0) {
    clear_touched(begin, bytes);
    return;
  }
  clear_touched(begin, first - address);
  clear_touched(reinterpret_cast<uint8_t*>(last), address + bytes - last);
}

void clear_touched(uint8_t* begin, size_t bytes) {
  while (bytes != 0) {
    const PageRun run = page_run(begin, bytes);
    if (run.touched) std::memset(begin, 0, run.bytes);
    begin += run.bytes;
    bytes -= run.bytes;
  }
}

PageRun page_run(const uint8_t* begin, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  const uint64_t first = page_below(address);
  std::array<unsigned char, kPagesAtOnce> resident;
  const size_t pages =
      std::min<size_t>((round_up(address + bytes, kPageBytes) - first) / kPageBytes, kPagesAtOnce);
  if (::mincore(reinterpret_cast<void*>(first), pages * kPageBytes, resident.data()) != 0)
    return {bytes, true};
  const bool touched = (resident[0] & 1) != 0;
  size_t same = 1;
  while (same < pages && ((resident[same] & 1) != 0) == touched) ++same;
  return {std::min<size_t>(first + same * kPageBytes - address, bytes), touched};
}

}  // namespace warpgrade::emulator
