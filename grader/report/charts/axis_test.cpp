// SPDX-License-Identifier: MIT
#include "report/charts/axis.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Axis, TakesRoundStepsFromZero) {
  const Axis axis({3, 87}, AxisScale::kLinear, 0, 100);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_DOUBLE_EQ(axis.at(50), 50);
}

TEST(Axis, TakesWholePowersOfTenWhereNumbersSpanMuch) {
  const Axis axis({0.02, 3}, AxisScale::kLogarithmic, 90, 0);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0.01, 0.1, 1, 10}));
  EXPECT_DOUBLE_EQ(axis.at(0.01), 90);
  EXPECT_DOUBLE_EQ(axis.at(0.1), 60);
  EXPECT_EQ(axis_scale_for({0.02, 3}), AxisScale::kLogarithmic);
  EXPECT_EQ(axis_scale_for({1, 20}), AxisScale::kLinear);
  EXPECT_EQ(axis_scale_for({0, 1000}), AxisScale::kLinear);
}

TEST(Axis, HasAStepWhereAllNumbersAreEqual) {
  for (const double value : {0.0, 1.0, 7.0})
    EXPECT_GE(Axis({value, value}, AxisScale::kLinear, 0, 1).ticks().size(), 2U) << value;
  EXPECT_EQ(Axis({1, 1}, AxisScale::kLogarithmic, 0, 1).ticks().size(), 2U);
}

}  // namespace
}  // namespace warpgrade
