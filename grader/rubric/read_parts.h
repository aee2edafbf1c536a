// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rubric/rubric.h"
#include "rubric/schema.h"

namespace warpgrade {

/// The cases that an item is judged by: what its formulas may name.
struct ScopeCase {
  std::string id;
  Expression::Values values;
  bool on_gpu = false;  ///< With the values that it is timed with there.
};
using Scope = std::shared_ptr<const std::vector<ScopeCase>>;

/// A formula that every case of the scope can compute, with a result of at least `least`.
Type<Expression> expression_type(const Scope& scope, long least = 0);

/// One formula, or a list of them.
Type<std::vector<Expression>> expressions_type(const Scope& scope);

/// The name of an NVTX range of the driver.
Type<std::string> range_type();

/// One element of `outputs`.
Type<OutputRule> output_type(const Scope& scope);

/// One element of `rules`: a map of one key, the rule's name, to its fields.
Type<Rule> rule_type(const Scope& scope);

/// One of case_kinds().
Type<std::string> case_kind_type();

/// A map from kinds of cases to reasons.
Type<std::map<std::string, std::string>> reasons_type();

/// A text, or a list of hints, each for some reasons and findings.
Type<std::vector<Hint>> hints_type();

/// What an efficiency item is about.
Type<Metric> counter_type(const Scope& scope);

/// What a performance item is about.
Type<Metric> time_metric_type(const Scope& scope);

}  // namespace warpgrade
