// SPDX-License-Identifier: MIT
#include "report/charts/plot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/charts/axis.h"
#include "report/layout.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kRows = 13;
constexpr size_t kLeastColumns = 40, kMostColumns = 90;
constexpr char kSeveral = '*';

size_t nearest_cell(double place) { return static_cast<size_t>(std::lround(place)); }

/// A grid of characters with two axes.
class Picture {
 public:
  Picture(const Axis& x, const Axis& y, size_t columns)
      : x_(x), y_(y), cells_(kRows, std::string(columns, ' ')) {}

  void mark(const PlotPoint& point, char sign) {
    char& cell = cells_[nearest_cell(y_.at(point.y))][nearest_cell(x_.at(point.x))];
    cell = cell == ' ' || cell == sign ? sign : kSeveral;
  }

  std::string text() const {
    std::vector<std::string> left(kRows);
    for (const double tick : y_.ticks())
      left[nearest_cell(y_.at(tick))] = fmt::format("{:g}", tick);
    size_t margin = 0;
    for (const std::string& label : left) margin = std::max(margin, label.size());
    std::string out;
    for (size_t row = 0; row < kRows; ++row)
      out += fmt::format("  {:>{}} {}{}\n", left[row], margin, left[row].empty() ? '|' : '+',
                         trimmed(cells_[row]));
    const std::string indent(margin + 3, ' ');
    return out + indent + "+" + std::string(cells_[0].size(), '-') + "\n" + indent + " " +
           numbers_below() + "\n";
  }

 private:
  static std::string trimmed(const std::string& row) {
    return row.substr(0, row.find_last_not_of(' ') + 1);
  }

  std::string numbers_below() const {
    std::string below;
    for (const double tick : x_.ticks()) {
      const std::string label = fmt::format("{:g}", tick);
      const size_t place = nearest_cell(x_.at(tick)), half = label.size() / 2;
      const size_t begin =
          std::min(place > half ? place - half : 0, cells_[0].size() - label.size());
      if (!below.empty() && begin < below.size() + 2) continue;
      below.resize(begin, ' ');
      below += label;
    }
    return below;
  }

  const Axis& x_;
  const Axis& y_;
  std::vector<std::string> cells_;
};

char sign_of(size_t line) {
  constexpr std::string_view kSigns = "123456789abcdefghijklmnopqrstuvwxyz";
  return kSigns[line % kSigns.size()];
}

std::string format_plot(const DrawnPlot& plot, size_t columns) {
  const auto across = plot_span(plot, &PlotPoint::x), up = plot_span(plot, &PlotPoint::y);
  const Axis x(across, axis_scale_for(across), 0, static_cast<double>(columns - 1));
  const Axis y(up, axis_scale_for(up), kRows - 1, 0);
  Picture picture(x, y, columns);
  std::string legend;
  for (size_t line = 0; line < plot.lines.size(); ++line) {
    const PlotLine& each = plot.lines[line];
    for (const PlotPoint& point : each.points) picture.mark(point, sign_of(line));
    legend +=
        fmt::format("  {}  {}\n", sign_of(line),
                    printable(each.is_baseline ? say("page.baseline", {{"program", each.name}}).text
                                               : brief_kernel(each.name)));
  }
  return plot_title(plot, spoken_language()) + "\n" + picture.text() + legend;
}

}  // namespace

std::string format_plots(const std::vector<DrawnPlot>& plots, size_t columns) {
  constexpr size_t kMargin = 14;
  const size_t wide = columns > kLeastColumns + kMargin ? columns - kMargin : kLeastColumns;
  std::string out;
  for (const DrawnPlot& plot : plots) {
    if (plot.lines.empty()) continue;
    out += (out.empty() ? "" : "\n") + format_plot(plot, std::min(wide, kMostColumns));
  }
  return out;
}

}  // namespace warpgrade
