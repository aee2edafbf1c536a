// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/counters/footprint.h"
#include "emulator/exec/access.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/ops/watched.h"

// How a warp reaches global, shared and local memory (PTX ISA 5.1). The lanes' addresses mostly
// form the pattern they formed last time; then the extent, the sectors and the bank conflicts are
// known, and one comparison with the last allocation checks the bounds.

namespace warpgrade::emulator::WARPGRADE_ISA {

/// Where the lanes' data lie: at host + relative[lane], or lane after lane in a staging buffer.
struct Access {
  uint8_t* host = nullptr;
  const int64_t* relative = nullptr;
  AccessShape shape = AccessShape::scattered;
  bool staged = false;
};

/// Copies 4, 8 or 16 aligned bytes of memory that other threads may write at the same time.
inline void copy_whole(void* to, const void* from, unsigned bytes) {
  if (bytes == 4) {
    const auto value = __atomic_load_n(static_cast<const uint32_t*>(from), __ATOMIC_RELAXED);
    __atomic_store_n(static_cast<uint32_t*>(to), value, __ATOMIC_RELAXED);
  } else if (bytes == 8) {
    const auto value = __atomic_load_n(static_cast<const uint64_t*>(from), __ATOMIC_RELAXED);
    __atomic_store_n(static_cast<uint64_t*>(to), value, __ATOMIC_RELAXED);
  } else {
#if defined(__AVX2__)
    // With AVX, aligned accesses of 16 bytes are atomic (Intel SDM 3A, 9.1.1; AMD says the same).
    _mm_store_si128(static_cast<__m128i*>(to), _mm_load_si128(static_cast<const __m128i*>(from)));
#else
    std::memcpy(to, from, bytes);
#endif
  }
}

/// Each lane's elements, copied as one into `staging`.
inline Access whole_lanes(const Warp& warp, const Access& access, unsigned bytes,
                          uint8_t* staging) {
  for_each_lane(warp.mask, [&](int lane) {
    copy_whole(staging + static_cast<unsigned>(lane) * bytes, access.host + access.relative[lane],
               bytes);
  });
  return {staging, nullptr, AccessShape::contiguous, true};
}

inline bool same_pattern(const AccessMemo& memo, uint32_t mask, const uint64_t* addresses,
                         uint64_t base) {
  if (memo.mask != mask) return false;
  uint64_t difference = 0;
  if (mask == kFullMask) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      difference |= (addresses[lane] - base) ^
                    static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
    }
  } else {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const uint64_t active = 0 - static_cast<uint64_t>(mask >> lane & 1);
      difference |= ((addresses[lane] - base) ^
                     static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)])) &
                    active;
    }
  }
  return difference == 0;
}

/// From the lowest byte that the lanes access to behind the highest one.
inline uint64_t extent(const AccessMemo& memo) {
  return static_cast<uint64_t>(memo.end - memo.lowest);
}

inline void add_offset(const uint64_t* from, int64_t offset, uint64_t* to) {
  for (int lane = 0; lane < kWarpSize; ++lane)
    to[lane] = from[lane] + static_cast<uint64_t>(offset);
}

/// Addresses of a register that may be 32 bits wide, as those of shared memory are.
inline void lane_addresses(Warp& warp, const Instruction& i, uint64_t* to) {
  if (i.mode != 0) {
    const uint32_t* from = warp.reg<uint32_t>(i.a);
    for (int lane = 0; lane < kWarpSize; ++lane)
      to[lane] = static_cast<uint32_t>(from[lane] + static_cast<uint32_t>(i.immediate));
  } else {
    add_offset(warp.reg<uint64_t>(i.a), i.immediate, to);
  }
}

struct Global {
  static constexpr LaneSpace kSpace = LaneSpace::generic;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    const uint64_t base = addresses[first_lane(warp.mask)];
    if (!same_pattern(memo, warp.mask, addresses, base))
      memorise(memo, warp.mask, addresses, bytes);
    if (memo.misaligned || (base & (bytes - 1)) != 0) {
      report_misaligned(warp, i, addresses, bytes, write);
      return {};
    }
    const Allocation* allocation = memo.allocation;
    if (allocation == nullptr ||
        !allocation->contains(base + static_cast<uint64_t>(memo.lowest), extent(memo))) {
      allocation = memo.allocation = common_allocation(warp, memo, base, write);
    }
    if (allocation == nullptr) {
      count_generic(warp, i, addresses, bytes, write);
      return {nullptr, nullptr, AccessShape::contiguous, true};
    }
    count(worker.counts[i.pc], memo, base, bytes);
    if (worker.footprint != nullptr) {
      write ? worker.footprint->store(memo, base, bytes)
            : worker.footprint->load(warp.index, memo, base, bytes);
    }
    if (allocation->pitch != 0 && worker.launch->options->check.padding) {
      check_padding(warp, i, memo, base, *allocation, bytes, write);
    }
    if (worker.launch->watch != nullptr) watch_lanes(warp, i, memo, allocation, base, bytes, write);
    return {allocation->at(base), memo.relative.data(), memo.shape, false};
  }

  static void count(ExecutionCount& counts, AccessMemo& memo, uint64_t base, unsigned bytes) {
    uint8_t& sectors = memo.sectors[base & 31];
    if (sectors == 0) {
      sectors = static_cast<uint8_t>(count_sectors(memo, base, bytes));
      memo.distinct_bytes = static_cast<uint16_t>(count_bytes(memo, bytes));
    }
    ++counts.requests;
    counts.sectors += sectors;
    counts.bytes += memo.distinct_bytes;
  }
};

struct Shared {
  static constexpr LaneSpace kSpace = LaneSpace::shared;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    const uint64_t base = addresses[first_lane(warp.mask)];
    if (!same_pattern(memo, warp.mask, addresses, base))
      memorise(memo, warp.mask, addresses, bytes);
    if (memo.misaligned || (base & (bytes - 1)) != 0) {
      report_misaligned(warp, i, addresses, bytes, write);
      return {};
    }
    count(worker.counts[i.pc], memo, i.joined, addresses, base, bytes, write);
    const uint64_t begin = base + static_cast<uint64_t>(memo.lowest), bytes_in = extent(memo);
    if (begin < memo.shared_begin || bytes_in > memo.shared_bytes ||
        begin - memo.shared_begin > memo.shared_bytes - bytes_in) {
      const SharedVariable* const variable =
          shared_variable(*worker.launch, begin, begin + bytes_in);
      if (variable == nullptr) return {nullptr, nullptr, AccessShape::contiguous, true};
      memo.shared_begin = variable->offset;
      memo.shared_bytes = variable->bytes;
    }
    if (worker.launch->watch != nullptr) watch_lanes(warp, i, memo, nullptr, base, bytes, write);
    return {warp.block->shared.data() + base, memo.relative.data(), memo.shape, false};
  }

  static void count(ExecutionCount& counts, AccessMemo& memo, unsigned joined,
                    const uint64_t* addresses, uint64_t base, unsigned bytes, bool write) {
    if (memo.bank_phase != (base & 3)) {
      const SharedCost cost = joined_cost(memo.mask, addresses, bytes, joined, write);
      memo.bank_phase = base & 3;
      memo.wavefronts = static_cast<uint8_t>(cost.wavefronts);
      memo.conflicts = static_cast<uint8_t>(cost.conflicts);
    }
    counts.requests += joined != 0;
    counts.wavefronts += memo.wavefronts;
    counts.conflicts += memo.conflicts;
  }
};

/// Local memory: always lane by lane. Its sectors are those of the interleaved layout.
struct Local {
  static constexpr LaneSpace kSpace = LaneSpace::local;

  static Access resolve(Warp& warp, const Instruction& i, const uint64_t* addresses, unsigned bytes,
                        bool write) {
    uint64_t low = 0;
    for_each_lane(warp.mask, [&](int lane) { low |= addresses[lane] & (bytes - 1); });
    if (low != 0) {
      report_misaligned(warp, i, addresses, bytes, write);
      return {};
    }
    const LocalCost cost = local_cost(warp.mask, addresses, bytes);
    ExecutionCount& counts = warp.worker->counts[i.pc];
    counts.requests += cost.requests;
    counts.sectors += cost.sectors;
    return {nullptr, nullptr, AccessShape::contiguous, true};
  }
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
