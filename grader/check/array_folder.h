// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"
#include "check/arrays.h"

namespace warpgrade {

/// The arrays of our own folder: every NAME.npy in it. For a folder that a student's program wrote,
/// see run/outputs.h.
Result<Arrays> read_arrays(const Files& files, const fs::path& folder);

/// Makes the folder. Not durable: a case is made anew for every batch.
Status write_arrays(const fs::path& folder, const Arrays& arrays);

}  // namespace warpgrade
