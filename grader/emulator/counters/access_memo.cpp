// SPDX-License-Identifier: MIT
#include "emulator/counters/access_memo.h"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {
namespace {

constexpr int kLanes = 32;
constexpr int kBanks = 32;
constexpr int64_t kFarBytes = int64_t{1} << 48;

template <class Visit>
void for_each_lane(uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

AccessShape shape_of(uint32_t mask, const AccessMemo& memo, unsigned bytes) {
  bool uniform = true, contiguous = true;
  const int first = std::countr_zero(mask);
  for_each_lane(mask, [&](int lane) {
    uniform &= memo.relative[static_cast<size_t>(lane)] == 0;
    contiguous &=
        memo.relative[static_cast<size_t>(lane)] == static_cast<int64_t>(bytes) * (lane - first);
  });
  return uniform      ? AccessShape::uniform
         : contiguous ? AccessShape::contiguous
                      : AccessShape::scattered;
}

/// Every active lane i has lane i ^ distance inactive or at the same address.
bool pairs_up(uint32_t mask, const uint64_t* addresses, int distance) {
  bool paired = true;
  for_each_lane(mask, [&](int lane) {
    const int other = lane ^ distance;
    if ((mask >> other & 1) != 0) paired &= addresses[lane] == addresses[other];
  });
  return paired;
}

/// The lanes of each of `groups` equal parts of a warp, where the mask has some of them.
template <class Visit>
void for_each_group(uint32_t mask, unsigned groups, Visit visit) {
  const unsigned lanes_per_group = kLanes / groups;
  for (unsigned group = 0; group < groups; ++group) {
    const uint32_t lanes_mask = lanes_per_group == 32 ? ~0u : (1u << lanes_per_group) - 1;
    const uint32_t lanes = mask & (lanes_mask << (group * lanes_per_group));
    if (lanes != 0) visit(lanes);
  }
}

/// The most distinct words that one bank must deliver to these lanes.
unsigned busiest_bank(uint32_t lanes, const uint64_t* addresses, unsigned bytes) {
  std::array<std::array<uint64_t, 2 * kLanes>, kBanks> words;
  std::array<unsigned, kBanks> counts{};
  for_each_lane(lanes, [&](int lane) {
    const uint64_t last = (addresses[lane] + bytes - 1) >> 2;
    for (uint64_t word = addresses[lane] >> 2; word <= last; ++word) {
      const size_t bank = word % kBanks;
      auto* const end = words[bank].begin() + counts[bank];
      if (std::find(words[bank].begin(), end, word) == end) words[bank][counts[bank]++] = word;
    }
  });
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

void memorise(AccessMemo& memo, uint32_t mask, const uint64_t* addresses, unsigned bytes) {
  memo.mask = mask;
  memo.sectors.fill(0);
  memo.bank_phase = 0xFF;
  memo.misaligned = false;
  memo.overlap_known = false;
  memo.lowest = 0;
  int64_t highest = 0;
  const uint64_t base = addresses[std::countr_zero(mask)];
  memo.relative.fill(0);
  for_each_lane(mask, [&](int lane) {
    const auto relative = static_cast<int64_t>(addresses[lane] - base);
    memo.relative[static_cast<size_t>(lane)] = relative;
    memo.misaligned |= (relative & (bytes - 1)) != 0;
    memo.lowest = std::min(memo.lowest, relative);
    highest = std::max(highest, relative);
  });
  // No memory lies around lanes so far apart, and sums with the extent must not wrap.
  if (memo.lowest < -kFarBytes || highest > kFarBytes) {
    memo.lowest = -kFarBytes;
    highest = kFarBytes;
  }
  memo.end = highest + bytes;
  memo.shape = shape_of(mask, memo, bytes);
}

unsigned count_sectors(const AccessMemo& memo, uint64_t base, unsigned bytes) {
  std::array<uint64_t, 2 * kLanes> sectors;
  size_t count = 0;
  for_each_lane(memo.mask, [&](int lane) {
    const uint64_t address = base + static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
    sectors[count++] = address >> 5;
    const uint64_t last = (address + bytes - 1) >> 5;
    if (last != address >> 5) sectors[count++] = last;
  });
  std::sort(sectors.begin(), sectors.begin() + static_cast<long>(count));
  return static_cast<unsigned>(
      std::unique(sectors.begin(), sectors.begin() + static_cast<long>(count)) - sectors.begin());
}

unsigned count_bytes(const AccessMemo& memo, unsigned bytes) {
  if (memo.shape == AccessShape::uniform) return bytes;
  std::array<int64_t, kLanes> addresses;
  size_t count = 0;
  for_each_lane(memo.mask,
                [&](int lane) { addresses[count++] = memo.relative[static_cast<size_t>(lane)]; });
  const auto end = addresses.begin() + static_cast<long>(count);
  if (!std::is_sorted(addresses.begin(), end)) std::sort(addresses.begin(), end);
  return static_cast<unsigned>(std::unique(addresses.begin(), end) - addresses.begin()) * bytes;
}

unsigned count_bypass_sectors(uint32_t mask, const uint64_t* from, const uint64_t* to) {
  constexpr int kLine = 128;
  std::array<std::array<uint64_t, 3>, kLanes> parts;
  size_t count = 0;
  for_each_lane(mask, [&](int lane) {
    parts[count++] = {from[lane] >> 5, to[lane] / kLine, to[lane] - from[lane]};
  });
  const auto end = parts.begin() + static_cast<long>(count);
  std::sort(parts.begin(), end);
  return static_cast<unsigned>(std::unique(parts.begin(), end) - parts.begin());
}

LocalCost local_cost(uint32_t mask, const uint64_t* offsets, unsigned bytes) {
  constexpr uint64_t kWord = 4, kRow = kWord * kLanes;
  const unsigned part = std::min<unsigned>(bytes, kWord);
  uint64_t places[kLanes] = {};
  for_each_lane(mask, [&](int lane) {
    places[lane] =
        offsets[lane] / kWord * kRow + static_cast<uint64_t>(lane) * kWord + offsets[lane] % kWord;
  });
  LocalCost cost;
  AccessMemo memo;
  for (unsigned done = 0; done < bytes; done += kWord) {
    memorise(memo, mask, places, part);
    ++cost.requests;
    cost.sectors += count_sectors(memo, places[std::countr_zero(mask)], part);
    for (uint64_t& place : places) place += kRow;
  }
  return cost;
}

SharedCost shared_cost(uint32_t mask, const uint64_t* addresses, unsigned bytes, bool store) {
  unsigned groups = bytes <= 4 ? 1 : bytes / 4;
  if (groups > 1 && !store && (pairs_up(mask, addresses, 1) || pairs_up(mask, addresses, 2)))
    groups /= 2;
  SharedCost cost;
  for_each_group(mask, groups, [&](uint32_t lanes) {
    const unsigned wavefronts = busiest_bank(lanes, addresses, bytes);
    cost.wavefronts += wavefronts;
    cost.conflicts += wavefronts - 1;
  });
  return cost;
}

SharedCost copy_cost(uint32_t mask, const uint64_t* to, uint32_t reading, const uint64_t* from,
                     unsigned bytes) {
  SharedCost cost;
  for_each_group(mask, bytes <= 4 ? 1 : bytes / 4, [&](uint32_t lanes) {
    const unsigned wavefronts =
        std::max(busiest_bank(lanes, to, bytes), busiest_bank(lanes & reading, from, bytes));
    cost.wavefronts += wavefronts;
    cost.conflicts += wavefronts - 1;
  });
  return cost;
}

SharedCost joined_cost(uint32_t mask, const uint64_t* addresses, unsigned bytes, unsigned joined,
                       bool store) {
  if (joined == 0) return {};
  if (joined == 1) return shared_cost(mask, addresses, bytes, store);
  const unsigned whole = bytes * joined;
  std::array<uint64_t, kLanes> first;
  for (size_t lane = 0; lane < kLanes; ++lane) first[lane] = addresses[lane] & ~uint64_t{whole - 1};
  return shared_cost(mask, first.data(), whole, store);
}

}  // namespace warpgrade::emulator
