// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"

namespace warpgrade {

/// Whether a name ends as those of archives do (zip, tar, tar.gz and the like), in any case of letters.
bool is_archive(const fs::path& name);

}  // namespace warpgrade
