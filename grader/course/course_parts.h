// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace warpgrade {

// Files of an assignment, by their paths in the course.
std::vector<fs::path> parts_for_grading(const std::string& slug);
std::vector<fs::path> parts_for_handout(const std::string& slug, const std::string& submission);
std::vector<fs::path> parts_for_proof(const std::string& slug, const std::string& submission);

/// An Error that names each of `parts` that `course` lacks, with the remedy.
Status require_parts(const Files& files, const fs::path& course, const std::string& slug,
                     const std::vector<fs::path>& parts);

/// An Error where the course has no rubric of this name: which ones it has, and how to name another course.
Status require_rubric(const Files& files, const fs::path& course, const std::string& slug);

}  // namespace warpgrade
