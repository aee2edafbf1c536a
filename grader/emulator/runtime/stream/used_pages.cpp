// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/used_pages.h"

#include <algorithm>
#include <map>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kPage = AccessMap::kPageBytes;
// More would take longer to guard than to use.
constexpr size_t kMostPages = 4096, kMostParts = 1024;

/// Pages by number, and whether the host must not even read them.
using Whole = std::map<uint64_t, bool>;

void add_part(uint64_t begin, uint64_t end, std::vector<ByteRange>& parts) {
  if (begin >= end || parts.size() >= kMostParts) return;
  if (!parts.empty() && parts.back().end == begin)
    parts.back().end = end;
  else
    parts.push_back({begin, end});
}

void take_range(const ByteRange& range, const Allocation& allocation, bool written, Whole& whole,
                std::vector<ByteRange>& parts) {
  const uint64_t first = round_up(range.begin, kPage) / kPage;
  const bool to_the_end = range.end >= allocation.end();
  const uint64_t last = to_the_end ? round_up(range.end, kPage) / kPage : range.end / kPage;
  for (uint64_t page = first; page < last && whole.size() < kMostPages; ++page)
    whole[page] |= written;
  if (first >= last) return add_part(range.begin, range.end, parts);
  add_part(range.begin, first * kPage, parts);
  add_part(last * kPage, range.end, parts);
}

uint64_t used(const AccessMap::Page& page, uint64_t word, bool with_reads) {
  return page.written[word] | (with_reads ? page.read[word] : 0);
}

bool all_set(const AccessMap::Page& page, bool with_reads, uint64_t bytes) {
  for (uint64_t word = 0; word * 64 < bytes; ++word) {
    const uint64_t left = std::min<uint64_t>(bytes - word * 64, 64);
    if ((~used(page, word, with_reads) & ~uint64_t{0} >> (64 - left)) != 0) return false;
  }
  return true;
}

void take_parts(const AccessMap::Page& page, uint64_t begin, uint64_t bytes,
                std::vector<ByteRange>& parts) {
  for (uint64_t byte = 0; byte < bytes; ++byte) {
    if ((used(page, byte / 64, true) >> byte % 64 & 1) != 0)
      add_part(begin + byte, begin + byte + 1, parts);
  }
}

void take_map(const AccessMap& map, const DeviceMemory& memory, Whole& whole,
              std::vector<ByteRange>& parts) {
  for (const auto& [number, page] : map.pages()) {
    const uint64_t begin = number << AccessMap::kPageShift;
    if (!is_host_mapped(begin) || whole.size() >= kMostPages) continue;
    const Allocation* const allocation = memory.find(begin);
    if (allocation == nullptr) continue;
    const uint64_t bytes = std::min(kPage, allocation->end() - begin);
    if (all_set(*page, true, bytes))
      whole[number] |= all_set(*page, false, bytes);
    else
      take_parts(*page, begin, bytes, parts);
  }
}

std::vector<GuardedPages> joined(const Whole& whole) {
  std::vector<GuardedPages> ranges;
  for (const auto& [number, against_reads] : whole) {
    const uint64_t begin = number << AccessMap::kPageShift, end = begin + kPage;
    const bool goes_on = !ranges.empty() && ranges.back().end == begin &&
                         (ranges.back().against_reads != 0) == against_reads;
    if (goes_on)
      ranges.back().end = end;
    else
      ranges.push_back({begin, end, against_reads});
  }
  return ranges;
}

}  // namespace

bool is_host_mapped(uint64_t address) { return address - kHostMappedBase < kHostMappedBytes; }

UsedPages used_pages_of(const MemoryUse& use, const DeviceMemory& memory) {
  Whole whole;
  UsedPages pages;
  if (use.map != nullptr) take_map(*use.map, memory, whole, pages.parts);
  for (const bool written : {false, true}) {
    for (const ByteRange& range : written ? use.written : use.read) {
      const Allocation* const allocation =
          is_host_mapped(range.begin) ? memory.find(range.begin) : nullptr;
      if (allocation != nullptr) take_range(range, *allocation, written, whole, pages.parts);
    }
  }
  pages.whole = joined(whole);
  return pages;
}

void WatchedParts::add(const std::vector<ByteRange>& parts) {
  for (const ByteRange& range : parts) {
    const size_t bytes = range.end - range.begin;
    const uint8_t* const held = memory_.host_address(range.begin, bytes);
    if (held == nullptr || bytes_ + bytes > kMostBytes) continue;
    parts_.push_back({range, {held, held + bytes}});
    bytes_ += bytes;
  }
}

std::optional<uint64_t> WatchedParts::changed() const {
  for (const Part& part : parts_) {
    const uint8_t* const now = memory_.host_address(part.range.begin, part.bytes.size());
    if (now == nullptr) continue;
    const auto [one, other] = std::mismatch(part.bytes.begin(), part.bytes.end(), now);
    if (one != part.bytes.end())
      return part.range.begin + static_cast<uint64_t>(one - part.bytes.begin());
  }
  return std::nullopt;
}

}  // namespace warpgrade::emulator
