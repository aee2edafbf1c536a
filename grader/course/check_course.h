// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "course/assignment_check.h"

namespace warpgrade {

/// All that was found out about the assignments that were checked.
struct CourseReport {
  std::vector<AssignmentReport> assignments;
  std::vector<std::string> complaints;  ///< about the course as a whole
  uint64_t seed = 0;                    ///< of the inputs: the same seed gives the same results
  double wall_s = 0;
  size_t undone = 0;  ///< tasks that were left out because the check was stopped
  size_t tasks = 0;   ///< in all

  bool ok() const;
  /// Verdicts that a GPU gave as well.
  long compared() const;
  /// Some assignment could not be read.
  bool has_error() const;
};

/// Called for each assignment before any program runs, with what is wrong with its files; from one thread.
using FileComplaints =
    std::function<void(const std::string& slug, const std::vector<std::string>& complaints)>;

struct CheckOptions {
  std::vector<std::string> slugs;
  bool whole_course = false;  ///< `slugs` are all that there are
  int jobs = 1;
  uint64_t seed = 0;
  int seeds = 1;  ///< that many: `seed` and those that follow it
  std::function<bool()> stopped = [] { return false; };  ///< then no task is begun any more
  ProofScope scope = ProofScope::kWhole;
  FileComplaints tell_at_once = [](const std::string&, const std::vector<std::string>&) {};
};

/// Called after each task, never twice at once: "vecadd: (reference)", tasks done, tasks in all.
using CheckProgress = std::function<void(const std::string& what, size_t done, size_t all)>;

/// Called with the report of each seed as soon as nothing of it is left to do, never twice at once.
using SeedProgress = std::function<void(const CourseReport&)>;

/// Proves assignments with one pool of threads for all their submissions under all seeds, the first seed's first. Where
/// files of the course cannot be read, only the first seed has a report; where the check was stopped, those that
/// were begun.
std::vector<CourseReport> check_course(
    const Installation& installation, const CheckOptions& options, const CheckProgress& progress,
    const SeedProgress& proved = [](const CourseReport&) {});

/// Why these assignments are not the whole course that `proof` demands.
std::vector<std::string> complaints_about_course(const std::vector<AssignmentReport>& assignments,
                                                 const ProofPolicy& proof);

/// Writes each handout's table and each skeleton's stamp where they are others, and returns the paths
/// that were written.
Result<std::vector<std::string>> write_generated(Files& files, const Paths& paths,
                                                 const std::vector<std::string>& slugs);

}  // namespace warpgrade
