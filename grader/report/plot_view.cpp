// SPDX-License-Identifier: MIT
#include "report/plot_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/html.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr int kPlotWidth = 560, kPlotHeight = 320;
constexpr double kPlotLeft = 60, kPlotRight = 530, kPlotTop = 16, kPlotBottom = 276;
/// Numbers that span more than this stand on a logarithmic axis.
constexpr double kMostLinear = 20;

std::string short_number(double value) { return fmt::format("{:.3g}", value); }

/// "tile<32>" of "void (anonymous namespace)::tile<32>(float*, int)".
std::string brief_kernel(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::", kResult = "void ";
  for (size_t at = name.find(kUnnamed); at != name.npos; at = name.find(kUnnamed))
    name.erase(at, kUnnamed.size());
  if (name.starts_with(kResult)) name.erase(0, kResult.size());
  int depth = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (name[at] == '(' && depth == 0) return name.substr(0, at);
  }
  return name;
}

/// The least and the most of one coordinate of all points.
template <class Coordinate>
std::pair<double, double> plot_span(const DrawnPlot& plot, Coordinate coordinate) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const PlotLine& line : plot.lines) {
    for (const PlotPoint& point : line.points) {
      least = std::min(least, coordinate(point));
      most = std::max(most, coordinate(point));
    }
  }
  return {least, most};
}

/// One axis: in whole powers of ten, or from 0 in even steps.
class PlotAxis {
 public:
  PlotAxis(std::pair<double, double> span, double from, double to) : from_(from), to_(to) {
    const auto [least, most] = span;
    is_logarithmic_ = least > 0 && most / least > kMostLinear;
    if (is_logarithmic_) {
      low_ = std::floor(std::log10(least));
      high_ = std::max(std::ceil(std::log10(most)), low_ + 1);
      step_ = 1;
      return;
    }
    low_ = std::min(least, 0.0);
    const double wide = std::max(most - low_, 1e-9) / 5;
    const double power = std::pow(10, std::floor(std::log10(wide)));
    step_ = power * (wide <= power ? 1 : wide <= 2 * power ? 2 : wide <= 5 * power ? 5 : 10);
    high_ = low_ + step_ * std::ceil((most - low_) / step_);
    if (high_ == low_) high_ += step_;
  }

  double at(double value) const {
    const double place = is_logarithmic_ ? std::log10(value) : value;
    return from_ + (place - low_) / (high_ - low_) * (to_ - from_);
  }
  std::vector<double> ticks() const {
    std::vector<double> values;
    for (double tick = low_; tick <= high_ + step_ / 2; tick += step_)
      values.push_back(is_logarithmic_ ? std::pow(10, tick) : tick);
    return values;
  }

 private:
  double from_, to_, low_ = 0, high_ = 1, step_ = 1;
  bool is_logarithmic_ = false;
};

std::string plot_grid(const PlotAxis& x, const PlotAxis& y) {
  std::string out;
  for (const double tick : x.ticks())
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:g}</text>",
        x.at(tick), kPlotTop, kPlotBottom, kPlotBottom + 16, tick);
  for (const double tick : y.ticks())
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:g}</text>",
        kPlotLeft, y.at(tick), kPlotRight, kPlotLeft - 6, y.at(tick) + 4, tick);
  return out;
}

/// A line's points joined, with its number at the last.
std::string drawn_line(const PlotLine& line, size_t index, const PlotAxis& x, const PlotAxis& y) {
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

std::string plot_title(const DrawnPlot& plot, const Words& words) {
  const char* const id = plot.shows == "time"        ? "page.plot_time"
                         : plot.shows == "bandwidth" ? "page.plot_bandwidth"
                                                     : "page.plot_sectors";
  return words(id, {{"against", plot.against}});
}

std::string plot_figure(const DrawnPlot& plot, const Words& words) {
  const PlotAxis x(plot_span(plot, [](const PlotPoint& point) { return point.x; }), kPlotLeft,
                   kPlotRight);
  const PlotAxis y(plot_span(plot, [](const PlotPoint& point) { return point.y; }), kPlotBottom,
                   kPlotTop);
  std::string lines;
  for (size_t index = 0; index < plot.lines.size(); ++index)
    lines += drawn_line(plot.lines[index], index, x, y);
  const std::string title = html_text(plot_title(plot, words));
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{0}\">{3}{4}<text x=\"{5}\" y=\"{6}\" text-anchor=\"middle\">{7}</text>"
      "</svg></figure>\n",
      title, kPlotWidth, kPlotHeight, plot_grid(x, y), lines, (kPlotLeft + kPlotRight) / 2,
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
  HtmlTable table{fmt::format("plot-{}", index + 1), plot_title(plot, words), {plot.against}, {}};
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
