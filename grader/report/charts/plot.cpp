// SPDX-License-Identifier: MIT
#include "report/charts/plot.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sentences/words.h"

namespace warpgrade {

std::string plot_title(const DrawnPlot& plot, const std::string& language) {
  const char* const id = plot.shows == "time"        ? "page.plot_time"
                         : plot.shows == "bandwidth" ? "page.plot_bandwidth"
                                                     : "page.plot_sectors";
  return Words(language)(id, {{"against", plot.against}});
}

std::pair<double, double> plot_span(const DrawnPlot& plot, double PlotPoint::*coordinate) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const PlotLine& line : plot.lines) {
    for (const PlotPoint& point : line.points) {
      least = std::min(least, point.*coordinate);
      most = std::max(most, point.*coordinate);
    }
  }
  return {least, most};
}

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

}  // namespace warpgrade
