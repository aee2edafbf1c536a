// SPDX-License-Identifier: MIT
#include "emulator/counters/atomic_cost.h"

#include <algorithm>
#include <bit>
#include <set>

namespace warpgrade::emulator {
namespace {

constexpr int kLanes = 32;
constexpr uint32_t kHalf = 0xFFFF;

template <class Visit>
void for_each_lane(uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

unsigned bank_of(uint64_t address, unsigned bytes) {
  return static_cast<unsigned>(address / bytes % (kLanes * 4 / bytes));
}

/// The most lanes that one bank serves.
unsigned most_lanes_of_a_bank(uint32_t lanes, const uint64_t* addresses, unsigned bytes) {
  std::array<unsigned, kLanes> of_bank{};
  for_each_lane(lanes, [&](int lane) { ++of_bank[bank_of(addresses[lane], bytes)]; });
  return *std::max_element(of_bank.begin(), of_bank.end());
}

/// 8-byte atomics go by half-warps; `visit` gets the lanes of each that has any.
template <class Visit>
void for_each_group(uint32_t mask, unsigned bytes, Visit visit) {
  if (bytes <= 4) return visit(mask);
  for (const uint32_t half : {kHalf, ~kHalf}) {
    if ((mask & half) != 0) visit(mask & half);
  }
}

SharedCost taking_turns(uint32_t mask, const uint64_t* addresses, unsigned bytes) {
  SharedCost cost;
  for_each_group(mask, bytes, [&](uint32_t lanes) {
    const unsigned turns = most_lanes_of_a_bank(lanes, addresses, bytes);
    cost.wavefronts += turns;
    cost.conflicts += turns - 1;
  });
  return cost;
}

/// In each group the first lane of each bank succeeds, unless an earlier one has changed the value
/// at its address.
uint32_t succeeding(uint32_t mask, const uint64_t* addresses, unsigned bytes) {
  uint32_t successes = 0;
  std::set<uint64_t> changed;
  for_each_group(mask, bytes, [&](uint32_t lanes) {
    std::set<unsigned> busy;
    for_each_lane(lanes, [&](int lane) {
      if (!busy.insert(bank_of(addresses[lane], bytes)).second) return;
      if (changed.insert(addresses[lane]).second) successes |= 1u << lane;
    });
  });
  return successes;
}

SharedAtomicCost looping(uint32_t mask, const uint64_t* addresses, unsigned bytes) {
  SharedAtomicCost cost;
  while (mask != 0) {
    const SharedCost load = shared_cost(mask, addresses, bytes, false);
    ++cost.loads;
    cost.lanes += static_cast<unsigned>(std::popcount(mask));
    cost.of_loads.wavefronts += load.wavefronts;
    cost.of_loads.conflicts += load.conflicts;
    for_each_group(mask, bytes, [&](uint32_t) { cost.atomics.wavefronts += 2; });
    mask &= ~succeeding(mask, addresses, bytes);
  }
  return cost;
}

}  // namespace

unsigned atomic_sectors(uint32_t mask, const uint64_t* addresses, unsigned bytes) {
  constexpr int kTurnShift = 48;  // Beyond any address.
  std::array<uint64_t, 2 * kLanes> sectors;
  size_t count = 0;
  for_each_lane(mask, [&](int lane) {
    uint64_t turn = 0;
    for (uint32_t before = mask & ((1u << lane) - 1); before != 0; before &= before - 1)
      turn += addresses[std::countr_zero(before)] == addresses[lane] ? 1 : 0;
    const uint64_t first = addresses[lane] >> 5, last = (addresses[lane] + bytes - 1) >> 5;
    sectors[count++] = turn << kTurnShift | first;
    if (last != first) sectors[count++] = turn << kTurnShift | last;
  });
  const auto end = sectors.begin() + static_cast<long>(count);
  std::sort(sectors.begin(), end);
  return static_cast<unsigned>(std::unique(sectors.begin(), end) - sectors.begin());
}

SharedAtomicCost shared_atomic_cost(SharedAtomic how, uint32_t mask, const uint64_t* addresses,
                                    unsigned bytes) {
  SharedAtomicCost cost;
  switch (how) {
    case SharedAtomic::native:
      cost.atomics = taking_turns(mask, addresses, bytes);
      return cost;
    case SharedAtomic::count:
      cost.atomics = shared_cost(mask, addresses, bytes, false);
      return cost;
    case SharedAtomic::merged:
      cost.atomics.wavefronts = 1;
      return cost;
    case SharedAtomic::swap:
      cost.atomics = taking_turns(mask, addresses, bytes);
      cost.atomics.wavefronts *= 2;
      return cost;
    case SharedAtomic::loop:
      break;
  }
  return looping(mask, addresses, bytes);
}

}  // namespace warpgrade::emulator
