// SPDX-License-Identifier: MIT
#pragma once

#include "pipeline/grade.h"

namespace warpgrade {

/// Two folders had different results of one student.
struct MergeChoice {
  std::string student;
  fs::path taken, left;  ///< The folders.
  std::string why;       ///< "it is newer"
};

struct Merged {
  std::string assignment;
  GradedClass graded;  ///< `results` are those of all students.
  std::vector<MergeChoice> choices;
};

/// Brings the results of `from`, and those that `into` holds already, together in `into`, with what belongs to them,
/// and writes its grades.csv. Where a student has two results it takes the more final one, then the newer. Doing it
/// again changes nothing. An Error with a remedy, and nothing written, where they are of two assignments, or, unless
/// `mixed`, of two seeds, rubrics, graders or toolchains.
Result<Merged> merge(const std::vector<fs::path>& from, const fs::path& into, bool mixed);

}  // namespace warpgrade
