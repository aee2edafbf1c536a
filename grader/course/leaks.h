// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "course/handout.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Texts by path.
using Texts = std::map<std::string, std::string>;

/// What of one assignment is handed out, and what must stay behind.
struct HandoutTexts {
  Texts given;    ///< what students are meant to read: skeleton, contract, driver, handout.md
  Texts shipped;  ///< all else that goes with it
  Texts secret;   ///< reference, mutants, accepted answers, baselines; no exploits
};

/// One `path:line: ...` for each passage of a secret file that is not the skeleton's (three lines in
/// a given file, two in any other), and for each id of a hidden case. A single line, such as a call
/// that every answer needs, is no passage, and lines without an idea of their own do not count.
std::vector<std::string> find_leaks(const HandoutTexts& texts, const std::string& skeleton,
                                    const Rubric& rubric);

/// Sorts what is handed out with an assignment; its secrets are the programs below reference/SLUG, where the model
/// answer is called `submission`.
Result<HandoutTexts> handout_texts(const FileTree& handout, const Files& files,
                                   const fs::path& course, const std::string& slug,
                                   const std::string& submission);

/// A line as it is compared: blanks squeezed, empty where it is trivial.
std::string telling_line(std::string_view line);

}  // namespace warpgrade
