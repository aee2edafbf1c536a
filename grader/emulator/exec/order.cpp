// SPDX-License-Identifier: MIT
#include "emulator/exec/order.h"

#include <algorithm>
#include <numeric>

namespace warpgrade::emulator {

/// The finaliser of SplitMix64 over a sum that keeps the three apart.
uint64_t mixed(uint64_t order, uint64_t a, uint64_t b) {
  uint64_t bits = order * 0x9E37'79B9'7F4A'7C15 + a * 0xD1B5'4A32'D192'ED03 + b;
  bits = (bits ^ (bits >> 30)) * 0xBF58'476D'1CE4'E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D0'49BB'1331'11EB;
  return bits ^ (bits >> 31);
}

Permutation::Permutation(uint64_t order, uint64_t salt, uint64_t count)
    : count_(std::max<uint64_t>(count, 1)) {
  if (order == kNaturalOrder) return;
  if (order == kReversedOrder) {
    step_ = start_ = count_ - 1;
    return;
  }
  start_ = mixed(order, salt, 1) % count_;
  step_ = 1 + mixed(order, salt, 2) % count_;
  while (std::gcd(step_, count_) != 1) ++step_;
}

}  // namespace warpgrade::emulator
