// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"

namespace warpgrade {

/// Copies a program, and the folder `libs` beside it where it looks for libraries, if there is one.
Status copy_program(const fs::path& from, const fs::path& to);

}  // namespace warpgrade
