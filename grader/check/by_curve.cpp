// SPDX-License-Identifier: MIT
#include "check/by_curve.h"

#include <fmt/format.h>

#include <algorithm>

#include "sentences/say.h"

namespace warpgrade {
namespace {

bool rises(const Curve& curve) {
  return curve.points.front().fraction < curve.points.back().fraction;
}

/// The number from which the curve gives everything, going towards its better end.
double full_marks_at(const Curve& curve) {
  double best = 0;
  for (const CurvePoint& point : curve.points) best = std::max(best, point.fraction);
  const auto is_best = [&](const CurvePoint& point) { return point.fraction == best; };
  return rises(curve) ? std::find_if(curve.points.begin(), curve.points.end(), is_best)->x
                      : std::find_if(curve.points.rbegin(), curve.points.rend(), is_best)->x;
}

}  // namespace

Judgement by_curve(const Curve& curve, double value, const Sentence& what) {
  Judgement judgement = by_fraction(curve, curve.at(value), what);
  judgement.value = value;
  return judgement;
}

Judgement by_fraction(const Curve& curve, double fraction, const Sentence& what) {
  Judgement judgement;
  judgement.fraction = std::clamp(fraction, 0.0, 1.0);
  judgement.passed = judgement.fraction > 0;
  if (judgement.fraction == 1) {
    judgement.message = what;
    return judgement;
  }
  judgement.message =
      say("paid.part", {{"what", what},
                        {"percent", fmt::format("{:.0f}", 100 * judgement.fraction)},
                        {"bound", say(rises(curve) ? "bound.at_least" : "bound.at_most")},
                        {"full", fmt::format("{:.4g}", full_marks_at(curve))}});
  return judgement;
}

}  // namespace warpgrade
