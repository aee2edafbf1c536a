// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace warpgrade {

/// Live children of a process, of all its threads; empty where it is gone.
std::vector<pid_t> children_of(pid_t process);

/// Memory that the process and all its descendants hold resident: anonymous and shared, not the
/// pages of files.
size_t tree_memory_bytes(pid_t process);

}  // namespace warpgrade
