// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "pipeline/installation.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// The items of a rubric as the table that a handout in the language shows.
std::string rubric_table(const Rubric& rubric, const std::string& language = "en");

/// `handout` with that table between its lines `<!-- rubric:begin -->` and `<!-- rubric:end -->`. An
/// Error where it does not have both.
Result<std::string> with_rubric_table(std::string_view handout, const Rubric& rubric,
                                      const std::string& language = "en");

/// Where a statement in the language stands in the assignment's folder: handout.LL.md.
fs::path statement_in(const fs::path& assignment, const std::string& language);

/// By its path, each statement of the assignment in another language with the table that it should have.
Result<std::map<fs::path, std::string>> translated_statements(const Files& files,
                                                              const Paths& paths,
                                                              const std::string& slug);

}  // namespace warpgrade
