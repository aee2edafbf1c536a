// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "intake/submission.h"

namespace warpgrade {

/// One line of a roster.
struct Person {
  std::string place;    ///< "roster.csv:4"
  std::string student;  ///< The column `student`; empty where there is none.
  Identity identity;

  /// The name, or else the first id: for messages.
  std::string called() const;
  /// What stands for a student id: the column `student`, or else the first id, or else the name.
  std::string id() const;
};

/// Who is in the class, as an LMS or the staff lists it.
struct Roster {
  std::string name;  ///< The file's, as messages say it.
  std::vector<Person> people;
};

/// Reads Canvas's gradebook, Moodle's grading worksheet or grade export, Gradescope's roster, GitHub Classroom's
/// roster, or a file with columns such as `student`, `name` and `email`. An Error where no column says who is meant.
Result<Roster> parse_roster(std::string_view csv, std::string_view name);

/// What a roster and a class make of each other.
struct RosterMatch {
  size_t handed_in = 0;        ///< People with a submission.
  std::vector<Person> absent;  ///< People without one.
  std::vector<std::string>
      unmatched;  ///< Submissions of nobody on the roster, and doubtful ones, a line for each.

  /// "31 of 33 students on roster.csv handed in", and the lines.
  std::string format(const Roster& roster) const;
};

/// Fills names and ids of the submissions from the roster. A submission and a person match by an id of the same kind,
/// else by the student id or any id, else by the name; only where one person alone does.
RosterMatch match_roster(const Roster& roster, std::vector<Submission>& submissions);

}  // namespace warpgrade
