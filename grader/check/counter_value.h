// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "observe/trace.h"

namespace warpgrade {

using Launches = std::vector<const KernelLaunch*>;

/// A counter of launches together, by ncu's name or one of a rubric's own; nothing where none of them counted it.
std::optional<double> value_of(const std::string& name, const Launches& launches);

/// What an upper bound is held against: also what does the work of what the counter's name says, such as atomics that store.
/// Further launches would bring a mean down, so the launch with the largest mean stands for all; for atomics on global
/// memory, the block with the most.
std::optional<double> largest_value_of(const std::string& name, const Launches& launches);

/// Accesses to global memory that the counter does not see, though they do the work of those that it counts: by textures and
/// surfaces, by bulk copies where it is a mean, and by loads of constant memory at scattered addresses.
double unseen_accesses(const std::string& name, const Launches& launches);

}  // namespace warpgrade
