// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/class_statistics.h"
#include "report/result.h"

namespace warpgrade {

/// Gives the source that a result is of; empty where it is not known.
using SourceOf = std::function<std::string(const SubmissionResult&)>;

/// The lines of a source, whatever ends them.
std::vector<std::string> source_lines(std::string_view source);

/// Lines of one student's source that stand for all students of a group.
struct Passage {
  size_t student = 0;               ///< Place in the results.
  size_t line = 0, first_line = 0;  ///< The line meant, and that of `lines[0]`; both from 1.
  std::vector<std::string> lines;
};

/// The line that the group's reason names with two lines around it, or else the first finding's in the group's case, or
/// the definition of the kernel that ran there. Nothing where the grader knows no line.
std::optional<Passage> representative_passage(const std::vector<SubmissionResult>& results,
                                              const FailureGroup& group, const SourceOf& source_of);

}  // namespace warpgrade
