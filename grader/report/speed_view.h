// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/result.h"

namespace warpgrade {

/// A section of a page: what each kernel's counters say, beside the best they could. Empty where no kernel ran.
std::string kernels_section(const SubmissionResult& result);

/// A section of a page: what speed was judged by, modelled and measured apart. Empty where nothing was.
std::string speeds_section(const SubmissionResult& result);

/// What the page's script draws of both: `kernels` with their gauges, `speeds`, `times`.
nlohmann::ordered_json speed_model(const SubmissionResult& result);

}  // namespace warpgrade
