// SPDX-License-Identifier: MIT
#include "report/class_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "sentences/words.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;
using Results = std::vector<SubmissionResult>;

bool is_late(const SubmissionResult& result) {
  return result.late && result.late->late_minutes > 0;
}

/// Ids of the marks by which the table is filtered.
constexpr std::array kMarks = {"class.not_gradable", "class.late", "report.provisional",
                               "class.flagged"};

/// The result's marks in words.
std::vector<std::string> marks_of(const SubmissionResult& result, const Words& words) {
  const std::array has_mark = {result.has_system_error(), is_late(result), result.provisional,
                               result.is_flagged()};
  std::vector<std::string> marks;
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (has_mark[i]) marks.push_back(words(kMarks[i]));
  }
  return marks;
}

/// Reasons of a student that stand open in the class's table.
constexpr size_t kMostLosses = 2;

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

/// What cost most, and the rest behind a word, so that a row stays a row.
std::string lost_cell(const SubmissionResult& result, const Words& words) {
  std::vector<Loss> losses = losses_of(result);
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.points > b.points; });
  std::vector<std::string> shown, folded;
  for (const Loss& loss : losses)
    (shown.size() < kMostLosses ? shown : folded)
        .push_back(
            shorten(fmt::format("{}: {}", loss.subject(result), loss.reason), kReasonColumns));
  const std::string rest =
      folded.empty() ? ""
                     : fmt::format("<details><summary>{}</summary>{}</details>",
                                   html_text(words("test.more", {{"count", folded.size()}})),
                                   html_text(join(folded, "\n")));
  return fmt::format("<td class=\"reason\">{}{}</td>", html_text(join(shown, "\n")), rest);
}

std::string student_row(const SubmissionResult& result, const std::vector<ItemStatistics>& items,
                        const Words& words) {
  const std::vector<std::string> marks = marks_of(result, words);
  std::string row = fmt::format("<tr data-marks=\"{}\"><th scope=\"row\">{}</th>",
                                html_text(join(marks, ",")), link_to(result));
  row += result.has_system_error() ? html_cell(words("class.none"))
                                   : html_number(result.score, format_points(result.score));
  row += html_cell(join(marks, ", "));
  row += lost_cell(result, words);
  for (const ItemStatistics& item : items) row += points_cell(result, item.id);
  return row + "</tr>";
}

std::string students_section(const Results& results, const std::vector<ItemStatistics>& items,
                             const Words& words) {
  HtmlTable table{
      "students",
      words("class.students_caption"),
      {words("class.student"), words("class.score"), words("class.marks"), words("class.lost")},
      {}};
  for (const ItemStatistics& item : items) table.headings.push_back(item.id);
  for (const SubmissionResult& result : results)
    table.rows.push_back(student_row(result, items, words));
  return html_section(words("class.students")) + "<div id=\"filters\"></div>\n" +
         format_table(table) + "</section>\n";
}

std::string percent(const std::optional<double>& part) {
  return part ? html_number(*part, fmt::format("{:.0f} %", 100 * *part)) : html_cell("");
}

std::string count_cell(long count) {
  return html_number(static_cast<double>(count), std::to_string(count));
}

std::string items_section(const std::vector<ItemStatistics>& items, const Words& words) {
  HtmlTable table{"items", words("class.items_caption"), {}, {}};
  for (const char* const id : {"handout.item", "class.item_title", "handout.points", "class.passed",
                               "class.partial", "class.failed", "class.waiting", "class.not_judged",
                               "class.pass_rate", "class.discrimination"})
    table.headings.push_back(words(id));
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
  return html_section(words("page.items")) + "<div id=\"item-plot\"></div>\n" +
         format_table(table) +
         fmt::format("<p>{}</p></section>\n", html_text(words("class.discrimination_note")));
}

std::string scores_section(const Results& results, const Words& words) {
  HtmlTable table{"scores",
                  words("class.scores_caption"),
                  {words("class.part_of_points"), words("class.students")},
                  {}};
  const std::vector<long> bins = score_distribution(results);
  const size_t width = 100 / bins.size();
  for (size_t i = 0; i < bins.size(); ++i) {
    const bool is_last = i + 1 == bins.size();
    const std::string bin = words(is_last ? "class.last_bin" : "class.bin",
                                  {{"from", i * width}, {"to", is_last ? 100 : (i + 1) * width}});
    table.rows.push_back(fmt::format("<th scope=\"row\">{}</th>", html_text(bin)) +
                         count_cell(bins[i]));
  }
  return html_section(words("class.scores")) + "<div id=\"score-plot\"></div>\n" +
         format_table(table) + "</section>\n";
}

/// Why the staff should look at a student who is neither wrong nor right alone.
std::vector<std::string> remarks_of(const SubmissionResult& result, const Words& words) {
  std::vector<std::string> remarks;
  if (is_late(result)) remarks.push_back(describe(*result.late, result.language));
  for (const ItemResult& item : result.items) {
    if (item.status == Outcome::kSystemError)
      remarks.push_back(
          words("class.not_judged_because",
                {{"item", item.id}, {"why", item.message.substr(0, item.message.find('\n'))}}));
    for (const Flag& flag : item.flags)
      remarks.push_back(fmt::format("{}: {}: {}", item.id, flag.what, flag.evidence));
    if (item.undecided)
      remarks.push_back(fmt::format("{}: {}: {}", item.id, words("class.undecided"),
                                    words("class.better_given")));
  }
  for (const Disagreement& each : result.disagreements)
    remarks.push_back(fmt::format("{}: {}: {}", each.item_id, words("class.otherwise"),
                                  words("class.on_both", {{"case", each.case_id},
                                                          {"gpu", each.gpu},
                                                          {"emulated", each.emulated},
                                                          {"why", ""}})));
  return remarks;
}

std::string remarks_section(const Results& results, const Words& words) {
  HtmlTable table{"remarks",
                  words("class.look_caption"),
                  {words("class.student"), words("class.marks"), words("class.why")},
                  {}};
  for (const SubmissionResult& result : results) {
    const std::vector<std::string> marks = marks_of(result, words);
    if (marks.empty()) continue;
    std::vector<std::string> remarks = remarks_of(result, words);
    for (std::string& remark : remarks) remark = shorten(remark, kReasonColumns);
    table.rows.push_back(
        fmt::format("<th scope=\"row\">{}</th>", link_to(result)) + html_cell(join(marks, ", ")) +
        fmt::format("<td class=\"reason\">{}</td>", html_text(join(remarks, "\n"))));
  }
  if (table.rows.empty()) return {};
  return html_section(words("class.look")) + format_table(table) + "</section>\n";
}

std::string heading(const Results& results, const std::string& assignment, const Words& words) {
  const auto not_gradable =
      std::count_if(results.begin(), results.end(),
                    [](const SubmissionResult& each) { return each.has_system_error(); });
  return fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"who\">{}{}</p>\n"
      "<p class=\"note staff\">{}</p>\n</header>\n",
      html_text(assignment), html_text(words("class.count", {{"count", results.size()}})),
      not_gradable == 0 ? ""
                        : html_text(words("class.not_gradable_count", {{"count", not_gradable}})),
      html_text(words("class.staff_only")));
}

/// What the page's script says, with {shown}, {all} and {from} for what it fills in.
Json script_words(const Words& words) {
  Json marks = Json::array();
  for (const char* const id : kMarks) marks.push_back(words(id));
  return {{"marks", std::move(marks)},
          {"all", words("class.all")},
          {"any_item", words("class.any_item")},
          {"text", words("class.filter_text")},
          {"mark", words("class.filter_mark")},
          {"item", words("class.filter_item")},
          {"shown", words("class.shown", {{"shown", "{shown}"}, {"all", "{all}"}})},
          {"from", words("class.plot_bin", {{"from", "{from}"}})},
          {"scores", words("class.scores_caption")},
          {"items", words("class.plot_items")},
          {"none_judged", words("class.none_judged")}};
}

Json class_model(const Results& results, const std::vector<ItemStatistics>& items,
                 const Words& words) {
  Json rates = Json::array();
  for (const ItemStatistics& item : items)
    rates.push_back(
        {{"id", printable(item.id)}, {"rate", item.pass_rate ? Json(*item.pass_rate) : Json()}});
  return {{"words", script_words(words)},
          {"scores", score_distribution(results)},
          {"items", std::move(rates)}};
}

}  // namespace

std::string format_class_page(const Results& results, const ClassExtras& extras) {
  const Words words(language_of(results));
  const std::string assignment =
      results.empty() ? words("class.no_results") : results.front().assignment;
  const std::vector<ItemStatistics> items = item_statistics(results);
  HtmlPage page;
  page.language = words.language();
  page.title = words("class.title", {{"assignment", assignment}});
  page.body = heading(results, assignment, words) + "<main>\n" +
              students_section(results, items, words) + remarks_section(results, words) +
              groups_section(results, extras.source_of) + decisions_section(results) +
              (extras.leaderboard ? leaderboard_section(results, *extras.leaderboard) : "") +
              similarity_section(results, extras.similar, extras.source_of) +
              scores_section(results, words) + items_section(items, words) + "</main>\n";
  page.data =
      class_model(results, items, words).dump(-1, ' ', true, Json::error_handler_t::replace);
  page.script = kClassScript;
  return format_page(page);
}

}  // namespace warpgrade
