// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"

namespace warpgrade {

/// Has the first GPU that CUDA shows this process fill a little memory, and reads it back.
Status check_gpu();

}  // namespace warpgrade
