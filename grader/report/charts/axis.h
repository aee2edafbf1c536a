// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpgrade {

/// How the numbers on an axis grow: in even steps from 0, or in whole powers of ten.
enum class AxisScale { kLinear, kLogarithmic };

/// Logarithmic for positive numbers of which the most is more than 20 times the least.
AxisScale axis_scale_for(std::pair<double, double> span);

/// One axis of a chart: where each number stands between two places, `from` and `to`, in the chart's own units.
class Axis {
 public:
  /// `span` is the least and the most number, both above 0 on a logarithmic axis.
  Axis(std::pair<double, double> span, AxisScale scale, double from, double to);

  double at(double value) const;
  std::vector<double> ticks() const;
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  double from_, to_, low_ = 0, high_ = 1, step_ = 1;
  bool is_logarithmic_ = false;
};

/// The grid of both axes for an SVG image, with a number at each line. `y` runs from the bottom to the top.
std::string axes_grid(const Axis& x, const Axis& y);

}  // namespace warpgrade
