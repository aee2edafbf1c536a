// SPDX-License-Identifier: MIT
#pragma once

#include "rubric/proof_policy.h"
#include "rubric/schema.h"

namespace warpgrade {

/// The map `proof` of course.yaml.
Type<ProofPolicy> proof_type();

/// Reports each kind of mistake in `root` whose id an earlier one has.
void check_mistakes(const Yaml& root, Diagnostics& errors);

}  // namespace warpgrade
