// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/moment.h"
#include "base/result.h"
#include "rubric/curve.h"
#include "rubric/proof_policy.h"

namespace warpgrade {

/// What one program may use. The defaults hold where the course and the rubric are silent.
struct Limits {
  int wall_s = 10;
  int memory_mb = 2048;
  int output_kb = 64;
  int processes = 64;
  int compile_s = 60;
  /// Warp instructions of one launch, a longer one fails: half a second. A 256 x 256 x 256 product takes a third of it.
  int launch_instructions = 20'000'000;
};

/// More time for one student.
struct Extension {
  std::string student;
  std::string assignment;       ///< Empty: of every one.
  std::optional<Moment> until;  ///< Or `days` more.
  int days = 0;
  std::string place = {};  ///< "rubrics/course.yaml:12", where it stands.
};

/// When an answer is due, and what it costs to be late. Lateness counts from the end of the grace.
struct LatePolicy {
  std::optional<Moment> due;  ///< None: nobody is late.
  int grace_minutes = 0;
  double points_per_day = 0;   ///< Lost for each day that has begun.
  std::optional<Curve> curve;  ///< Or: from days late to the part of the score that is kept.
  std::vector<Extension> extensions;
};

enum class SettingOrigin { kDefault, kCourse, kRubric };

std::string_view to_string(SettingOrigin origin);

/// Where a setting such as "limits.wall_s" comes from; what is absent is a default.
using Origins = std::map<std::string, SettingOrigin>;

/// What holds for every assignment, unless its rubric says otherwise.
struct Course {
  struct Entry {
    std::string slug;
    double weight = 1;
    std::optional<Moment> due;
  };

  std::string title;
  std::string language = "en";  ///< What the grader says to students is in it.
  std::vector<Entry>
      assignments;  ///< In the order of the course; one that is not listed comes after them.
  Limits limits;
  std::vector<std::string> devices = {"RTX 3090"};
  LatePolicy late;
  ProofPolicy proof;
  Origins origins;

  /// nullptr where it is not listed.
  const Entry* find(std::string_view slug) const;
};

/// The name that no assignment has.
constexpr std::string_view kCourseName = "course";

/// Reads `course.yaml` in the folder of rubrics as strictly as a rubric; an empty Course where there is none.
Result<Course> read_course(const Files& files, const fs::path& folder);

/// The same for text already in memory. `slugs` are those of the rubrics, for what the list of
/// assignments names; none: not checked.
Result<Course> parse_course(std::string_view text, std::string_view name,
                            const std::optional<std::vector<std::string>>& slugs = {});

/// The JSON Schema of `course.yaml`.
std::string course_schema();

/// The slugs of the rubrics in a folder, those of course.yaml in its order, then the others by name.
std::vector<std::string> assignments_of(const Files& files, const fs::path& folder);

}  // namespace warpgrade
