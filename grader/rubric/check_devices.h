// SPDX-License-Identifier: MIT
#pragma once

#include "rubric/rubric.h"
#include "rubric/yaml.h"

namespace warpgrade {

/// What no key shows alone: demands on GPUs that none can meet or that the emulated devices do not,
/// and GPU sizes of a case that is never timed. `root` is what the rubric was read from.
void check_devices(const Rubric& rubric, const Yaml& root, Diagnostics& errors);

}  // namespace warpgrade
