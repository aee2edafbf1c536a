// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "intake/submission.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Where programs run. The emulated machine has the devices that each case names; a real one has
/// what it has.
enum class Target { kEmulated, kGpu };

struct BuildStep {
  std::string file;
  int compile_s;
};

struct RunStep {
  std::string case_id;
  std::vector<std::string> words;    ///< Arguments of the driver.
  std::vector<std::string> devices;  ///< Empty on a real machine.
  std::string family;
  Expression::Values values;  ///< Arguments of the oracle.
  Limits limits;
  bool timed = false;  ///< Some performance item is judged by it.
};

/// Judges one item over one run; no case for a build item.
struct CheckStep {
  std::string item_id;
  std::string case_id;
};

struct ScoreStep {};

using Step = std::variant<BuildStep, RunStep, CheckStep, ScoreStep>;

/// All that will be done for one submission, in order.
struct Plan {
  std::string assignment;
  std::string student;
  Target target;
  std::vector<Step> steps;
};

/// Runs only cases that some item is judged by. A submission that could not be read goes straight
/// to its score.
Plan make_plan(const Rubric& rubric, const Submission& submission, Target target);

/// One line per step.
std::string format_plan(const Plan& plan);

}  // namespace warpgrade
