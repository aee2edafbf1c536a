// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "report/result.h"

namespace warpgrade {

enum class Lms { kCanvas, kMoodle };

/// Into which sheet the scores go.
struct SheetRequest {
  Lms lms = Lms::kCanvas;
  std::string name;  ///< The file's name, for messages.
  std::string column =
      {};  ///< Its header, with or without "(12345)" behind it; empty: the only one that fits.
  bool scale = false;  ///< Converts the scores to the points that the sheet gives.
};

/// The sheet with the scores, and what a person should look at.
struct FilledSheet {
  std::string bytes;
  std::string column;                 ///< Header of the column that was filled.
  size_t filled = 0;                  ///< Cells that hold a score of ours now.
  std::vector<std::string> unplaced;  ///< Lines about results whose score is nowhere in the sheet.
  std::vector<std::string> notes;     ///< Lines about everything else.
};

/// "gradebook.csv: 11 scores in the column 'Grade'; every result is in the sheet"
std::string describe(const FilledSheet& filled, const std::string& name);

/// Fills one column of the sheet that the LMS exported, and changes no other byte of it. A result with a system error
/// has no score; an excused student ("EX") stays excused. An Error with a remedy where the sheet is of another kind, the
/// column is not clear, or the sheet gives other points than the rubric.
Result<FilledSheet> fill_sheet(const std::string& bytes,
                               const std::vector<SubmissionResult>& results,
                               const SheetRequest& request);

}  // namespace warpgrade
