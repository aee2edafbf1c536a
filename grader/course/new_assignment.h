// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "course/handout.h"

namespace warpgrade {

/// A working assignment to start from, made of the engine's template: all its files by their paths in
/// a course. An Error where `slug` is no name for one: [a-z0-9-], at most 40.
Result<FileTree> new_assignment(const Engine& engine, const std::string& slug,
                                const std::string& title);

/// Writes them. An Error, and nothing written, where one of them exists.
Status add_assignment(const FileTree& tree, const fs::path& course);

}  // namespace warpgrade
