// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/requires.h"
#include "rubric/schema.h"
#include "rubric/settings.h"

namespace warpgrade {

/// What a file leaves out is as in `standard`.
Type<Limits> limits_type(const Limits& standard);
Type<LatePolicy> late_type(const LatePolicy& standard);

/// Names of devices that can be emulated.
Type<std::vector<std::string>> devices_type();

Type<Requires> requires_type();

Type<Curve> curve_type();

Type<Moment> moment_type();

/// Enters that the settings which stand in `root` come from there.
void note_origins(const Yaml& root, SettingOrigin origin, Origins& origins);

}  // namespace warpgrade
