// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/model/time_model.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/trace.h"

namespace warpgrade::emulator {
namespace {

constexpr const char* kTimeColumn = "modelled_time_ms";
constexpr const char* kBoundColumn = "bound_by";

using Cells = std::vector<std::string>;

std::set<std::string> metric_names(const std::vector<MetricsRow>& rows) {
  std::set<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const auto& [name, value] : row.metrics) names.insert(name);
  }
  return names;
}

std::string shape(const Dim3& value) { return fmt::format("{}x{}x{}", value.x, value.y, value.z); }

std::string bound_of(const TimeEstimate& time) {
  return time.pipes.empty() ? "" : std::string(time.pipes.front().name);
}

std::string in_full(double value) { return fmt::format("{}", value); }

/// Counts as they are, and four digits of what is not whole.
std::string rounded(double value) {
  return value == std::floor(value) ? fmt::format("{}", value) : fmt::format("{:.4g}", value);
}

/// The table's first line, then a line per launch; a metric that a row lacks is an empty cell.
std::vector<Cells> to_cells(const std::vector<MetricsRow>& rows,
                            std::string (*number)(double) = in_full) {
  const std::set<std::string> names = metric_names(rows);
  std::vector<Cells> lines = {
      {"index", "kernel", "device", "range", "grid", "block", kTimeColumn, kBoundColumn}};
  lines[0].insert(lines[0].end(), names.begin(), names.end());
  for (const MetricsRow& row : rows) {
    Cells cells = {std::to_string(lines.size() - 1),
                   row.kernel,
                   std::to_string(row.device),
                   row.range,
                   shape(row.grid),
                   shape(row.block),
                   number(row.time.ms),
                   bound_of(row.time)};
    for (const std::string& name : names) {
      const auto found = row.metrics.find(name);
      cells.push_back(found == row.metrics.end() ? "" : number(found->second));
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
  const std::vector<Cells> lines = to_cells(rows, rounded);
  std::string text;
  for (size_t row = 1; row < lines.size(); ++row) {
    text += fmt::format("launch {}: {}\n", lines[row][0], lines[row][1]);
    const TimeEstimate& time = rows[row - 1].time;
    if (!time.pipes.empty()) text += fmt::format("  modelled time: {}\n", in_words(time));
    for (size_t i = 2; i < lines[row].size(); ++i) {
      if (!lines[row][i].empty()) text += fmt::format("  {:<70} {}\n", lines[0][i], lines[row][i]);
    }
  }
  return text;
}

double metric(const LineMetrics& line, std::string_view prefix) {
  double sum = 0;
  for (const auto& [name, value] : line.metrics) sum += name.starts_with(prefix) ? value : 0;
  return sum;
}

std::string quotient(double dividend, double divisor) {
  return divisor == 0 ? "-" : fmt::format("{:.2f}", dividend / divisor);
}

/// What a line did, in the columns of render_lines().
Cells to_cells(const LineMetrics& line) {
  const double executed = metric(line, "ptx__inst_executed.sum");
  const double branches = metric(line, "ptx__inst_executed_op_branch.sum");
  return {line.line == 0 ? "(no line)" : fmt::format("{}:{}", line.file, line.line),
          fmt::format("{:.0f}", executed),
          quotient(metric(line, "ptx__thread_inst_executed.sum"), executed),
          quotient(metric(line, "l1tex__t_sectors_pipe_lsu_mem_global_op_"),
                   metric(line, "l1tex__t_requests_pipe_lsu_mem_global_op_")),
          quotient(metric(line, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"),
                   metric(line, "ptx__requests_mem_shared_op_")),
          quotient(metric(line, "l1tex__t_sectors_pipe_lsu_mem_local_op_"),
                   metric(line, "l1tex__t_requests_pipe_lsu_mem_local_op_")),
          branches == 0
              ? "-"
              : fmt::format("{:.0f} of {:.0f}", metric(line, "ptx__branches_threads_divergent.sum"),
                            branches)};
}

std::string render_lines(const std::vector<MetricsRow>& rows) {
  std::string text;
  for (size_t index = 0; index < rows.size(); ++index) {
    const MetricsRow& row = rows[index];
    text += fmt::format("launch {}: {}, grid {}, block {}\n", index, row.kernel, shape(row.grid),
                        shape(row.block));
    text +=
        fmt::format("  {:<32}{:>12}{:>8}{:>16}{:>20}{:>15}{:>18}\n", "source", "PTX executed",
                    "lanes", "global sectors", "shared wavefronts", "local sectors", "divergent");
    text += fmt::format("  {:<32}{:>12}{:>8}{:>16}{:>20}{:>15}{:>18}\n", "", "by warps", "mean",
                        "a request", "a request", "a request", "branches");
    for (const LineMetrics& line : row.lines) {
      const Cells cells = to_cells(line);
      text += fmt::format("  {:<32}{:>12}{:>8}{:>16}{:>20}{:>15}{:>18}\n", cells[0], cells[1],
                          cells[2], cells[3], cells[4], cells[5], cells[6]);
    }
  }
  return text;
}

Json lines_to_json(const std::vector<LineMetrics>& lines) {
  Json list = Json::array();
  for (const LineMetrics& line : lines)
    list.push_back({{"file", line.file},
                    {"line", line.line},
                    {"modelled_time_ms", line.ms},
                    {"metrics", to_json(line.metrics)}});
  return list;
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
                     {kTimeColumn, row.time.ms},
                     {"modelled_pipes", to_json(row.time.pipes)},
                     {"metrics", to_json(row.metrics)},
                     {"lines", lines_to_json(row.lines)}});
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
    case MetricsFormat::lines:
      return render_lines(rows);
    case MetricsFormat::none:
      break;
  }
  return "";
}

}  // namespace warpgrade::emulator
