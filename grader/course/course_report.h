// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "course/check_course.h"

namespace warpgrade {

/// What is not as it should be, and a table with a row for each assignment.
std::string format_course(const CourseReport& report);

/// Only what is not as it should be, a line each, every one with the seed, and a last line with the time
/// that the seed took.
std::string format_wrong(const CourseReport& report);

/// The last line of a check under several seeds: how many all was proved under, and which were not.
std::string format_seeds(const std::vector<CourseReport>& reports);

/// A line for each known submission of an assignment and for each of its cases.
std::string format_assignment(const AssignmentReport& report);

/// All of the course as indented JSON with a newline at the end; its keys always come in the same order.
std::string format_course_json(const CourseReport& report);

/// Under several seeds: whether all was proved under all of them, and in "seeds" the above of each.
std::string format_seeds_json(const std::vector<CourseReport>& reports);

}  // namespace warpgrade
