// SPDX-License-Identifier: MIT
#include "report/class_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/class_statistics.h"
#include "report/csv_cell.h"
#include "report/decisions.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kSourceColumns = 200;

using Results = std::vector<SubmissionResult>;

std::string name_of(const SubmissionResult& result) {
  if (result.identity.name.empty()) return result.student;
  return fmt::format("{} ({})", result.identity.name, result.student);
}

std::string format_passage(const SubmissionResult& result, const Passage& passage,
                           const Words& words) {
  std::string out;
  for (size_t i = 0; i < passage.lines.size(); ++i) {
    const size_t number = passage.first_line + i;
    const std::string text =
        html_text(fmt::format("{:>5}  {}", number, shorten(passage.lines[i], kSourceColumns)));
    out += number == passage.line ? "<mark>" + text + "</mark>\n" : text + '\n';
  }
  return fmt::format(
      "<p class=\"where\">{}</p>\n<pre class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">{}</pre>\n",
      html_text(words("class.where", {{"name", name_of(result)}, {"line", passage.line}})),
      html_text(words("class.source_of", {{"name", name_of(result)}, {"line", passage.line}})),
      out);
}

/// How persons answered the whole group, each answer once.
std::string format_answers(const Results& results, const FailureGroup& group) {
  std::set<std::string> answers;
  for (const size_t place : group.students) {
    for (const AppliedDecision& each : results[place].decisions) {
      const std::optional<ItemFault> answered = parse_group_id(each.decision.group);
      if (answered && answered->covers(group.fault))
        answers.insert(describe(each, results[place].language));
    }
  }
  std::string out;
  for (const std::string& answer : answers)
    out += fmt::format("<p class=\"note\">{}</p>\n", html_text(answer));
  return out;
}

/// The group's item with the most points: what a decision is likely to be about.
std::string heaviest_item(const SubmissionResult& result, const FailureGroup& group) {
  const auto points_of = [&](const std::string& id) {
    const auto item = std::find_if(result.items.begin(), result.items.end(),
                                   [&](const ItemResult& each) { return each.id == id; });
    return item == result.items.end() ? 0 : item->max_points;
  };
  return *std::max_element(
      group.items.begin(), group.items.end(),
      [&](const std::string& a, const std::string& b) { return points_of(a) < points_of(b); });
}

/// The ids of the items, or one word for all that the assignment has.
std::string name_items(const SubmissionResult& result, const FailureGroup& group) {
  const bool is_all = group.items.size() > 1 && group.items.size() == result.items.size();
  return is_all ? say_in(result.language, "class.everything").text : join(group.items, ", ");
}

std::string format_group(const Results& results, const FailureGroup& group,
                         const SourceOf& source_of, const Words& words) {
  std::vector<std::string> links;
  for (const size_t place : group.students) links.push_back(link_to(results[place]));
  const std::optional<Passage> passage = representative_passage(results, group, source_of);
  return fmt::format(
      "<li><details><summary>{}: <strong>{}</strong>: {}</summary><p>{}</p>\n{}{}"
      "<p>{} <code>{},{},POINTS,NOTE,BY,DATE</code></p></details></li>\n",
      html_text(words("class.count", {{"count", group.students.size()}})),
      html_text(name_items(results[group.students.front()], group)),
      html_text(shorten(group.example, kReasonColumns)), join(links, ", "),
      passage ? format_passage(results[passage->student], *passage, words) : "",
      format_answers(results, group), html_text(words("class.answer_all")),
      html_text(csv_cell(group.fault.group_id())),
      html_text(csv_cell(heaviest_item(results[group.students.front()], group))));
}

}  // namespace

std::string link_to(const SubmissionResult& result) {
  return fmt::format("<a href=\"students/{}.html\">{}</a>", url_segment(result.student),
                     html_text(name_of(result)));
}

std::string groups_section(const Results& results, const SourceOf& source_of) {
  const std::vector<FailureGroup> groups = failure_groups(results);
  if (groups.empty()) return {};
  const Words words(language_of(results));
  std::string out =
      html_section(words("class.groups")) +
      fmt::format("<p>{}</p>\n<ol class=\"groups\">\n", html_text(words("class.groups_note")));
  for (const FailureGroup& group : groups) out += format_group(results, group, source_of, words);
  return out + "</ol></section>\n";
}

std::string decisions_section(const Results& results) {
  const Words words(language_of(results));
  HtmlTable table{"decisions",
                  words("class.decisions_caption"),
                  {words("class.student"), words("handout.item"), words("class.decision"),
                   words("class.about")},
                  {}};
  for (const SubmissionResult& result : results) {
    for (const AppliedDecision& each : result.decisions) {
      const Decision& decision = each.decision;
      table.rows.push_back(
          fmt::format("<th scope=\"row\">{}</th>", link_to(result)) +
          html_cell(each.before ? each.before->id : words("class.the_score")) +
          fmt::format("<td class=\"reason\">{}</td>", html_text(describe(each, result.language))) +
          html_cell(decision.group.empty() ? words("class.the_student") : decision.group));
    }
  }
  if (table.rows.empty()) return {};
  return html_section(words("class.decisions")) + format_table(table) + "</section>\n";
}

}  // namespace warpgrade
