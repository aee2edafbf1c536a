// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "course/known_submission.h"

namespace warpgrade {

/// What is wrong with a rubric that its reader allows: points that do not add up to 100, and
/// efficiency or performance that can be had without a right answer.
std::vector<std::string> complaints_about_rubric(const Rubric& rubric);

/// Items that no wrong answer loses by themselves, so that nobody knows whether they can be lost. A
/// program that loses all of them tells about none.
std::vector<std::string> unproved_items(const Rubric& rubric, const std::vector<CourseRow>& rows);

/// How many wrong answers there are, and of which kinds.
struct MutantCount {
  int mutants = 0;  ///< with the students of the sample class that name a kind of mistake
  int caught = 0;   ///< that lost exactly what they should
  int classes = 0;  ///< different kinds of mistakes
};

MutantCount count_mutants(const std::vector<CourseRow>& rows);

/// "3 mutants, at least 8 are needed"; empty where there are as many of as many classes as the course demands.
std::string complaint_about_count(const MutantCount& count, const ProofPolicy& proof);

}  // namespace warpgrade
