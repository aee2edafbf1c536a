// SPDX-License-Identifier: MIT
#include "report/class_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/class_groups.h"
#include "report/class_statistics.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/losses.h"
#include "report/similarity/similarity_view.h"
#include "report/text_report.h"
#include "report/web_assets.h"
#include "score/late.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;
using Results = std::vector<SubmissionResult>;

bool is_late(const SubmissionResult& result) {
  return result.late && result.late->late_minutes > 0;
}

/// The marks by which the table is filtered.
std::vector<std::string> marks_of(const SubmissionResult& result) {
  std::vector<std::string> marks;
  if (result.has_system_error()) marks.emplace_back("not gradable");
  if (is_late(result)) marks.emplace_back("late");
  if (result.provisional) marks.emplace_back("provisional");
  if (result.is_flagged()) marks.emplace_back("flagged");
  return marks;
}

std::string points_cell(const SubmissionResult& result, const std::string& id) {
  for (const ItemResult& item : result.items) {
    if (item.id != id) continue;
    const bool is_judged = item.status != Outcome::kSystemError && item.status != Outcome::kPending;
    if (!is_judged) return fmt::format("<td class=\"{}\">?</td>", to_string(item.status));
    return fmt::format("<td class=\"number {}\" data-value=\"{}\">{}</td>", to_string(item.status),
                       item.points, format_points(item.points));
  }
  return "<td></td>";
}

std::string lost_words(const SubmissionResult& result) {
  std::vector<std::string> all;
  for (const Loss& loss : losses_of(result))
    all.push_back(
        shorten(fmt::format("{}: {}", loss.subject(result), loss.reason), kReasonColumns));
  return join(all, "\n");
}

std::string student_row(const SubmissionResult& result, const std::vector<ItemStatistics>& items) {
  const std::vector<std::string> marks = marks_of(result);
  std::string row = fmt::format("<tr data-marks=\"{}\"><th scope=\"row\">{}</th>",
                                html_text(join(marks, ",")), link_to(result));
  row += result.has_system_error() ? html_cell("none")
                                   : html_number(result.score, format_points(result.score));
  row += html_cell(join(marks, ", "));
  row += fmt::format("<td class=\"reason\">{}</td>", html_text(lost_words(result)));
  for (const ItemStatistics& item : items) row += points_cell(result, item.id);
  return row + "</tr>";
}

std::string students_section(const Results& results, const std::vector<ItemStatistics>& items) {
  HtmlTable table{"students",
                  "Students with their points for each item",
                  {"Student", "Score", "Marks", "Lost"},
                  {}};
  for (const ItemStatistics& item : items) table.headings.push_back(item.id);
  for (const SubmissionResult& result : results) table.rows.push_back(student_row(result, items));
  return "<section><h2>Students</h2>\n<div id=\"filters\"></div>\n" + format_table(table) +
         "</section>\n";
}

std::string percent(const std::optional<double>& part) {
  return part ? html_number(*part, fmt::format("{:.0f} %", 100 * *part)) : html_cell("");
}

std::string count_cell(long count) {
  return html_number(static_cast<double>(count), std::to_string(count));
}

std::string items_section(const std::vector<ItemStatistics>& items) {
  HtmlTable table{"items",
                  "Each item: how many passed it, and how well it tells good answers from others",
                  {},
                  {}};
  table.headings = {"Item",   "Title",   "Points",     "Passed",    "Partial",
                    "Failed", "Waiting", "Not judged", "Pass rate", "Discrimination"};
  for (const ItemStatistics& item : items) {
    const std::string discrimination =
        item.discrimination
            ? html_number(*item.discrimination, fmt::format("{:.2f}", *item.discrimination))
            : html_cell("");
    table.rows.push_back(
        fmt::format("<th scope=\"row\">{}</th>", html_text(item.id)) + html_cell(item.title) +
        html_number(item.max_points, format_points(item.max_points)) + count_cell(item.passed) +
        count_cell(item.partial) + count_cell(item.failed) + count_cell(item.waiting) +
        count_cell(item.not_judged) + percent(item.pass_rate) + discrimination);
  }
  return "<section><h2>Items</h2>\n<div id=\"item-plot\"></div>\n" + format_table(table) +
         "<p>Discrimination is the correlation of an item's points with those of all other items: "
         "near 1, those who pass it do well at the rest; below 0, the item deserves a look.</p>"
         "</section>\n";
}

std::string scores_section(const Results& results) {
  HtmlTable table{"scores", "Students by score", {"Part of the points", "Students"}, {}};
  const std::vector<long> bins = score_distribution(results);
  const size_t width = 100 / bins.size();
  for (size_t i = 0; i < bins.size(); ++i) {
    const bool is_last = i + 1 == bins.size();
    table.rows.push_back(fmt::format("<th scope=\"row\">{} to {} %</th>", i * width,
                                     is_last ? "100" : "below " + std::to_string((i + 1) * width)) +
                         count_cell(bins[i]));
  }
  return "<section><h2>Scores</h2>\n<div id=\"score-plot\"></div>\n" + format_table(table) +
         "</section>\n";
}

/// Why the staff should look at a student who is neither wrong nor right alone.
std::vector<std::string> remarks_of(const SubmissionResult& result) {
  std::vector<std::string> remarks;
  if (is_late(result)) remarks.push_back(describe(*result.late));
  for (const ItemResult& item : result.items) {
    if (item.status == Outcome::kSystemError)
      remarks.push_back(fmt::format("{} could not be judged: {}", item.id,
                                    item.message.substr(0, item.message.find('\n'))));
    for (const Flag& flag : item.flags)
      remarks.push_back(fmt::format("{}: {}: {}", item.id, flag.what, flag.evidence));
    if (item.undecided)
      remarks.push_back(
          fmt::format("{}: undecided: the better of two numbers of points was given", item.id));
  }
  for (const Disagreement& each : result.disagreements)
    remarks.push_back(fmt::format("{}: case '{}': {} on the GPU, {} on the emulated device",
                                  each.item_id, each.case_id, each.gpu, each.emulated));
  return remarks;
}

std::string remarks_section(const Results& results) {
  HtmlTable table{"remarks",
                  "Students who are late, provisional, flagged or not gradable",
                  {"Student", "Marks", "Why"},
                  {}};
  for (const SubmissionResult& result : results) {
    const std::vector<std::string> marks = marks_of(result);
    if (marks.empty()) continue;
    std::vector<std::string> remarks = remarks_of(result);
    for (std::string& remark : remarks) remark = shorten(remark, kReasonColumns);
    table.rows.push_back(
        fmt::format("<th scope=\"row\">{}</th>", link_to(result)) + html_cell(join(marks, ", ")) +
        fmt::format("<td class=\"reason\">{}</td>", html_text(join(remarks, "\n"))));
  }
  if (table.rows.empty()) return {};
  return "<section><h2>To look at</h2>\n" + format_table(table) + "</section>\n";
}

std::string heading(const Results& results, const std::string& assignment) {
  const auto not_gradable =
      std::count_if(results.begin(), results.end(),
                    [](const SubmissionResult& each) { return each.has_system_error(); });
  return fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"who\">{}{}</p>\n"
      "<p class=\"note staff\">For the staff: this page names hidden cases.</p>\n</header>\n",
      html_text(assignment), counted(static_cast<long>(results.size()), "student"),
      not_gradable == 0 ? "" : fmt::format(", {} not gradable", not_gradable));
}

Json class_model(const Results& results, const std::vector<ItemStatistics>& items) {
  Json rates = Json::array();
  for (const ItemStatistics& item : items)
    rates.push_back(
        {{"id", printable(item.id)}, {"rate", item.pass_rate ? Json(*item.pass_rate) : Json()}});
  return {{"scores", score_distribution(results)}, {"items", std::move(rates)}};
}

}  // namespace

std::string format_class_page(const Results& results, const ClassExtras& extras) {
  const std::string assignment = results.empty() ? "No results" : results.front().assignment;
  const std::vector<ItemStatistics> items = item_statistics(results);
  HtmlPage page;
  page.title = assignment + ": the class";
  page.body = heading(results, assignment) + "<main>\n" + students_section(results, items) +
              remarks_section(results) + groups_section(results, extras.source_of) +
              decisions_section(results) +
              (extras.leaderboard ? leaderboard_section(results, *extras.leaderboard) : "") +
              similarity_section(results, extras.similar, extras.source_of) +
              scores_section(results) + items_section(items) + "</main>\n";
  page.data = class_model(results, items).dump(-1, ' ', true, Json::error_handler_t::replace);
  page.script = kClassScript;
  return format_page(page);
}

}  // namespace warpgrade
