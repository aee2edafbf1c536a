// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/runtime/settings.h"

namespace warpgrade::emulator {

/// One launch as a row of the metrics table.
struct MetricsRow {
  std::string kernel;  ///< Demangled.
  int device = 0;
  std::string range;
  Dim3 grid, block;
  TimeEstimate time;
  std::map<std::string, double> metrics;  ///< Under ncu's names.
  std::vector<LineMetrics> lines;         ///< Told as a table of their own, and in JSON.
};

/// The whole table, one row per launch; columns are all metrics that any row has. Empty for
/// MetricsFormat::none.
std::string render_metrics(const std::vector<MetricsRow>& rows, MetricsFormat format);

}  // namespace warpgrade::emulator
