// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "course/handout.h"

namespace warpgrade {

/// A word of a template such as "@title@", and the text that takes its place.
struct Placeholder {
  std::string name;
  std::string text;
};

/// All files below a folder of templates, by their paths in it.
Result<FileTree> read_template(const fs::path& folder);

/// `text` with every placeholder replaced.
std::string fill(std::string text, const std::vector<Placeholder>& placeholders);

/// Why a title cannot stand in YAML and Markdown as it is; empty where it can.
std::string title_mistake(const std::string& title);

}  // namespace warpgrade
