// SPDX-License-Identifier: MIT
#include "pipeline/held_inputs.h"

#include <gtest/gtest.h>

#include "base/npy.h"

namespace warpgrade {
namespace {

TEST(HeldInputs, ElementsMayMoveWhereOutputsHoldNewOnes) {
  const auto floats = [](std::vector<float> values) {
    return make_npy<float>({values.size()}, values);
  };
  const Arrays inputs = {{"a", floats({1, 2, 3, 4})}};
  EXPECT_TRUE(computes_new_elements(inputs, {{"c", floats({2, 4, 6, 8})}}));
  EXPECT_FALSE(computes_new_elements(inputs, {{"c", floats({4, 3, 2, 1})}}));
}

TEST(HeldInputs, KernelsMayHaveHeldSomeOfTheInputsThatTheDeviceSwapped) {
  const auto inputs = [](int32_t x, int32_t taps) {
    return Arrays{{"x", make_npy<int32_t>({1}, {x})}, {"taps", make_npy<int32_t>({1}, {taps})}};
  };
  const auto held_by = [&](const Trace& other) {
    return inputs_that_may_be_held(other, inputs(1, 2), inputs(3, 4));
  };
  Trace other;
  other.calls.resize(2);
  EXPECT_TRUE(held_by(other).empty());
  other.calls[0].args["swapped_inputs"] = std::vector<std::string>{"x"};
  EXPECT_EQ(held_by(other), (std::vector<Arrays>{inputs(3, 2)}));
  other.calls[1].args["swapped_inputs"] = std::vector<std::string>{"taps", "x"};
  EXPECT_EQ(held_by(other), (std::vector<Arrays>{inputs(3, 4), inputs(3, 2), inputs(1, 4)}));
}

}  // namespace
}  // namespace warpgrade
