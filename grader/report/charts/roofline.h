// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// The kernels that took longest, each in the case where it did, by the model; the longest first.
std::vector<ProgramWork> kernel_work(const std::vector<KernelRow>& kernels);

/// A section of a page: each kernel, and the baselines, under the roof of the device that was modelled. Empty where
/// no kernel's time was modelled.
std::string roofline_section(const SubmissionResult& result);

}  // namespace warpgrade
