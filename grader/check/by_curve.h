// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "check/judgement.h"
#include "rubric/curve.h"

namespace warpgrade {

/// `value` paid by the curve; `what` says the number.
Judgement by_curve(const Curve& curve, double value, const Sentence& what);

/// The same where the fraction is known already.
Judgement by_fraction(const Curve& curve, double fraction, const Sentence& what);

}  // namespace warpgrade
