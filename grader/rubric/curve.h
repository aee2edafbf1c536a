// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

enum class Interpolation { kStep, kLinear, kLog };

struct CurvePoint {
  double x = 0;
  double fraction = 0;  ///< of the points, 0 to 1
};

/// What part of the points a number is worth. x rises, the fractions rise or fall. kLog is
/// linear in log(x); kStep gives the lesser of the two neighbours, and 0 beyond the worse end.
struct Curve {
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<CurvePoint> points;

  double at(double x) const;
};

/// "linear (1: 0, 6: 1)"
std::string to_string(const Curve& curve);

}  // namespace warpgrade
