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
  return fmt::format("run   {} on {}: {} (inputs: {}; {} s, {} MB, {} instructions a launch{}{})",
                     step.case_id, join(step.devices, ", "), join(step.words, " "), step.family,
                     step.limits.wall_s, step.limits.memory_mb, step.limits.launch_instructions,
                     (step.order == 0 ? "" : fmt::format("; order {}", step.order)) +
                         (step.fences ? "; asks for fences" : ""),
                     step.timed ? "; timed, beside its baselines" : "");
}

std::string format_step(const TimeStep& step) {
  return fmt::format("time  {} on the GPU: {} (inputs: {}; {} s, {} MB{}{})", step.run.case_id,
                     join(step.run.words, " "), step.run.family, step.run.limits.wall_s,
                     step.run.limits.memory_mb, step.baselines.empty() ? "" : "; beside ",
                     join(step.baselines, ", "));
}

std::string format_step(const CheckStep& step) {
  return step.case_id.empty() ? fmt::format("check {}", step.item_id)
                              : fmt::format("check {} on {}", step.item_id, step.case_id);
}

std::string format_step(const ScoreStep&) { return "score"; }

/// What the case's performance items are compared with, each once.
std::vector<std::string> baselines_of(const Rubric& rubric, const std::string& case_id) {
  std::vector<std::string> names;
  for (const Item& item : rubric.items) {
    if (item.kind != ItemKind::kPerformance || item.metric->over.empty()) continue;
    const bool judged_by = item.is_judged_by(case_id);
    const bool known = std::count(names.begin(), names.end(), item.metric->over) > 0;
    if (judged_by && !known) names.push_back(item.metric->over);
  }
  return names;
}

/// The arrays that a rule looks at, under whichever of these names it has them.
template <class R>
void add_arrays(const R& rule, std::set<std::string>& names) {
  if constexpr (requires { names.insert(rule.array); }) names.insert(rule.array);
  if constexpr (requires { names.insert(rule.time_array); }) names.insert(rule.time_array);
  if constexpr (requires { names.insert(rule.arrays.begin(), rule.arrays.end()); })
    names.insert(rule.arrays.begin(), rule.arrays.end());
}

std::set<std::string> outputs_of(const Rubric& rubric, const std::string& case_id) {
  std::set<std::string> names;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(case_id)) continue;
    for (const OutputRule& rule : item.outputs) {
      if (rule.made_from.empty()) names.insert(rule.array);
      names.insert(rule.made_from.begin(), rule.made_from.end());
    }
    for (const Rule& rule : item.rules)
      std::visit([&](const auto& each) { add_arrays(each, names); }, rule);
    if (item.metric && !item.metric->array.empty()) names.insert(item.metric->array);
  }
  return names;
}

std::map<std::string, std::vector<std::string>> derived_of(const Rubric& rubric,
                                                           const std::string& case_id) {
  std::map<std::string, std::vector<std::string>> derived;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(case_id)) continue;
    for (const OutputRule& rule : item.outputs)
      if (!rule.made_from.empty()) derived[rule.array] = rule.made_from;
  }
  return derived;
}

bool wants_fences(const Rubric& rubric, const std::string& case_id) {
  const auto wants = [](const Rule& rule) {
    const auto* none = std::get_if<NoFindingsRule>(&rule);
    return none != nullptr &&
           std::count(none->checkers.begin(), none->checkers.end(), "fences") > 0;
  };
  return std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return item.is_judged_by(case_id) && std::any_of(item.rules.begin(), item.rules.end(), wants);
  });
}

std::vector<Case> public_first(std::vector<Case> cases) {
  std::stable_partition(cases.begin(), cases.end(),
                        [](const Case& each) { return each.visibility == Visibility::kPublic; });
  return cases;
}

TimeStep time_step(const Rubric& rubric, const Case& each, RunStep run) {
  const Case there = each.timed_on_gpu();
  run.words = there.words();
  run.values = there.values();
  return {std::move(run), baselines_of(rubric, each.id)};
}

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
  for (const Case& each : public_first(rubric.cases)) {
    std::vector<Step> checks;
    bool timed = false;
    for (const Item& item : rubric.items) {
      const bool judged_by = item.is_judged_by(each.id);
      if (!judged_by) continue;
      checks.push_back(CheckStep{item.id, each.id});
      timed = timed || item.kind == ItemKind::kPerformance;
    }
    if (checks.empty()) continue;
    const RunStep run{each.id,
                      each.words(),
                      each.devices,
                      each.family,
                      each.values(),
                      rubric.limits,
                      timed,
                      outputs_of(rubric, each.id),
                      derived_of(rubric, each.id),
                      each.order,
                      wants_fences(rubric, each.id)};
    plan.steps.push_back(run);
    if (timed && target == Target::kGpu) plan.steps.push_back(time_step(rubric, each, run));
    plan.steps.insert(plan.steps.end(), checks.begin(), checks.end());
  }
  plan.steps.push_back(ScoreStep{});
  return plan;
}

std::string format_plan(const Plan& plan) {
  std::string out = fmt::format(
      "{}, {}, {}:\n", plan.assignment, plan.student,
      plan.target == Target::kEmulated ? "emulated devices" : "emulated devices and GPU");
  for (const Step& step : plan.steps) {
    out += "  " + std::visit([](const auto& each) { return format_step(each); }, step) + '\n';
  }
  return out;
}

}  // namespace warpgrade
