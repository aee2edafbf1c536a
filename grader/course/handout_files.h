// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"
#include "course/leaks.h"

namespace warpgrade {

/// What of an assignment is handed out, by its path in the course: all of assignments/SLUG but the
/// oracle, and the skeleton. The Error names what cannot be read.
Result<Texts> handout_files(const Files& files, const fs::path& course, const std::string& slug);

/// The same, with what must stay behind: all CUDA files below reference/SLUG.
Result<HandoutTexts> handout_texts(const Files& files, const fs::path& course,
                                   const std::string& slug);

}  // namespace warpgrade
