// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/sample_keys.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(SampleKeys, EachLaunchHasAnother) {
  SampleKeys keys(7);
  const uint64_t first = keys.next("add");
  EXPECT_NE(keys.next("add"), first);
  EXPECT_NE(keys.next("multiply"), first);
}

TEST(SampleKeys, ThoseOfARangeAreTheSameWhereOtherRangesAreLeftOut) {
  SampleKeys all(7), alone(7);
  for (int i = 0; i < 3; ++i) {
    all.next("add");
    EXPECT_EQ(all.next("multiply"), alone.next("multiply"));
  }
}

TEST(SampleKeys, WithoutASecretAllAreAlike) {
  SampleKeys keys(0);
  EXPECT_EQ(keys.next("add"), 0u);
  EXPECT_EQ(keys.next("add"), 0u);
}

}  // namespace
}  // namespace warpgrade::emulator
