// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "course/check_course.h"

namespace warpgrade {

/// What is not as it should be, and a table with a row for each assignment.
std::string format_course(const CourseReport& report);

/// A line for each known submission of an assignment and for each of its cases.
std::string format_assignment(const AssignmentReport& report);

/// The same as indented JSON with a newline at the end; its keys always come in the same order.
std::string format_course_json(const CourseReport& report);

}  // namespace warpgrade
