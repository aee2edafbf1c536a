// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpgrade {

struct PlotPoint {
  double x = 0, y = 0;
  bool operator==(const PlotPoint&) const = default;
};

/// One kernel, or one of the course's programs, in the order of x.
struct PlotLine {
  std::string name;
  bool is_baseline = false;
  std::vector<PlotPoint> points;
  bool operator==(const PlotLine&) const = default;
};

/// Numbers of kernels over the public cases, as the rubric asks for them.
struct DrawnPlot {
  std::string shows;    ///< "time" in ms, "bandwidth" in GB/s, "sectors" for each request.
  std::string against;  ///< The formula of x.
  std::vector<PlotLine> lines;
  bool operator==(const DrawnPlot&) const = default;
};

/// Its title in a language.
std::string plot_title(const DrawnPlot& plot, const std::string& language);

/// The least and the most of one coordinate over all points of a plot that has some.
std::pair<double, double> plot_span(const DrawnPlot& plot, double PlotPoint::*coordinate);

/// "tile<32>" of "void (anonymous namespace)::tile<32>(float*, int)".
std::string brief_kernel(std::string name);

}  // namespace warpgrade
