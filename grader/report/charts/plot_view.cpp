// SPDX-License-Identifier: MIT
#include "report/charts/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/charts/axis.h"
#include "report/html.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr int kPlotWidth = 560, kPlotHeight = 320;
constexpr double kPlotLeft = 60, kPlotRight = 530, kPlotTop = 16, kPlotBottom = 276;

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

/// A line's points joined, with its number at the last.
std::string drawn_line(const PlotLine& line, size_t index, const Axis& x, const Axis& y) {
  std::string path, dots;
  for (const PlotPoint& point : line.points) {
    const double at_x = x.at(point.x), at_y = y.at(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', at_x, at_y);
    dots +=
        fmt::format("<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>", at_x, at_y);
  }
  const PlotPoint& last = line.points.back();
  const double at_x = x.at(last.x), at_y = y.at(last.y);
  const std::string shape =
      line.is_baseline
          ? fmt::format(
                "<rect class=\"baseline\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"16\"/>",
                at_x - 8, at_y - 8)
          : fmt::format("<circle class=\"kernel\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\"/>", at_x,
                        at_y);
  return fmt::format(
      "<path class=\"curve curve-{}\" d=\"{}\"/>{}{}<text class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" "
      "text-anchor=\"middle\">{}</text>",
      index % 4, path, dots, shape, at_x, at_y + 4, index + 1);
}

std::string plot_figure(const DrawnPlot& plot, const Words& words) {
  const auto across = plot_span(plot, &PlotPoint::x), up = plot_span(plot, &PlotPoint::y);
  const Axis x(across, axis_scale_for(across), kPlotLeft, kPlotRight);
  const Axis y(up, axis_scale_for(up), kPlotBottom, kPlotTop);
  std::string lines;
  for (size_t index = 0; index < plot.lines.size(); ++index)
    lines += drawn_line(plot.lines[index], index, x, y);
  const std::string title = html_text(plot_title(plot, words.language()));
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{0}\">{3}{4}<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">{7}</text>"
      "</svg></figure>\n",
      title, kPlotWidth, kPlotHeight, axes_grid(x, y), lines, (kPlotLeft + kPlotRight) / 2,
      kPlotHeight - 6, html_text(plot.against));
}

/// What the numbers of the lines stand for.
std::string plot_legend(const DrawnPlot& plot, const Words& words) {
  std::string out;
  for (const PlotLine& line : plot.lines)
    out += line.is_baseline
               ? fmt::format("<li>{}</li>",
                             html_text(words("page.baseline", {{"program", line.name}})))
               : fmt::format("<li><code>{}</code></li>", html_text(brief_kernel(line.name)));
  return "<ol>" + out + "</ol>\n";
}

/// A row for each x; a column for each line.
std::string plot_table(const DrawnPlot& plot, size_t index, const Words& words) {
  HtmlTable table{
      fmt::format("plot-{}", index + 1), plot_title(plot, words.language()), {plot.against}, {}};
  std::set<double> places;
  for (size_t line = 0; line < plot.lines.size(); ++line) {
    table.headings.push_back(std::to_string(line + 1));
    for (const PlotPoint& point : plot.lines[line].points) places.insert(point.x);
  }
  for (const double place : places) {
    std::string row = fmt::format("<tr><th scope=\"row\">{:.0f}</th>", place);
    for (const PlotLine& line : plot.lines) {
      const auto found = std::find_if(line.points.begin(), line.points.end(),
                                      [&](const PlotPoint& point) { return point.x == place; });
      row += found == line.points.end() ? html_cell("")
                                        : html_number(found->y, short_number(found->y));
    }
    table.rows.push_back(row + "</tr>");
  }
  return format_table(table);
}

}  // namespace

std::string plots_section(const SubmissionResult& result) {
  if (result.plots.empty()) return {};
  const Words words(result.language);
  std::string out = html_section(words("page.plots")) +
                    fmt::format("<p>{}</p>\n", html_text(words("page.plots_note")));
  for (size_t index = 0; index < result.plots.size(); ++index)
    out += plot_figure(result.plots[index], words) + plot_legend(result.plots[index], words) +
           plot_table(result.plots[index], index, words);
  return out + "</section>\n";
}

}  // namespace warpgrade
