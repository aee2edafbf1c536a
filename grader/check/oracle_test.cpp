// SPDX-License-Identifier: MIT
#include "check/oracle.h"

#include <gtest/gtest.h>

#include <set>

namespace warpgrade {
namespace {

/// The state from which SplitMix64 makes a number: its steps backwards.
uint64_t state_before(uint64_t number) {
  constexpr uint64_t kFirstInverse = 0x96de1b173f119089, kSecondInverse = 0x319642b2d24d8ec3,
                     kStep = 0x9e3779b97f4a7c15;
  const auto unshift = [](uint64_t z, int bits) {
    return z ^ (z >> bits) ^ (z >> 2 * bits) ^ (3 * bits < 64 ? z >> 3 * bits : 0);
  };
  uint64_t z = unshift(number, 31) * kSecondInverse;
  z = unshift(z, 27) * kFirstInverse;
  return unshift(z, 30) - kStep;
}

TEST(SeededRandom, DoesNotLeadFromANumberBackToTheSeed) {
  constexpr uint64_t kSeed = 0x0123456789abcdef;
  EXPECT_NE(state_before(SeededRandom(kSeed).next()), kSeed);
}

TEST(SeededRandom, RepeatsItsNumbersForTheSameSeedAlone) {
  std::set<uint64_t> numbers;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SeededRandom random(seed << 30), again(seed << 30);
    for (int i = 0; i < 100; ++i) {
      const uint64_t number = random.next();
      EXPECT_EQ(number, again.next());
      EXPECT_TRUE(numbers.insert(number).second) << "seed " << seed << ", number " << i;
    }
  }
}

}  // namespace
}  // namespace warpgrade
