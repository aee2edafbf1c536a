// SPDX-License-Identifier: MIT
#include "course/rubric_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr double kFullMarks = 100;
constexpr double kRounding = 1e-9;

/// The items that must have passed before this one earns anything by a case, those of those included.
std::set<std::string> all_needs(const Rubric& rubric, const Item& item) {
  std::set<std::string> needs;
  std::vector<std::string> open = item.needs;
  open.insert(open.end(), item.where_passed.begin(), item.where_passed.end());
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    const Item* needed = rubric.find_item(id);
    if (needed == nullptr || !needs.insert(id).second) continue;
    open.insert(open.end(), needed->needs.begin(), needed->needs.end());
  }
  return needs;
}

/// Cases of a measured item whose outputs nothing that it needs compares.
std::vector<std::string> uncompared_cases(const Rubric& rubric, const Item& item) {
  std::set<std::string> compared;
  for (const std::string& id : all_needs(rubric, item)) {
    const Item& needed = *rubric.find_item(id);
    if (needed.kind == ItemKind::kCorrectness && !needed.outputs.empty())
      compared.insert(needed.cases.begin(), needed.cases.end());
  }
  std::vector<std::string> missing;
  for (const std::string& id : item.cases) {
    if (compared.count(id) == 0) missing.push_back(id);
  }
  return missing;
}

}  // namespace

std::vector<std::string> complaints_about_rubric(const Rubric& rubric) {
  std::vector<std::string> complaints;
  double points = 0;
  for (const Item& item : rubric.items) {
    points += item.points;
    if (!is_measured(item) || item.points == 0) continue;  // 0 points: a condition for others
    const std::vector<std::string> missing = uncompared_cases(rubric, item);
    if (!missing.empty()) {
      complaints.push_back(fmt::format(
          "{} can be earned with a wrong answer: it needs no correctness item that compares the "
          "outputs of {}",
          item.id, join(missing, ", ")));
    }
  }
  if (std::abs(points - kFullMarks) > kRounding)
    complaints.push_back(
        fmt::format("the points add up to {}, not to {}", format_points(points), kFullMarks));
  return complaints;
}

std::vector<std::string> unproved_items(const Rubric& rubric, const std::vector<CourseRow>& rows) {
  const auto judged = std::count_if(rubric.items.begin(), rubric.items.end(),
                                    [](const Item& item) { return item.kind != ItemKind::kBuild; });
  std::set<std::string> proved;
  for (const CourseRow& row : rows) {
    const bool is_wrong = row.role == Role::kMutant || row.role == Role::kClass;
    const bool tells = static_cast<long>(row.caught_by.size()) < judged || judged == 1;
    if (is_wrong && tells) proved.insert(row.caught_by.begin(), row.caught_by.end());
  }
  std::vector<std::string> unproved;
  for (const Item& item : rubric.items) {
    // A file that does not compile is part of every check.
    if (item.kind != ItemKind::kBuild && proved.count(item.id) == 0) unproved.push_back(item.id);
  }
  return unproved;
}

MutantCount count_mutants(const std::vector<CourseRow>& rows) {
  MutantCount count;
  std::set<std::string> classes;
  for (const CourseRow& row : rows) {
    if (row.mutant_class.empty()) continue;
    ++count.mutants;
    count.caught += row.ok();
    classes.insert(row.mutant_class);
  }
  count.classes = static_cast<int>(classes.size());
  return count;
}

std::string complaint_about_count(const MutantCount& count, const ProofPolicy& proof) {
  std::vector<std::string> parts;
  if (count.mutants < proof.mutants_of_assignment)
    parts.push_back(fmt::format("{} mutants, at least {} are needed", count.mutants,
                                proof.mutants_of_assignment));
  if (count.classes < proof.mistakes_of_assignment)
    parts.push_back(fmt::format("mutants of {} classes, at least {} are needed", count.classes,
                                proof.mistakes_of_assignment));
  return join(parts, "; ");
}

}  // namespace warpgrade
