// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.h"
#include "base/result.h"
#include "intake/people/student_index.h"
#include "intake/submission.h"

namespace warpgrade {

/// A place of a file that names a student.
struct StudentLine {
  std::string place;  ///< "times.csv:4"
  std::string student;
};

/// One line for each that names neither a student of `index` nor one of `known`, or may mean several: where it stands, and
/// whom it may mean.
std::vector<std::string> unknown_students(const std::vector<StudentLine>& lines,
                                          const StudentIndex& index,
                                          const std::vector<std::string>& known);

/// When each student's answer came, and where that is known from: "file", "mtime", "lms" or "git".
struct SubmissionTimes {
  std::string source;
  std::map<std::string, Moment> by_student;
  std::vector<StudentLine> lines = {};  ///< The file's lines, in its order.
  std::string note = {};                ///< What the staff should know of the file; mostly empty.
};

/// A CSV file with the columns `student` and `submitted`, among others in any order, or Moodle's grading worksheet; of several
/// times of one student the last counts. The Error names every line that is wrong.
Result<SubmissionTimes> parse_submission_times(std::string_view csv, std::string_view name);

/// The times at which the submitted files were last written, which an LMS's archive keeps and a
/// copy does not.
SubmissionTimes file_times(const std::vector<Submission>& submissions);

/// The times that the LMS's download states.
SubmissionTimes lms_times(const std::vector<Submission>& submissions);

/// The times by the students' ids, whatever the file calls the students. A student's last line counts. A line that matches
/// no student, or several, stays as it is.
SubmissionTimes resolve_times(SubmissionTimes times, const StudentIndex& index);

}  // namespace warpgrade
