// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "course/expectation.h"
#include "intake/submission.h"
#include "report/result.h"

namespace warpgrade {

/// Why the staff keeps a submission whose result is known beforehand.
enum class Role {
  kReference,  ///< must earn everything
  kSkeleton,   ///< must earn nothing
  kBroken,     ///< does not compile, made by the check itself
  kClass,      ///< a sample student, loses what loses.txt says
  kMutant,     ///< a wrong answer, fails exactly the items that its header names
  kAccepted,   ///< a right answer in an odd style
  kExploit     ///< cheats, and fails exactly the items that its header names
};

std::string_view to_string(Role role);

struct KnownSubmission {
  Role role = Role::kMutant;
  Submission submission;
  Expectation expectation;

  const std::string& name() const { return submission.student; }
};

/// Where an assignment keeps what it is proved with.
struct AssignmentFolders {
  fs::path reference;
  fs::path skeleton;
};

/// The reference, the skeleton, one that does not compile, class/, mutants/, accepted/ and exploits/, in this
/// order. The Error lists every mistake in their headers as `file:line: error: ...`.
Result<std::vector<KnownSubmission>> read_known_submissions(const Files& files,
                                                            const AssignmentFolders& folders,
                                                            const Rubric& rubric);

/// A known submission and what became of it.
struct CourseRow {
  Role role = Role::kMutant;
  std::string name;
  std::string mutant_class;
  double score = 0;
  double max_score = 0;
  std::vector<std::string> lost;  ///< items that did not pass; one that waits for a GPU is not lost
  std::vector<std::string> caught_by;            ///< those of them that failed by themselves
  std::string complaint;                         ///< empty where all is as it should be
  std::vector<Disagreement> disagreements = {};  ///< of the emulated device and a GPU
  Compared compared = {};                        ///< the verdicts that these are of
  std::vector<Unobserved> unobserved = {};       ///< where the GPU said nothing
  double wall_s = 0;                             ///< from its compiling to its verdict
  bool in_telling_cases = false;  ///< graded only where it lost its items under an earlier seed

  bool ok() const { return complaint.empty(); }
};

/// Holds a result against what was known beforehand.
CourseRow judge_known(const KnownSubmission& known, const SubmissionResult& result);

/// What is wrong about a list of losses; empty where exactly the items that should be are lost.
std::string compare_losses(const std::vector<std::string>& lost,
                           const std::vector<std::string>& should_lose);

}  // namespace warpgrade
