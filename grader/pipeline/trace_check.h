// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "run/gpu/gpu_runner.h"

namespace warpgrade {

/// Why a program on this GPU cannot be observed; empty where one was. `folder` is for its trace. Takes a second or so.
std::string tracing_trouble(const Sandbox& sandbox, const GpuTools& tools, const Gpu& gpu,
                            const fs::path& folder);

}  // namespace warpgrade
