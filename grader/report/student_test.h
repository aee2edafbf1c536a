// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/layout.h"
#include "report/result.h"
#include "report/text_report.h"
#include "rubric/handout_passages.h"

namespace warpgrade {

/// What a student's program printed in one case.
struct PrintedText {
  std::string case_id;
  std::string text;
};

/// How a student sees the test of one file.
struct TestView {
  size_t columns = kReportColumns;
  Colour colour = Colour::kNever;
  std::string source;                           ///< the file's text
  std::string command = "warpgrade test SLUG";  ///< how the student calls the test
  std::vector<PrintedText> printed;
  bool has_named_cases =
      false;  ///< then all that the program printed is shown, else the end of a failing case
  std::vector<HandoutPassage> handout;  ///< what the handout says of items
};

/// A screenful for the author of a file: what passed, what failed, what the program printed, and last what to look
/// at first, with the line of the source and the passage of the handout. Public cases only: nothing is left out.
std::string format_test(const SubmissionResult& result, const TestView& view);

}  // namespace warpgrade
