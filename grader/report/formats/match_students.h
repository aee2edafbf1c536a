// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// Whom a row of an LMS's sheet is about.
struct SheetPerson {
  size_t row = 0;
  std::string name;                        ///< As the sheet writes it.
  std::map<std::string, std::string> ids;  ///< By kind, as Identity has them.
};

/// Which result belongs to which row.
struct StudentMatch {
  std::map<size_t, size_t> result_of;  ///< By the index of the person: the index of the result.
  std::vector<std::string>
      ambiguous;  ///< One line for each student who may be in several rows, or share one.
  std::vector<std::string> without_row;  ///< Students whose score no row takes.
};

/// Matches by the LMS's ids, then by the student's id, then by name. Where an id or a name fits several
/// rows, or two results fit one row, none of them gets a result. `own` is the kind of id that the LMS gives itself ("canvas"): a row
/// and a result that both have one and differ in it never match. Each member of a group gets the group's result.
StudentMatch match_students(const std::vector<SubmissionResult>& results,
                            const std::vector<SheetPerson>& people, const std::string& own);

}  // namespace warpgrade
