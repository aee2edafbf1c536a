// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "pipeline/results_folder.h"

namespace warpgrade {

/// What a results folder holds of its one assignment.
struct StoredClass {
  std::string assignment;
  std::vector<SubmissionResult> results;  ///< By student id.
  std::vector<DamagedResult> damaged;
};

/// An Error with a remedy where `folder` holds no results, or those of several assignments.
Result<StoredClass> read_class(const fs::path& folder);

/// The result of a student, called by id, by name or by an id of the LMS, in any case of letters. An Error that says who
/// may be meant where no result, or more than one, is called so.
Result<SubmissionResult> find_student(const StoredClass& stored, const std::string& student);

}  // namespace warpgrade
