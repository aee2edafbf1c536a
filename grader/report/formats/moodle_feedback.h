// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "report/result.h"

namespace warpgrade {

/// The files of a ZIP archive that Moodle takes by "Upload multiple feedback files in a zip", and who gets none.
struct MoodleFeedback {
  std::map<fs::path, std::string> files;
  std::map<std::string, std::vector<std::string>> left_out;  ///< Students by why, with a remedy.
};

/// What the student reads: the page to hand back.
using PageOf = std::function<Result<std::string>(const SubmissionResult&)>;

/// Each student's page under the name by which Moodle finds whom it is for: "NAME_70006_assignfeedback_file_SLUG.html".
MoodleFeedback moodle_feedback(const std::vector<SubmissionResult>& results, const PageOf& page_of);

}  // namespace warpgrade
