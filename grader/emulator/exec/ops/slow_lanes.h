// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// Counts the lanes that take further steps in machine code: RareCount::slow.
template <Handler Inner, class IsSlow>
void with_slow_lanes(Warp& warp, const Instruction& i) {
  const float* a = warp.reg<float>(i.a);
  const uint32_t slow = predicate_of([=](int lane) { return IsSlow{}(a[lane]); }) & warp.mask;
  if (slow != 0) warp.worker->rare[i.pc].slow += static_cast<uint64_t>(std::popcount(slow));
  Inner(warp, i);
}

struct IsZero {
  bool operator()(float a) const { return a == 0; }
};
/// Its power of two is no normal number.
struct IsFarBelowZero {
  bool operator()(float a) const { return a < -126; }
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
