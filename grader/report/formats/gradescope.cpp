// SPDX-License-Identifier: MIT
#include "report/formats/gradescope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/repeated_findings.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kText = "text";
constexpr const char* kOurs = "warpgrade";  // key in extra_data
constexpr size_t kMostFindings = 20;

double rounded(double points) { return std::round(points * 100) / 100; }

Json test_of(const ItemResult& item, const GradescopeOptions& options, const Words& words) {
  Json test = {{"name", printable(item.title)},
               {"name_format", kText},
               {"status", item.status == Outcome::kPassed ? "passed" : "failed"}};
  // A test without points only says whether it passed.
  if (item.max_points > 0) {
    test["score"] = rounded(item.points);
    test["max_score"] = item.max_points;
  }
  std::string output = printable(item.message);
  if (item.status == Outcome::kPending && output.empty()) output = words("feedback.waits");
  test["output"] = output;
  test["output_format"] = kText;
  test["visibility"] = item.visibility == Visibility::kHidden ? options.hidden_items : "visible";
  return test;
}

/// Findings by place, which belong to no single item.
std::string findings_text(const SubmissionResult& result, const Words& words) {
  std::string out;
  const std::vector<FindingGroup> findings = grouped_findings(result);
  for (size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) {
    const Finding& finding = findings[i].cause.first->finding;
    const std::string place =
        finding.file.empty() ? "" : fmt::format("{}:{}: ", finding.file, finding.line);
    out += printable(fmt::format("{}{}: {}", place, finding.checker, finding.message)) + '\n';
  }
  if (findings.size() > kMostFindings)
    out += words("feedback.more", {{"count", findings.size() - kMostFindings}}) + '\n';
  return out;
}

std::string summary(const SubmissionResult& result, const GradescopeOptions& options,
                    const Words& words) {
  std::string out;
  if (options.best && *options.best > result.score)
    out += words("feedback.best", {{"score", format_points(result.score)},
                                   {"most", format_points(result.max_score)},
                                   {"best", format_points(*options.best)}}) +
           '\n';
  if (result.late) out += printable(describe(*result.late, result.language)) + '\n';
  if (result.provisional) out += words("feedback.provisional") + '\n';
  if (!trim(result.diagnostics).empty())
    out += words("report.compiler") + ":\n" + printable(trim(result.diagnostics)) + '\n';
  if (!result.findings.empty())
    out += words("report.findings") + ":\n" + findings_text(result, words);
  return out;
}

Json leaderboard_of(const SubmissionResult& result, double score) {
  const Words words(result.language);
  Json board = Json::array();
  board.push_back({{"name", words("class.score")}, {"value", rounded(score)}});
  for (const Speed& speed : result.speeds) {
    const std::optional<double> value = speed.measured ? speed.measured : speed.modelled;
    if (!value || !std::isfinite(*value)) continue;
    const std::string name =
        words("page.plot_speed", {{"title", speed.item_id}, {"case", speed.case_id}});
    board.push_back({{"name", printable(name)}, {"value", rounded(*value)}});
  }
  return board;
}

/// A score that Gradescope writes as a number or as text.
std::optional<double> score_of(const Json& json) {
  double value = NAN;
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json.is_string()) {
    const auto text = json.get<std::string>();
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') value = NAN;
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The value of a key; null where it is no object or lacks the key.
Json member(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) ? json.at(key) : Json();
}

/// The best score that this grader wrote into an earlier result of the same assignment.
std::optional<double> recorded_best(const Json& submission, const SubmissionResult& result) {
  const Json ours = member(member(member(submission, "results"), "extra_data"), kOurs);
  return member(ours, "assignment") == result.assignment ? score_of(member(ours, "best"))
                                                         : std::nullopt;
}

}  // namespace

Result<std::string> format_gradescope(const SubmissionResult& full,
                                      const GradescopeOptions& options) {
  if (full.has_system_error())
    return Error{fmt::format("{} could not be graded, and a failure of the machine is no score",
                             printable(full.student))};
  const SubmissionResult result = for_student(full);
  const double best = std::max(result.score, options.best.value_or(result.score));
  const Words words(result.language);
  Json tests = Json::array();
  for (const ItemResult& item : result.items) tests.push_back(test_of(item, options, words));
  Json whole = {{"score", rounded(best)},
                {"output", summary(result, options, words)},
                {"output_format", kText},
                {"test_output_format", kText},
                {"test_name_format", kText},
                {"visibility", "visible"},
                {"stdout_visibility", "hidden"},
                {"extra_data",
                 {{kOurs,
                   {{"assignment", result.assignment},
                    {"score", rounded(result.score)},
                    {"best", rounded(best)},
                    {"max_score", result.max_score},
                    {"provisional", result.provisional},
                    {"inputs", result.inputs}}}}},
                {"tests", std::move(tests)}};
  if (options.leaderboard) whole["leaderboard"] = leaderboard_of(result, best);
  return printable_json(whole.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

Result<std::optional<double>> best_earlier_score(std::string_view metadata,
                                                 const SubmissionResult& result) {
  const Json whole = Json::parse(metadata, nullptr, false);
  const Json earlier = member(whole, "previous_submissions");
  if (!earlier.is_array())
    return Error{"it is no submission_metadata.json: it has no list 'previous_submissions'"};
  std::optional<double> best;
  for (const Json& submission : earlier) {
    std::vector<std::optional<double>> scores = {recorded_best(submission, result)};
    if (member(submission, "autograder_error") != true)
      scores.push_back(score_of(member(submission, "score")));
    for (const std::optional<double>& score : scores) {
      const bool is_possible = score && *score >= 0 && *score <= result.max_score;
      if (is_possible && (!best || *score > *best)) best = score;
    }
  }
  return best;
}

}  // namespace warpgrade
