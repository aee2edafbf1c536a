// SPDX-License-Identifier: MIT
#include "report/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/repeated_findings.h"

namespace warpgrade {
namespace {

constexpr size_t kMostLines = 3000, kMostColumns = 400, kMostBytes = 128 << 10;
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

std::string place_in(const Extent3& at) { return fmt::format("({}, {}, {})", at[0], at[1], at[2]); }

/// A finding's line in the student's one file; 0 where it is in the driver or a header.
size_t line_in_source(const Finding& finding, size_t lines) {
  const bool is_inside = finding.line > 0 && static_cast<size_t>(finding.line) <= lines;
  const fs::path file = finding.file;
  const bool is_ours = file.filename() == "driver.cu" || file.extension() != ".cu";
  return is_inside && !is_ours ? static_cast<size_t>(finding.line) : 0;
}

std::string where_of(const RepeatedFinding& each) {
  const Finding& finding = each.first->finding;
  std::vector<std::string> where;
  if (!finding.file.empty()) where.push_back(fmt::format("{}:{}", finding.file, finding.line));
  where.push_back(fmt::format("case '{}'", each.first->case_id));
  if (!finding.kernel.empty()) {
    where.push_back("kernel " + finding.kernel);
    where.push_back("block " + place_in(finding.block));
    where.push_back("thread " + place_in(finding.thread));
  }
  if (each.count > 1)
    where.push_back(fmt::format("{} times in {}", each.count,
                                counted(static_cast<long>(each.cases.size()), "case")));
  return join(where, ", ");
}

/// The line with one before and one after it.
std::string excerpt(const std::vector<std::string>& lines, size_t number) {
  std::string out;
  for (size_t i = std::max<size_t>(number, 2) - 1; i <= std::min(number + 1, lines.size()); ++i) {
    const std::string text = fmt::format("{:>5}  {}", i, shorten(lines[i - 1], kMostColumns));
    out += i == number ? fmt::format("<mark>{}</mark>\n", html_text(text)) : html_text(text) + '\n';
  }
  return fmt::format(
      "<pre class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Source around line {0}\">{1}"
      "</pre><p><a href=\"#L{0}\">Line {0} in the source</a></p>",
      number, out);
}

std::string format_finding(const RepeatedFinding& each, const std::vector<std::string>& lines) {
  const Finding& finding = each.first->finding;
  const size_t line = line_in_source(finding, shown_lines(lines));
  return fmt::format(
      "<li><p><span class=\"badge\">{}</span> {}</p>\n<p class=\"where\">{}</p>{}</li>\n",
      html_text(finding.checker), html_text(finding.message), html_text(where_of(each)),
      line == 0 ? "" : excerpt(lines, line));
}

/// What the margin says of a line.
struct Margin {
  long count = 0;  ///< How often the mistakes came.
  std::string checkers;
};

std::map<size_t, Margin> margins_of(const SubmissionResult& result, size_t lines) {
  std::map<size_t, Margin> margins;
  for (const RepeatedFinding& each : repeated_findings(result)) {
    const size_t line = line_in_source(each.first->finding, lines);
    if (line == 0) continue;
    Margin& margin = margins[line];
    margin.count += each.count;
    const std::string& checker = each.first->finding.checker;
    if (margin.checkers.find(checker) == std::string::npos)
      margin.checkers += (margin.checkers.empty() ? "" : ", ") + checker;
  }
  return margins;
}

std::string format_line(size_t number, const std::string& text, const Margin* margin) {
  // Ten times as often is one step hotter.
  const std::string heat =
      margin == nullptr ? ""
                        : fmt::format(" class=\"heat-{}\"",
                                      std::min(std::to_string(margin->count).size(), kMostHeat));
  const std::string said =
      margin == nullptr ? "" : fmt::format("{} ({}\u00d7)", margin->checkers, margin->count);
  return fmt::format(
      "<tr id=\"L{0}\"{1}><td class=\"line\">{0}</td><td "
      "class=\"margin\">{2}</td><td><code>{3}</code></td></tr>",
      number, heat, html_text(said), html_text(shorten(text, kMostColumns)));
}

}  // namespace

std::string findings_section(const SubmissionResult& result, std::string_view source) {
  if (result.findings.empty()) return {};
  const std::vector<std::string> lines = lines_of(source);
  std::string out = "<section><h2>Findings</h2>\n<ol class=\"findings\">\n";
  for (const RepeatedFinding& each : repeated_findings(result)) out += format_finding(each, lines);
  return out + "</ol></section>\n";
}

std::string source_section(const SubmissionResult& result, std::string_view source) {
  if (source.empty()) return {};
  const std::vector<std::string> lines = lines_of(source);
  const size_t shown = shown_lines(lines);
  const std::map<size_t, Margin> margins = margins_of(result, shown);
  HtmlTable table{"source", "The source as it was handed in", {"Line", "Findings", "Text"}, {}};
  for (size_t i = 0; i < shown; ++i) {
    const auto found = margins.find(i + 1);
    table.rows.push_back(
        format_line(i + 1, lines[i], found == margins.end() ? nullptr : &found->second));
  }
  const std::string rest =
      shown == lines.size()
          ? ""
          : fmt::format("<p>{} more lines are not shown.</p>\n", lines.size() - shown);
  return "<section><h2>Source</h2>\n" + format_table(table) + rest + "</section>\n";
}

}  // namespace warpgrade
