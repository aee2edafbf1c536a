// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/diagnostics.h"
#include "rubric/settings.h"

namespace warpgrade {

/// Reads the text of course.yaml. `slugs` are those of the rubrics beside it; none: not checked.
Course check_course(std::string_view text, const std::optional<std::vector<std::string>>& slugs,
                    Diagnostics& errors);

/// The slugs of the rubrics in a folder, by name.
std::vector<std::string> slugs_in(const Files& files, const fs::path& folder);

}  // namespace warpgrade
