// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "emulator/exec/access.h"
#include "emulator/exec/ops/lanes.h"

// What asynchronous.cpp and bulk_copy.cpp share: addresses of single lanes, and mbarrier objects.

namespace warpgrade::emulator::WARPGRADE_ISA {

/// Lanes' addresses in a register of 4 or 8 bytes.
inline uint64_t lane_address(const Warp& warp, uint32_t reg, bool narrow, int lane) {
  return narrow ? warp.reg<uint32_t>(reg)[lane] : warp.reg<uint64_t>(reg)[lane];
}

/// A second address of an instruction: its register is returned, its offset kept in the detail.
struct SecondAddress {
  uint32_t reg;
  uint32_t offset;
};
inline SecondAddress second_address(Decoder& decoder, const ptx::Operand& operand) {
  Instruction scratch;
  decoder.address(operand, scratch);
  return {scratch.a, static_cast<uint32_t>(scratch.immediate)};
}

/// The 64 bits of an mbarrier object, whose layout the ISA leaves open: how many arrivals a phase
/// takes and still lacks, the bytes still to come (offset by kNoBytes), and the number of the phase.
struct Mbarrier {
  static constexpr uint64_t kCount = (1u << 20) - 1, kNoBytes = 1u << 20;
  uint64_t expected : 20;
  uint64_t pending : 20;
  uint64_t bytes : 21;
  uint64_t phase : 3;

  void finish_phase() {
    if (pending != 0 || bytes != kNoBytes) return;
    pending = expected;
    ++phase;
  }
};
static_assert(sizeof(Mbarrier) == 8);

enum Action : uint8_t {
  kInit,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kArriveExpect,
  kExpect,
  kComplete,
  kTest,
  kTestParity,
  kCopiesArrive,
  kCopiesArriveCounted,
};

/// What one thread does to the object; true where a test succeeds.
inline bool act(Mbarrier& barrier, Action action, uint64_t value) {
  const auto arrive = [&](uint64_t count) {
    barrier.pending = (barrier.pending - count) & Mbarrier::kCount;
    barrier.finish_phase();
  };
  switch (action) {
    case kInit:
      barrier = {value & Mbarrier::kCount, value & Mbarrier::kCount, Mbarrier::kNoBytes, 0};
      return true;
    case kArrive:
      return arrive(value), true;
    case kArriveDrop:
      barrier.expected = (barrier.expected - value) & Mbarrier::kCount;
      return arrive(value), true;
    case kArriveExpect:
      barrier.bytes += value;
      return arrive(1), true;
    case kExpect:
      barrier.bytes += value;
      return true;
    case kComplete:
      barrier.bytes -= value;
      return barrier.finish_phase(), true;
    case kTest:
      return barrier.phase != std::bit_cast<Mbarrier>(value).phase;
    case kTestParity:
      return (barrier.phase & 1) != (value & 1);
    case kCopiesArriveCounted:
      return arrive(1), true;
    default:  // without .noinc, the arrival is one that it has added itself
      return true;
  }
}

/// Host address of the object at `address`; null, with a fault reported, where the lane may not.
inline uint8_t* barrier_pointer(Warp& warp, const Instruction& i, int lane, uint64_t address) {
  uint64_t addresses[kWarpSize];
  std::fill_n(addresses, kWarpSize, address);
  if ((address & 7) == 0) {
    return is_shared_address(address) ? lane_pointer(warp, i, lane, address, 8, true)
                                      : shared_pointer(warp, i, lane, address, 8, true);
  }
  report_misaligned(warp, i, addresses, 8, true);
  return nullptr;
}

/// Bytes have come that the object at `address` counts: mbarrier::complete_tx::bytes of a lane.
inline void complete_bytes(Warp& warp, const Instruction& i, int lane, uint64_t address,
                           uint64_t bytes) {
  uint8_t* const place = barrier_pointer(warp, i, lane, address);
  if (place == nullptr) return;
  Mbarrier barrier;
  std::memcpy(&barrier, place, sizeof barrier);
  watch_phase(warp, lane, address, static_cast<unsigned>(barrier.phase), false);
  act(barrier, kComplete, bytes);
  std::memcpy(place, &barrier, sizeof barrier);
}

/// Makes a store into st.async (PTX ISA 9.7.9.12), whose third operand is an mbarrier's address.
void decode_async_store(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

/// cp.async.bulk and cp.reduce.async.bulk (bulk_copy.cpp).
void decode_bulk(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
