// SPDX-License-Identifier: MIT
#include "report/formats/moodle_feedback.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Moodle splits the name at its first four underscores, and reads the participant's number behind the first one.
std::string file_name(const SubmissionResult& result, const std::string& participant) {
  std::string name = result.student;
  std::replace(name.begin(), name.end(), '_', '-');
  return fmt::format("{}_{}_assignfeedback_file_{}.html", name, participant, result.assignment);
}

}  // namespace

MoodleFeedback moodle_feedback(const std::vector<SubmissionResult>& results,
                               const PageOf& page_of) {
  MoodleFeedback feedback;
  for (const SubmissionResult& result : results) {
    const auto id = result.identity.ids.find("moodle");
    const auto leave_out = [&](const std::string& why) {
      feedback.left_out[why].push_back(printable(result.student));
    };
    if (result.has_system_error()) {
      leave_out("the submission could not be graded, so there is no feedback");
      continue;
    }
    if (id == result.identity.ids.end() || !is_number(id->second)) {
      leave_out("no participant number of Moodle is known: grade with --roster worksheet.csv");
      continue;
    }
    Result<std::string> page = page_of(result);
    if (page)
      feedback.files[file_name(result, id->second)] = std::move(*page);
    else
      leave_out(page.error().message + "; warpgrade report writes the pages again");
  }
  return feedback;
}

}  // namespace warpgrade
