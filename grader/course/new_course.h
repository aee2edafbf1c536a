// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "course/handout.h"

namespace warpgrade {

/// A course to start from, by paths in its repository: settings, tests and one complete assignment, `saxpy`. Its tests
/// and `warpgrade check` pass as it is. An Error where the title cannot stand in the files.
Result<FileTree> new_course(const Engine& engine, const std::string& title);

}  // namespace warpgrade
