// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/requires.h"
#include "run/gpu/gpu.h"

namespace warpgrade {

/// GPUs of one model, since speeds of one class are compared with each other; and a sentence about
/// what was left out, or why there is none.
struct GpuChoice {
  std::vector<Gpu> gpus;
  std::string note;
};

/// Takes the GPUs that the assignment accepts, and of these the most frequent model.
GpuChoice choose_gpus(const GpuMachine& machine, const Requires& wanted);

}  // namespace warpgrade
