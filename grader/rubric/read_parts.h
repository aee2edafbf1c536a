// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "rubric/rubric.h"
#include "rubric/schema.h"

namespace warpgrade {

/// The cases that an item is judged by: what its expressions may name.
using Scope = std::vector<const Case*>;

/// A formula that every case of the scope can compute, with a result of at least `least`.
Type<Expression> expression_type(const Scope& scope, long least = 0);

/// One element of `outputs`.
Type<OutputRule> output_type(const Scope& scope);

/// One element of `rules`: a map of one key, the rule's name, to its fields.
Type<Rule> rule_type(const Scope& scope);

/// What an efficiency item is about. `bounded`: at least one bound is there.
Type<Metric> counter_type(const Scope& scope, bool bounded);

/// What a performance item is about.
Type<Metric> time_metric_type(const Scope& scope);

Type<Curve> curve_type();

}  // namespace warpgrade
