// SPDX-License-Identifier: MIT
#include "rubric/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace warpgrade {

double Curve::at(double x) const {
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const CurvePoint& point) { return point.x >= x; });
  if (above != points.end() && above->x == x) return above->fraction;
  const bool rises = points.front().fraction < points.back().fraction;
  const bool step = interpolation == Interpolation::kStep;
  if (above == points.begin()) return step && rises ? 0 : above->fraction;
  if (above == points.end()) return step && !rises ? 0 : points.back().fraction;
  const CurvePoint& right = *above;
  const CurvePoint& left = *(above - 1);
  if (step) return std::min(left.fraction, right.fraction);
  const bool log = interpolation == Interpolation::kLog;
  const double along =
      log ? std::log(x / left.x) / std::log(right.x / left.x) : (x - left.x) / (right.x - left.x);
  return left.fraction + along * (right.fraction - left.fraction);
}

std::string to_string(const Curve& curve) {
  std::vector<std::string> points;
  for (const CurvePoint& point : curve.points)
    points.push_back(fmt::format("{}: {}", point.x, point.fraction));
  const std::string_view way = curve.interpolation == Interpolation::kStep     ? "step"
                               : curve.interpolation == Interpolation::kLinear ? "linear"
                                                                               : "log";
  return fmt::format("{} ({})", way, join(points, ", "));
}

}  // namespace warpgrade
