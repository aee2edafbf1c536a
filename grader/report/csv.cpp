// SPDX-License-Identifier: MIT
#include "report/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/csv_cell.h"
#include "report/decisions.h"
#include "report/gpu_models.h"
#include "report/losses.h"
#include "report/text_report.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// Every item id of every result, in the order of first appearance.
std::vector<std::string> item_ids(const std::vector<SubmissionResult>& results) {
  std::vector<std::string> ids;
  for (const SubmissionResult& result : results) {
    for (const ItemResult& item : result.items) {
      if (std::find(ids.begin(), ids.end(), item.id) == ids.end()) ids.push_back(item.id);
    }
  }
  return ids;
}

/// A reason as a part of a list, where ";" ends it.
std::string_view without_stop(std::string_view reason) {
  return reason.ends_with('.') ? reason.substr(0, reason.size() - 1) : reason;
}

std::string reasons(const SubmissionResult& result) {
  std::vector<std::string> all;
  if (result.late && result.late->points_lost > 0)
    all.push_back(describe(*result.late, result.language));
  for (const Loss& loss : losses_of(result)) {
    all.push_back(fmt::format("{}: {}", loss.subject(result), without_stop(loss.reason)));
  }
  return join(all, "; ");
}

/// "product: decided by Mira: 8 instead of 5 points: ..."
std::string decisions_of(const SubmissionResult& result) {
  std::vector<std::string> all;
  for (const AppliedDecision& each : result.decisions) {
    const std::string about =
        each.before ? each.before->id : say_in(result.language, "class.the_score").text;
    all.push_back(fmt::format("{}: {}", about, describe(each, result.language)));
  }
  return join(all, "; ");
}

}  // namespace

std::string judged_points(const SubmissionResult& result, const std::string& id) {
  for (const ItemResult& item : result.items) {
    const bool judged = item.status != Outcome::kSystemError && item.status != Outcome::kPending;
    if (item.id == id && judged) return format_points(item.points);
  }
  return {};
}

std::string format_csv(const std::vector<SubmissionResult>& results, const Versions& present) {
  const std::vector<std::string> ids = item_ids(results);
  const bool any_late = std::any_of(results.begin(), results.end(),
                                    [](const SubmissionResult& each) { return each.late; });
  std::vector<std::string> header = {"student", "score", "max_score"};
  if (any_late) header.insert(header.end(), {"undiminished_score", "submitted"});
  for (const std::string& id : ids) header.push_back(csv_cell(id));
  const bool is_mixed = !describe_mixed_models(results).empty();
  if (is_mixed) header.push_back("measured_on");
  const bool any_other = !describe_other_versions(results, present).empty();
  if (any_other) header.push_back("graded_with");
  const bool any_decided =
      std::any_of(results.begin(), results.end(),
                  [](const SubmissionResult& each) { return !each.decisions.empty(); });
  if (any_decided) header.push_back("decided");
  header.push_back("lost");
  std::string out = join(header, ",") + '\n';
  for (const SubmissionResult& result : results) {
    const std::string score = result.has_system_error() ? "" : format_points(result.score);
    std::vector<std::string> row = {csv_cell(result.student), score,
                                    format_points(result.max_score)};
    if (any_late) {
      row.push_back(result.has_system_error() ? "" : format_points(result.undiminished_score()));
      row.push_back(result.late ? result.late->submitted.format() : "");
    }
    for (const std::string& id : ids) row.push_back(judged_points(result, id));
    if (is_mixed) row.push_back(csv_cell(gpu_model_of(result)));
    if (any_other) row.push_back(csv_cell(other_versions(result, present)));
    if (any_decided) row.push_back(csv_cell(decisions_of(result)));
    row.push_back(csv_cell(reasons(result)));
    out += join(row, ",") + '\n';
  }
  return out;
}

}  // namespace warpgrade
