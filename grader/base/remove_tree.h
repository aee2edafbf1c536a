// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "base/files.h"

namespace warpgrade {

/// Removes a file, or a folder with all that lies below it, whatever someone untrusted made of it:
/// takes a fixed number of descriptors at any depth, follows no links, opens folders that are closed
/// to their owner, and gives up after `patience`. False where something is left. A path that does
/// not exist counts as removed.
bool remove_tree(const fs::path& path, std::chrono::milliseconds patience);

}  // namespace warpgrade
