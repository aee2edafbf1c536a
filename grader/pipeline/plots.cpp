// SPDX-License-Identifier: MIT
#include "pipeline/plots.h"

#include <algorithm>
#include <map>
#include <optional>

namespace warpgrade {
namespace {

constexpr double kKiloPerGiga = 1e6;
constexpr size_t kMostLines = 12;

double sum_of(const KernelRow& row, const char* loads, const char* stores) {
  double sum = 0;
  for (const char* const name : {loads, stores}) {
    const auto found = row.metrics.find(name);
    sum += found == row.metrics.end() ? 0 : found->second;
  }
  return sum;
}

std::optional<double> value_of(const KernelRow& row, Shown shown) {
  const double ms = row.time_ms && row.time_ms->source == "modelled" ? row.time_ms->value : 0;
  const double bytes = sum_of(row, "smsp__sass_data_bytes_mem_global_op_ld.sum",
                              "smsp__sass_data_bytes_mem_global_op_st.sum");
  const double requests = sum_of(row, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                 "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  switch (shown) {
    case Shown::kTime:
      return ms > 0 ? std::optional(ms) : std::nullopt;
    case Shown::kBandwidth:
      return ms > 0 && bytes > 0 ? std::optional(bytes / ms / kKiloPerGiga) : std::nullopt;
    case Shown::kSectors:
      return requests > 0
                 ? std::optional(sum_of(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") /
                                 requests)
                 : std::nullopt;
  }
  return std::nullopt;
}

const char* name_of(Shown shown) {
  return shown == Shown::kTime ? "time" : shown == Shown::kBandwidth ? "bandwidth" : "sectors";
}

/// x of each public case of the plot.
std::map<std::string, double> places_of(const Rubric& rubric, const Plot& plot) {
  std::map<std::string, double> places;
  for (const std::string& id : plot.cases) {
    const Case* const found = rubric.find_case(id);
    if (found == nullptr || found->visibility != Visibility::kPublic) continue;
    if (const Result<long> x = plot.against.value(found->values()))
      places[id] = static_cast<double>(*x);
  }
  return places;
}

/// By name, and whether it is a baseline.
using Lines = std::map<std::pair<bool, std::string>, std::map<double, double>>;

void note(Lines& lines, bool is_baseline, const std::string& name, double x, double y,
          bool is_more_better) {
  const auto [place, is_new] = lines[{is_baseline, name}].emplace(x, y);
  if (!is_new)
    place->second = is_more_better ? std::max(place->second, y) : std::min(place->second, y);
}

DrawnPlot draw(const Rubric& rubric, const Plot& plot, const SubmissionResult& result) {
  const std::map<std::string, double> places = places_of(rubric, plot);
  Lines lines;
  for (const KernelRow& row : result.kernels) {
    const auto x = places.find(row.case_id);
    const std::optional<double> y = value_of(row, plot.shows);
    if (x != places.end() && y)
      note(lines, false, row.name, x->second, *y, plot.shows == Shown::kBandwidth);
  }
  for (const ProgramWork& work : result.baseline_work) {
    const auto x = places.find(work.case_id);
    if (x != places.end() && plot.shows == Shown::kTime && work.ms > 0)
      note(lines, true, work.program, x->second, work.ms, false);
  }
  DrawnPlot drawn{name_of(plot.shows), plot.against.text(), {}};
  for (const auto& [key, points] : lines) {
    if (drawn.lines.size() == kMostLines || (points.size() < 2 && !key.first)) continue;
    PlotLine& line = drawn.lines.emplace_back(PlotLine{key.second, key.first, {}});
    for (const auto& [x, y] : points) line.points.push_back({x, y});
  }
  return drawn;
}

}  // namespace

std::vector<DrawnPlot> plots_of(const Rubric& rubric, const SubmissionResult& result) {
  std::vector<DrawnPlot> plots;
  for (const Plot& plot : rubric.plots) {
    DrawnPlot drawn = draw(rubric, plot, result);
    const bool has_kernels = std::any_of(drawn.lines.begin(), drawn.lines.end(),
                                         [](const PlotLine& line) { return !line.is_baseline; });
    if (has_kernels) plots.push_back(std::move(drawn));
  }
  return plots;
}

}  // namespace warpgrade
