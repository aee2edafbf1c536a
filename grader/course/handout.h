// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "pipeline/installation.h"

namespace warpgrade {

/// Files by their path within a tree.
using FileTree = std::map<fs::path, std::string>;

/// What a student gets of a course for these assignments: statement, contract, driver, oracle and skeleton of each, its
/// rubric without what is hidden, and how to test. Nothing of reference/. In another language than English, statements,
/// titles and hints are the translations, where an assignment has one.
Result<FileTree> handout_files(const Paths& paths, const std::vector<std::string>& slugs,
                               const std::string& language = "en");

/// What tests them: the engine as programs, which need no package of the student's machine but the toolkit's and the
/// compiler's. It lies in engine/, beside the files of the course.
Result<FileTree> engine_files(const Installation& installation,
                              const std::vector<std::string>& slugs);

/// Whether it is a program or a script.
bool is_executable(const std::string& bytes);

/// Into `to`, which is made, and must be empty where it exists. Scripts become executable.
Status write_tree(const FileTree& tree, const fs::path& to);

/// As a ZIP archive in which everything lies in `top`; an empty one for no folder at all.
Status write_zip(const FileTree& tree, const Engine& engine, const fs::path& to,
                 const std::string& top);

}  // namespace warpgrade
