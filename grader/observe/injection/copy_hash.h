// SPDX-License-Identifier: MIT
#pragma once

#include "observe/injection/decoded_call.h"

namespace warpgrade::injection {

/// Adds "content_hash", and "row_hashes" where there are several rows, of what a copy brought into
/// host memory: FNV-1a, which the judge compares with that of a program's outputs.
void note_hashes(const Copy& copy, Json& args);

}  // namespace warpgrade::injection
