// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade {

/// A kind of mistake that students make, which the second line of a mutant names.
struct MistakeKind {
  std::string id;
  std::string title;
};

/// A kind of cheat, which an exploit names by its place in the list, from 1.
struct CheatKind {
  std::string title;
  std::string defence;
  std::vector<std::string> shown_by = {};  ///< Mutants that show it, by their paths in the course.
};

/// What `warpgrade check` demands of the wrong answers that prove a course; nothing by default.
struct ProofPolicy {
  int mutants_of_course = 0;
  int mutants_of_assignment = 0;
  int mistakes_of_assignment = 0;  ///< Different kinds.
  bool covers_case_kinds = false;  ///< Each requirement is judged in cases of every kind.
  std::vector<MistakeKind> mistakes = {};
  std::vector<CheatKind> cheats = {};
};

}  // namespace warpgrade
