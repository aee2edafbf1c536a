// SPDX-License-Identifier: MIT
#include "report/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/line_view.h"
#include "report/race_view.h"
#include "report/repeated_findings.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kMostLines = 3000, kMostColumns = 400, kMostBytes = 128 << 10;
constexpr size_t kMostDrawings = 5;
/// Steps of colour in the margin.
constexpr size_t kMostHeat = 4;

std::vector<std::string> lines_of(std::string_view source) {
  std::vector<std::string> lines = split(source, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string& line : lines) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
  return lines;
}

/// How many lines a page shows.
size_t shown_lines(const std::vector<std::string>& lines) {
  size_t shown = 0, bytes = 0;
  while (shown < std::min(lines.size(), kMostLines)) {
    bytes += std::min(lines[shown].size(), kMostColumns);
    if (bytes > kMostBytes) break;
    ++shown;
  }
  return shown;
}

/// The lines of a file, and its name where others have lines, too.
struct Source {
  std::string name;
  std::vector<std::string> lines;
};

/// A finding's line in the source; 0 where it is elsewhere: without a name, in the driver or a header.
size_t line_in_source(const Finding& finding, const Source& source, size_t lines) {
  const bool is_inside = finding.line > 0 && static_cast<size_t>(finding.line) <= lines;
  const bool is_there = source.name.empty() ? is_in_submission(finding)
                                            : fs::path(finding.file).filename() == source.name;
  return is_inside && is_there ? static_cast<size_t>(finding.line) : 0;
}

std::string where_of(const RepeatedFinding& each, const Words& words) {
  std::vector<std::string> where = finding_places(*each.first, words.language());
  const bool has_cases = each.cases.size() > 1 || !each.first->case_id.empty();
  if (each.count > 1)
    where.push_back(
        has_cases ? words("place.times_in", {{"count", each.count}, {"cases", each.cases.size()}})
                  : words("place.times", {{"count", each.count}}));
  return join(where, ", ");
}

/// The line with one before and one after it.
std::string excerpt(const std::vector<std::string>& lines, size_t number, const Words& words) {
  std::string out;
  for (size_t i = std::max<size_t>(number, 2) - 1; i <= std::min(number + 1, lines.size()); ++i) {
    const std::string text = fmt::format("{:>5}  {}", i, shorten(lines[i - 1], kMostColumns));
    out += i == number ? fmt::format("<mark>{}</mark>\n", html_text(text)) : html_text(text) + '\n';
  }
  return fmt::format(
      "<pre class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}"
      "</pre><p><a href=\"#L{}\">{}</a></p>",
      html_text(words("page.source_around", {{"line", number}})), out, number,
      html_text(words("page.source_link", {{"line", number}})));
}

std::string format_consequences(const FindingGroup& mistake, const Words& words) {
  std::string out;
  for (const RepeatedFinding& each : mistake.consequences) {
    const Finding& finding = each.first->finding;
    out += fmt::format("<p class=\"where\">{}</p>\n",
                       html_text(words("report.consequence", {{"line", finding.line},
                                                              {"checker", finding.checker},
                                                              {"what", finding.message}})));
  }
  return out;
}

std::string format_finding(const FindingGroup& mistake, const Source& source, bool is_drawn,
                           const Words& words) {
  const RepeatedFinding& each = mistake.cause;
  const Finding& finding = each.first->finding;
  const size_t line = line_in_source(finding, source, shown_lines(source.lines));
  return fmt::format(
      "<li><p><span class=\"badge\">{}</span> {}</p>\n<p class=\"where\">{}</p>{}{}{}</li>\n",
      html_text(finding.checker), html_text(finding.message), html_text(where_of(each, words)),
      line == 0 ? "" : excerpt(source.lines, line, words),
      is_drawn ? race_figure(finding, words.language()) : "", format_consequences(mistake, words));
}

/// What the margin says of a line.
struct Margin {
  long count = 0;  ///< How often the mistakes came.
  std::string checkers;
};

std::map<size_t, Margin> margins_of(const SubmissionResult& result, const Source& source,
                                    size_t lines) {
  std::map<size_t, Margin> margins;
  for (const RepeatedFinding& each : repeated_findings(result)) {
    const size_t line = line_in_source(each.first->finding, source, lines);
    if (line == 0) continue;
    Margin& margin = margins[line];
    margin.count += each.count;
    const std::string& checker = each.first->finding.checker;
    if (margin.checkers.find(checker) == std::string::npos)
      margin.checkers += (margin.checkers.empty() ? "" : ", ") + checker;
  }
  return margins;
}

std::string format_line(size_t number, const std::string& text, const Margin* margin,
                        const std::string& costs) {
  // Ten times as often is one step hotter.
  const std::string heat =
      margin == nullptr ? ""
                        : fmt::format(" class=\"heat-{}\"",
                                      std::min(std::to_string(margin->count).size(), kMostHeat));
  const std::string said =
      margin == nullptr ? "" : fmt::format("{} ({}\u00d7)", margin->checkers, margin->count);
  return fmt::format(
      "<tr id=\"L{0}\"{1}><td class=\"line\">{0}</td><td "
      "class=\"margin\">{2}</td>{3}<td><code>{4}</code></td></tr>",
      number, heat, html_text(said), costs, html_text(shorten(text, kMostColumns)));
}

}  // namespace

std::string findings_section(const SubmissionResult& result, std::string_view source,
                             const std::string& source_name) {
  if (result.findings.empty()) return {};
  const Source whole{source_name, lines_of(source)};
  const Words words(result.language);
  std::string out = html_section(words("report.findings")) + "<ol class=\"findings\">\n";
  size_t drawn = 0;
  for (const FindingGroup& each : grouped_findings(result)) {
    const bool is_drawn = each.cause.first->finding.race && drawn < kMostDrawings;
    out += format_finding(each, whole, is_drawn, words);
    drawn += is_drawn;
  }
  return out + "</ol></section>\n";
}

std::string source_section(const SubmissionResult& result, std::string_view source,
                           const std::string& source_name) {
  if (source.empty()) return {};
  const Source whole{source_name, lines_of(source)};
  const std::vector<std::string>& lines = whole.lines;
  const size_t shown = shown_lines(lines);
  const std::map<size_t, Margin> margins = margins_of(result, whole, shown);
  const std::map<int, LineCost> costs = line_costs(result.lines);
  const Words words(result.language);
  HtmlTable table{"source",
                  source_name.empty() ? words("page.source_caption") : source_name,
                  {words("page.line"), words("report.findings")},
                  {}};
  if (!costs.empty()) {
    const std::vector<std::string> more = cost_headings(result.language);
    table.headings.insert(table.headings.end(), more.begin(), more.end());
  }
  table.headings.push_back(words("page.text"));
  for (size_t i = 0; i < shown; ++i) {
    const auto found = margins.find(i + 1);
    const auto cost = costs.find(static_cast<int>(i + 1));
    table.rows.push_back(format_line(
        i + 1, lines[i], found == margins.end() ? nullptr : &found->second,
        costs.empty()
            ? ""
            : cost_cells(cost == costs.end() ? nullptr : &cost->second, result.language)));
  }
  const std::string rest =
      shown == lines.size()
          ? ""
          : fmt::format("<p>{}</p>\n",
                        html_text(words("page.more_lines", {{"count", lines.size() - shown}})));
  return html_section(words("page.source")) + costs_in_words(costs, result.language) +
         format_table(table) + rest + "</section>\n";
}

}  // namespace warpgrade
