// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "check/judgement.h"
#include "rubric/curve.h"

namespace warpgrade {

/// `value` paid by the curve; `what` says the number: "sectors_per_global_load is 8".
Judgement by_curve(const Curve& curve, double value, const std::string& what);

/// The same where the fraction is known already.
Judgement by_fraction(const Curve& curve, double fraction, const std::string& what);

}  // namespace warpgrade
