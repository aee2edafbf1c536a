// SPDX-License-Identifier: MIT
#include "emulator/runtime/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulator/runtime/findings.h"
#include "emulator/runtime/trace.h"

namespace warpgrade::emulator {
namespace {

constexpr const char* kTimeColumn = "modelled_time_ms";

using Cells = std::vector<std::string>;

std::set<std::string> metric_names(const std::vector<MetricsRow>& rows) {
  std::set<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const auto& [name, value] : row.metrics) names.insert(name);
  }
  return names;
}

std::string shape(const Dim3& value) { return fmt::format("{}x{}x{}", value.x, value.y, value.z); }

/// The table's first line, then a line per launch; a metric that a row lacks is an empty cell.
std::vector<Cells> to_cells(const std::vector<MetricsRow>& rows) {
  const std::set<std::string> names = metric_names(rows);
  std::vector<Cells> lines = {{"index", "kernel", "device", "range", "grid", "block", kTimeColumn}};
  lines[0].insert(lines[0].end(), names.begin(), names.end());
  for (const MetricsRow& row : rows) {
    Cells cells = {std::to_string(lines.size() - 1),
                   row.kernel,
                   std::to_string(row.device),
                   row.range,
                   shape(row.grid),
                   shape(row.block),
                   fmt::format("{}", row.time_ms)};
    for (const std::string& name : names) {
      const auto found = row.metrics.find(name);
      cells.push_back(found == row.metrics.end() ? "" : fmt::format("{}", found->second));
    }
    lines.push_back(std::move(cells));
  }
  return lines;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string render_csv(const std::vector<MetricsRow>& rows) {
  std::string text;
  for (const Cells& line : to_cells(rows)) {
    for (size_t i = 0; i < line.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(line[i]);
    text += '\n';
  }
  return text;
}

std::string render_text(const std::vector<MetricsRow>& rows) {
  const std::vector<Cells> lines = to_cells(rows);
  std::string text;
  for (size_t row = 1; row < lines.size(); ++row) {
    text += fmt::format("launch {}: {}\n", lines[row][0], lines[row][1]);
    for (size_t i = 2; i < lines[row].size(); ++i) {
      if (!lines[row][i].empty()) text += fmt::format("  {:<70} {}\n", lines[0][i], lines[row][i]);
    }
  }
  return text;
}

std::string render_json(const std::vector<MetricsRow>& rows) {
  Json table = Json::array();
  for (const MetricsRow& row : rows) {
    table.push_back({{"index", table.size()},
                     {"kernel", row.kernel},
                     {"device", row.device},
                     {"range", row.range},
                     {"grid", to_json(row.grid)},
                     {"block", to_json(row.block)},
                     {kTimeColumn, row.time_ms},
                     {"metrics", to_json(row.metrics)}});
  }
  return table.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string render_metrics(const std::vector<MetricsRow>& rows, MetricsFormat format) {
  switch (format) {
    case MetricsFormat::csv:
      return render_csv(rows);
    case MetricsFormat::json:
      return render_json(rows);
    case MetricsFormat::text:
      return render_text(rows);
    case MetricsFormat::none:
      break;
  }
  return "";
}

}  // namespace warpgrade::emulator
