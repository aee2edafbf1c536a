// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "base/files.h"

namespace warpgrade {

/// Stands for folders that hold too many files, too many levels, or what may not be looked into.
constexpr size_t kBeyondMeasure = std::numeric_limits<size_t>::max();

/// Disk space that all files below `folders` take, and those that processes of the tree of `process`
/// hold open there without a name; kBeyondMeasure where they cannot be counted in a moment.
size_t bytes_in(const std::vector<fs::path>& folders, pid_t process = 0);

/// Whether one of the folders lies in memory, as /dev/shm does.
bool are_in_memory(const std::vector<fs::path>& folders);

/// Whether the file system of one of the folders has no room left, in bytes or in files, for what a
/// program or a compiler writes at least. Asks the file system only.
bool is_full(const std::vector<fs::path>& folders);

/// The same of one folder of the grader's own, by writing a file as well, which a quota may forbid.
bool refuses_files(const fs::path& folder);

/// How many processes the kernel has killed since the machine started because it had no memory left.
long out_of_memory_kills();

}  // namespace warpgrade
