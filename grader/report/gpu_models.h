// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// The model of GPU that the speed of one submission was measured on; empty where none was.
std::string gpu_model_of(const SubmissionResult& result);

/// What the staff is told where the speed of a class was measured on GPUs of several models; empty
/// where there is one at most.
std::string describe_mixed_models(const std::vector<SubmissionResult>& whole_class);

}  // namespace warpgrade
