// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.h"
#include "base/result.h"

namespace warpgrade {

struct GradescopePerson {
  std::string name, sid, email;
};

/// One submission of a Gradescope export.
struct GradescopeSubmission {
  std::string folder;  ///< "submission_12345"
  std::vector<GradescopePerson> people;
  std::optional<Moment> submitted = {};
};

/// Reads an export's submission_metadata.yml, which holds whole results as well; only who and when is taken from it.
/// The Error names file and line.
Result<std::vector<GradescopeSubmission>> parse_gradescope_list(std::string_view yaml,
                                                                std::string_view name);

}  // namespace warpgrade
