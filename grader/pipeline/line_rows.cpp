// SPDX-License-Identifier: MIT
#include "pipeline/line_rows.h"

#include <algorithm>
#include <tuple>

namespace warpgrade {

void LineRows::add(const std::string& case_id, const Trace& trace) {
  std::map<std::string, Lines> of_case;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.is_drivers) continue;
    for (const LineCounts& counts : launch.lines) {
      if (counts.file != source_file_) continue;
      Lines& lines = of_case[launch.kernel];
      lines.case_id = case_id;
      lines.warps += counts.warps;
      LineCounts& sum = lines.by_line[counts.line];
      sum.file = counts.file;
      sum.line = counts.line;
      sum.add(counts);
    }
  }
  for (auto& [kernel, lines] : of_case) {
    Lines& kept = by_kernel_[kernel];
    if (lines.warps > kept.warps) kept = std::move(lines);
  }
}

std::vector<LineRow> LineRows::rows() const {
  std::vector<LineRow> rows;
  for (const auto& [kernel, lines] : by_kernel_) {
    for (const auto& [line, counts] : lines.by_line)
      rows.push_back({lines.case_id, kernel, counts});
  }
  if (rows.size() <= kMostRows) return rows;
  std::stable_sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
    return a.counts.warps > b.counts.warps;
  });
  rows.resize(kMostRows);
  std::sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
    return std::tie(a.kernel, a.counts.line) < std::tie(b.kernel, b.counts.line);
  });
  return rows;
}

}  // namespace warpgrade
