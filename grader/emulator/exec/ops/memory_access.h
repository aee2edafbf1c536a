// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/counters/footprint.h"
#include "emulator/exec/access.h"
#include "emulator/exec/cluster.h"
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

/// From the lowest byte that the lanes access to behind the highest one.
inline uint64_t extent(const AccessMemo& memo) {
  return static_cast<uint64_t>(memo.end - memo.lowest);
}

/// Address registers may be 32 bits wide, as those of shared memory are: Instruction::mode.
inline uint64_t lane_address(const Warp& warp, const Instruction& i, int lane) {
  if (i.mode != 0)
    return static_cast<uint32_t>(warp.reg<uint32_t>(i.a)[lane] +
                                 static_cast<uint32_t>(i.immediate));
  return warp.reg<uint64_t>(i.a)[lane] + static_cast<uint64_t>(i.immediate);
}

/// The addresses of a warp's lanes, where all of them are needed.
struct LaneAddresses {
  alignas(64) uint64_t of[kWarpSize];

  LaneAddresses(const Warp& warp, const Instruction& i) {
    for (int lane = 0; lane < kWarpSize; ++lane) of[lane] = lane_address(warp, i, lane);
  }
};

/// `from`: the lanes' addresses, each lessened by the same amount. Those of 32 bits repeat
/// where they do so modulo 2^32; no memory lies around a place where that differs.
template <class T>
bool same_pattern(const AccessMemo& memo, uint32_t mask, const T* from) {
  if (memo.mask != mask) return false;
  const T base = from[first_lane(mask)];
  T difference = 0;
  if (mask == kFullMask) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      difference |= static_cast<T>(from[lane] - base) ^
                    static_cast<T>(memo.relative[static_cast<size_t>(lane)]);
    }
  } else {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const T active = T{0} - static_cast<T>(mask >> lane & 1);
      difference |= (static_cast<T>(from[lane] - base) ^
                     static_cast<T>(memo.relative[static_cast<size_t>(lane)])) &
                    active;
    }
  }
  return difference == 0;
}

/// Makes the memo of an instruction fit its lanes' addresses.
inline __attribute__((noinline)) void fit(AccessMemo& memo, const Warp& warp, const Instruction& i,
                                          unsigned bytes) {
  const bool fits = i.mode != 0 ? same_pattern(memo, warp.mask, warp.reg<uint32_t>(i.a))
                                : same_pattern(memo, warp.mask, warp.reg<uint64_t>(i.a));
  if (!fits) memorise(memo, warp.mask, LaneAddresses(warp, i).of, bytes);
}

inline __attribute__((noinline)) Access misaligned(Warp& warp, const Instruction& i, unsigned bytes,
                                                   bool write) {
  report_misaligned(warp, i, LaneAddresses(warp, i).of, bytes, write);
  return {};
}

/// Where no memory holds all lanes, each goes by itself.
constexpr Access kLaneByLane = {nullptr, nullptr, AccessShape::contiguous, true};

// What most accesses do is inlined into their handlers, what few do is not.

struct Global {
  static constexpr LaneSpace kSpace = LaneSpace::generic;

  static inline __attribute__((always_inline)) Access resolve(Warp& warp, const Instruction& i,
                                                              unsigned bytes, bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    if ((i.flags & Instruction::kRepeated) == 0) fit(memo, warp, i, bytes);
    const uint64_t base = lane_address(warp, i, first_lane(warp.mask));
    if (memo.misaligned || (base & (bytes - 1)) != 0) return misaligned(warp, i, bytes, write);
    const Allocation* allocation = memo.allocation;
    if (allocation == nullptr ||
        !allocation->contains(base + static_cast<uint64_t>(memo.lowest), extent(memo))) {
      allocation = memo.allocation = common_allocation(warp, memo, base, bytes, write);
      if (allocation == nullptr) return elsewhere(warp, i, bytes, write);
      // Its blocks come and go.
      if (allocation->kind == AllocationKind::heap) memo.allocation = nullptr;
    }
    if (i.joined == 1) {
      count(worker.counts[i.pc], memo, base, bytes);
    } else if (i.joined != 0) {
      count_joined(warp, i, *allocation, bytes, write);
    }
    if (worker.footprint != nullptr || worker.launch->watch != nullptr || allocation->pitch != 0)
      look_closer(warp, i, memo, base, *allocation, bytes, write);
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

  static __attribute__((noinline)) Access elsewhere(Warp& warp, const Instruction& i,
                                                    unsigned bytes, bool write) {
    const unsigned whole = bytes * i.joined;
    if (whole != 0) count_generic(warp, i, whole_addresses(warp, i, whole).of, whole, write);
    return kLaneByLane;
  }

  /// Tells the sample of the launch.
  static void sample(const Warp& warp, const Instruction& i, const AccessMemo& memo, uint64_t base,
                     unsigned bytes, bool write) {
    Footprint& footprint = *warp.worker->footprint;
    if (write) return footprint.store(warp.index, memo, base, bytes);
    const std::string_view opcode = warp.worker->launch->module->program.opcodes[i.pc];
    if (opcode.starts_with("ld.const")) return footprint.constant(memo, base, bytes);
    if ((i.ordering & kAcquires) != 0 && (i.ordering & (kInBlock | kRelaxed)) == 0)
      footprint.acquire();
    // ptxas moves loads of what nobody writes to before the stores.
    if ((i.flags & Instruction::kConstantData) == 0) footprint.settle(warp.index);
    footprint.load(warp.index, memo, base, bytes);
  }

  /// Where the lanes' accesses begin that ptxas makes of several of `whole` bytes together.
  static LaneAddresses whole_addresses(const Warp& warp, const Instruction& i, unsigned whole) {
    LaneAddresses addresses(warp, i);
    if (i.joined > 1)
      for (uint64_t& address : addresses.of) address &= ~uint64_t{whole - 1};
    return addresses;
  }

  static __attribute__((noinline)) void count_joined(const Warp& warp, const Instruction& i,
                                                     const Allocation& allocation, unsigned bytes,
                                                     bool write) {
    Worker& worker = *warp.worker;
    const unsigned whole = bytes * i.joined;
    const LaneAddresses addresses = whole_addresses(warp, i, whole);
    const uint64_t base = addresses.of[first_lane(warp.mask)];
    AccessMemo memo;
    memorise(memo, warp.mask, addresses.of, whole);
    memo.allocation = &allocation;
    count(worker.counts[i.pc], memo, base, whole);
    if (worker.footprint == nullptr) return;
    sample(warp, i, memo, base, whole, write);
  }

  static __attribute__((noinline)) void look_closer(Warp& warp, const Instruction& i,
                                                    AccessMemo& memo, uint64_t base,
                                                    const Allocation& allocation, unsigned bytes,
                                                    bool write) {
    const Worker& worker = *warp.worker;
    if (worker.footprint != nullptr && i.joined == 1) sample(warp, i, memo, base, bytes, write);
    if (allocation.pitch != 0 && worker.launch->options->check.padding)
      check_padding(warp, i, memo, base, allocation, bytes, write);
    if (worker.launch->watch != nullptr)
      watch_lanes(warp, i, memo, &allocation, base, bytes, write);
  }
};

struct Shared {
  static constexpr LaneSpace kSpace = LaneSpace::shared;

  static inline __attribute__((always_inline)) Access resolve(Warp& warp, const Instruction& i,
                                                              unsigned bytes, bool write) {
    Worker& worker = *warp.worker;
    AccessMemo& memo = worker.memos[i.memory_slot];
    if ((i.flags & Instruction::kRepeated) == 0) fit(memo, warp, i, bytes);
    const uint64_t base = lane_address(warp, i, first_lane(warp.mask));
    if (memo.misaligned || (base & (bytes - 1)) != 0) return misaligned(warp, i, bytes, write);
    if (i.joined != 0) {
      if (memo.bank_phase != (base & 3)) find_cost(warp, i, memo, base, bytes, write);
      ExecutionCount& counts = worker.counts[i.pc];
      ++counts.requests;
      counts.wavefronts += memo.wavefronts;
      counts.conflicts += memo.conflicts;
    }
    if (!is_in(memo, base) && !find_variable(worker, memo, base)) {
      if (warp.block->cluster != nullptr && i.joined != 0) leave_out_peers(warp, i, bytes, write);
      return elsewhere(warp, i);
    }
    if (worker.launch->watch != nullptr) watch_lanes(warp, i, memo, nullptr, base, bytes, write);
    return {warp.block->shared.data() + base, memo.relative.data(), memo.shape, false};
  }

  static __attribute__((noinline)) Access elsewhere(Warp& warp, const Instruction& i) {
    count_far(warp, i, warp.mask, LaneAddresses(warp, i).of);
    return kLaneByLane;
  }

  /// Whether the lanes access the same array as the last time.
  static bool is_in(const AccessMemo& memo, uint64_t base) {
    const uint64_t begin = base + static_cast<uint64_t>(memo.lowest), bytes = extent(memo);
    return begin >= memo.shared_begin && bytes <= memo.shared_bytes &&
           begin - memo.shared_begin <= memo.shared_bytes - bytes;
  }

  static __attribute__((noinline)) bool find_variable(const Worker& worker, AccessMemo& memo,
                                                      uint64_t base) {
    const uint64_t begin = base + static_cast<uint64_t>(memo.lowest);
    const SharedVariable* const variable =
        shared_variable(*worker.launch, begin, begin + extent(memo));
    if (variable == nullptr) return false;
    memo.shared_begin = variable->offset;
    memo.shared_bytes = variable->bytes;
    return true;
  }

  /// An access to another block's memory takes no wavefront here.
  static __attribute__((noinline)) void leave_out_peers(Warp& warp, const Instruction& i,
                                                        unsigned bytes, bool write) {
    const AccessMemo& memo = warp.worker->memos[i.memory_slot];
    const LaneAddresses addresses(warp, i);
    const uint32_t home = lanes_at_home(*warp.block, memo.mask, addresses.of);
    const SharedCost cost =
        home == 0 ? SharedCost{} : joined_cost(home, addresses.of, bytes, i.joined, write);
    ExecutionCount& counts = warp.worker->counts[i.pc];
    counts.wavefronts -= memo.wavefronts;
    counts.conflicts -= memo.conflicts;
    counts.wavefronts += cost.wavefronts;
    counts.conflicts += cost.conflicts;
  }

  static __attribute__((noinline)) void find_cost(const Warp& warp, const Instruction& i,
                                                  AccessMemo& memo, uint64_t base, unsigned bytes,
                                                  bool write) {
    const SharedCost cost =
        joined_cost(memo.mask, LaneAddresses(warp, i).of, bytes, i.joined, write);
    memo.bank_phase = base & 3;
    memo.wavefronts = static_cast<uint8_t>(cost.wavefronts);
    memo.conflicts = static_cast<uint8_t>(cost.conflicts);
  }
};

/// Local memory: always lane by lane. Its sectors are those of the interleaved layout.
struct Local {
  static constexpr LaneSpace kSpace = LaneSpace::local;

  static Access resolve(Warp& warp, const Instruction& i, unsigned bytes, bool write) {
    const LaneAddresses addresses(warp, i);
    uint64_t low = 0;
    for_each_lane(warp.mask, [&](int lane) { low |= addresses.of[lane] & (bytes - 1); });
    if (low != 0) {
      report_misaligned(warp, i, addresses.of, bytes, write);
      return {};
    }
    const LocalCost cost = local_cost(warp.mask, addresses.of, bytes);
    ExecutionCount& counts = warp.worker->counts[i.pc];
    counts.requests += cost.requests;
    counts.sectors += cost.sectors;
    return kLaneByLane;
  }
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
