// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"

namespace warpgrade {

/// Files by their path within a tree.
using FileTree = std::map<fs::path, std::string>;

/// What a student gets for these assignments: statement, contract, driver, oracle and skeleton of
/// each, its rubric without what is hidden, and the tools' sources. Nothing of reference/.
Result<FileTree> handout_files(const fs::path& course, const std::vector<std::string>& slugs);

/// Into `to`, which is made, and must be empty where it exists. Scripts become executable.
Status write_tree(const FileTree& tree, const fs::path& to);

/// As a ZIP archive in which everything lies in one folder, named like the archive.
Status write_zip(const FileTree& tree, const fs::path& to);

}  // namespace warpgrade
