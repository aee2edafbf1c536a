// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "intake/submission.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// Where programs run: on the emulated devices that each case names, or on these and then on one of
/// the machine's GPUs.
enum class Target { kEmulated, kGpu };

struct BuildStep {
  std::string file;
  int compile_s;
};

struct RunStep {
  std::string case_id;
  std::vector<std::string> words;    ///< Arguments of the driver.
  std::vector<std::string> devices;  ///< The emulated machine's.
  std::string family;
  Expression::Values values;  ///< Arguments of the oracle.
  Limits limits;
  bool timed = false;  ///< Some performance item is judged by it.
  /// Arrays of the program that some item of the case asks for: no others are read.
  std::set<std::string> outputs = {};
  /// Arrays that the oracle makes of some of these, and of which.
  std::map<std::string, std::vector<std::string>> derived = {};
  long order = 0;  ///< The order of blocks, warps and lanes on the emulated device.
  /// The race checker wants a fence behind a relaxed read that is to order accesses.
  bool fences = false;
  /// In a timed run on a GPU, which of the case's inputs each repetition reads; empty: runs once.
  std::vector<int> repetitions = {};
  /// The outputs that are read of each repetition.
  std::set<std::string> repeated_outputs = {};
  /// Ranges whose calls are left out, because they ended an earlier run of the case badly.
  std::set<std::string> left_out = {};
};

/// Times one case on a GPU, beside the baselines that its items compare with, on several inputs in
/// turn.
struct TimeStep {
  RunStep run;
  std::vector<std::string> baselines;
  int inputs = 3;
};

/// Judges one item over one run; no case for a build item.
struct CheckStep {
  std::string item_id;
  std::string case_id;
};

struct ScoreStep {};

using Step = std::variant<BuildStep, RunStep, TimeStep, CheckStep, ScoreStep>;

/// All that will be done for one submission, in order.
struct Plan {
  std::string assignment;
  std::string student;
  Target target;
  std::vector<Step> steps;
};

/// Runs only cases that some item is judged by, public ones first: what a program carries from one
/// case to another never comes from a hidden one to what a student reads. A submission that could not be read goes straight
/// to its score.
Plan make_plan(const Rubric& rubric, const Submission& submission, Target target);

/// The steps of one kind that every submission has.
template <class Kind>
std::vector<Kind> steps_of(const Rubric& rubric, Target target) {
  std::vector<Kind> steps;
  for (const Step& step : make_plan(rubric, Submission{}, target).steps) {
    if (const auto* wanted = std::get_if<Kind>(&step)) steps.push_back(*wanted);
  }
  return steps;
}

/// One line per step.
std::string format_plan(const Plan& plan);

}  // namespace warpgrade
