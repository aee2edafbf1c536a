// SPDX-License-Identifier: MIT
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

std::string format_step(const BuildStep& step) {
  return fmt::format("build {} within {} s", step.file, step.compile_s);
}

std::string format_step(const RunStep& step) {
  const std::string devices = step.devices.empty() ? "the GPU" : join(step.devices, ", ");
  return fmt::format("run   {} on {}: {} (inputs: {}; {} s, {} MB, {} instructions a launch{})",
                     step.case_id, devices, join(step.words, " "), step.family, step.limits.wall_s,
                     step.limits.memory_mb, step.limits.launch_instructions,
                     step.timed ? "; timed, beside its baselines" : "");
}

std::string format_step(const CheckStep& step) {
  return step.case_id.empty() ? fmt::format("check {}", step.item_id)
                              : fmt::format("check {} on {}", step.item_id, step.case_id);
}

std::string format_step(const ScoreStep&) { return "score"; }

}  // namespace

Plan make_plan(const Rubric& rubric, const Submission& submission, Target target) {
  Plan plan{rubric.assignment, submission.student, target, {}};
  if (!submission.problem.empty() || !submission.system_error.empty()) {
    plan.steps.push_back(ScoreStep{});
    return plan;
  }
  plan.steps.push_back(BuildStep{rubric.submission, rubric.limits.compile_s});
  for (const Item& item : rubric.items) {
    if (item.kind == ItemKind::kBuild) plan.steps.push_back(CheckStep{item.id, {}});
  }
  for (const Case& each : rubric.cases) {
    std::vector<Step> checks;
    bool timed = false;
    for (const Item& item : rubric.items) {
      const bool judged_by = std::count(item.cases.begin(), item.cases.end(), each.id) > 0;
      if (!judged_by) continue;
      checks.push_back(CheckStep{item.id, each.id});
      timed = timed || item.kind == ItemKind::kPerformance;
    }
    if (checks.empty()) continue;
    const bool emulated = target == Target::kEmulated;
    plan.steps.push_back(RunStep{each.id, each.words(),
                                 emulated ? each.devices : std::vector<std::string>(), each.family,
                                 each.values(), rubric.limits, timed});
    plan.steps.insert(plan.steps.end(), checks.begin(), checks.end());
  }
  plan.steps.push_back(ScoreStep{});
  return plan;
}

std::string format_plan(const Plan& plan) {
  std::string out = fmt::format("{}, {}, {}:\n", plan.assignment, plan.student,
                                plan.target == Target::kEmulated ? "emulated devices" : "GPU");
  for (const Step& step : plan.steps) {
    out += "  " + std::visit([](const auto& each) { return format_step(each); }, step) + '\n';
  }
  return out;
}

}  // namespace warpgrade
