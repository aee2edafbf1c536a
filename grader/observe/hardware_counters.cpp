// SPDX-License-Identifier: MIT
// The table is as ncu 2025.3 writes it; measure.py of testing/ground_truth reads the same.
#include "observe/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "observe/tool_command.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kLogBytes = size_t{16} << 20;
constexpr int kSlower = 30;  // Each launch is repeated for each group of counters.
constexpr size_t kMoreMemoryBytes = size_t{8} << 30;
constexpr int kMoreProcesses = 128;
constexpr double kSectorBytes = 32;
constexpr int kNamesReadsByOperation = 12;  // Compute capability of the GB20x chips.

using Names = std::vector<std::string>;

/// A counter is `scale` times the sum of these metrics over all launches, divided by the sum of
/// those, where there are any. `weight`: the mean of the first, weighted by that one.
struct Formula {
  Names above, below = {};
  double scale = 1;
  std::string weight = {};
};

/// Percentages and shares are made of sums, which several launches have together.
std::map<std::string, Formula> formulas(int major) {
  const auto of_global = [](const char* what, const char* op) {
    return fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", what, op);
  };
  const auto bytes = [](const char* op) {
    return fmt::format("smsp__sass_data_bytes_mem_global_op_{}.sum", op);
  };
  const bool by_operation = major == kNamesReadsByOperation;
  const auto dram = [&](const char* what) {
    return fmt::format("dram__bytes{}_{}.sum", by_operation ? "_op" : "", what);
  };
  const std::string time = "gpu__time_duration.sum";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  const std::string accesses = "smsp__inst_executed_op_shared_";
  return {
      {"global_load_efficiency", {{bytes("ld")}, {of_global("sectors", "ld")}, 100 / kSectorBytes}},
      {"global_store_efficiency",
       {{bytes("st")}, {of_global("sectors", "st")}, 100 / kSectorBytes}},
      {"sectors_per_global_load", {{of_global("sectors", "ld")}, {of_global("requests", "ld")}}},
      {"sectors_per_global_store", {{of_global("sectors", "st")}, {of_global("requests", "st")}}},
      {"shared_bank_conflicts_per_access",
       {{conflicts + "ld.sum", conflicts + "st.sum"}, {accesses + "ld.sum", accesses + "st.sum"}}},
      {"achieved_occupancy", {{"sm__warps_active.avg.pct_of_peak_sustained_active"}, {}, 1, time}},
      {"dram_bytes", {{"dram__bytes.sum"}}},
      {"dram_read_bytes", {{dram("read")}}},
      {"dram_write_bytes", {{dram("write")}}},
      {"l1_hit_rate", {{"l1tex__t_sector_hit_rate.pct"}, {}, 1, time}},
      {"l2_hit_rate", {{"lts__t_sector_hit_rate.pct"}, {}, 1, time}},
      {"branch_uniformity",
       {{"smsp__sass_branch_targets_threads_uniform.sum"}, {"smsp__sass_branch_targets.sum"}, 100}},
      {"active_threads_per_warp",
       {{"smsp__thread_inst_executed.sum"}, {"smsp__inst_executed.sum"}}},
      {"local_memory_instructions",
       {{"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"}}},
      {"tensor_instructions", {{"sm__inst_executed_pipe_tensor.sum"}}},
  };
}

/// The cells of one line of CSV, in which a quoted cell may hold commas and doubled quotes.
Names cells_of(const std::string& line) {
  Names cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

struct Table {
  Names columns;
  std::vector<Names> rows;  ///< One for each launch.
};

/// ncu's own lines begin with ==; the row under the columns holds units.
Table table_in(std::string_view log) {
  Table table;
  bool units = false;
  for (const std::string& line : split(log, '\n')) {
    if (table.columns.empty()) {
      if (line.starts_with("\"ID\"")) table.columns = cells_of(line);
    } else if (!units) {
      units = true;
    } else if (line.starts_with("\"")) {
      table.rows.push_back(cells_of(line));
    }
  }
  return table;
}

/// Nothing for "", "n/a" and "nan". ncu parts thousands by commas.
std::optional<double> number_in(std::string cell) {
  std::erase(cell, ',');
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (cell.empty() || error != std::errc() || end != cell.data() + cell.size() ||
      !std::isfinite(number))
    return std::nullopt;
  return number;
}

/// The metric of each launch. An Error where one has none.
Result<std::vector<double>> column(const Table& table, const std::string& metric) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), metric);
  if (found == table.columns.end()) return Error{fmt::format("ncu has no {} on this GPU", metric)};
  const auto index = static_cast<size_t>(found - table.columns.begin());
  std::vector<double> values;
  for (const Names& row : table.rows) {
    const std::string cell = index < row.size() ? row[index] : "";
    const std::optional<double> number = number_in(cell);
    if (!number)
      return Error{fmt::format("ncu gave '{}' for {}", printable(cell.substr(0, 40)), metric)};
    values.push_back(*number);
  }
  return values;
}

Result<double> sum_of(const Table& table, const Names& metrics) {
  double sum = 0;
  for (const std::string& metric : metrics) {
    const Result<std::vector<double>> values = column(table, metric);
    if (!values) return values.error();
    for (const double value : *values) sum += value;
  }
  return sum;
}

Result<double> weighted_sum(const Table& table, const std::string& metric,
                            const std::string& weight) {
  const Result<std::vector<double>> values = column(table, metric), weights = column(table, weight);
  if (!values) return values.error();
  if (!weights) return weights.error();
  double sum = 0;
  for (size_t i = 0; i < values->size(); ++i) sum += (*values)[i] * (*weights)[i];
  return sum;
}

CounterValue not_measured(std::string why) { return {std::nullopt, std::move(why)}; }

CounterValue value_of(const Formula& formula, const Table& table) {
  const bool mean = !formula.weight.empty();
  const Result<double> above =
      mean ? weighted_sum(table, formula.above[0], formula.weight) : sum_of(table, formula.above);
  if (!above) return not_measured(above.error().message);
  const Names below_metrics = mean ? Names{formula.weight} : formula.below;
  const Result<double> below = sum_of(table, below_metrics);
  if (!below) return not_measured(below.error().message);
  if (below_metrics.empty()) return {formula.scale * *above, ""};
  if (*below == 0) return {};
  return {formula.scale * *above / *below, ""};
}

/// Why ncu measured nothing at all, in its words or ours.
std::string why_no_table(std::string_view log) {
  if (log.find("ERR_NVGPUCTRPERM") != std::string_view::npos)
    return "graded programs may not read the GPU's performance counters (ERR_NVGPUCTRPERM): the "
           "driver's option NVreg_RestrictProfilingToAdminUsers=0 opens them";
  if (log.find("==ERROR==") == std::string_view::npos &&
      log.find("No kernels were profiled") != std::string_view::npos)
    return "ncu saw no kernel in the range";
  const std::string said = last_said(log);
  return said.empty() ? "ncu gave no table" : "ncu gave no table; it said: " + said;
}

CounterValues all_without(const Names& counters, const std::string& why) {
  CounterValues values;
  for (const std::string& counter : counters) values[counter] = not_measured(why);
  return values;
}

std::string why_no_run(const ProcessOutcome& outcome) {
  if (outcome.ending == Ending::kSystemError) return outcome.error;
  if (outcome.ending == Ending::kTimedOut)
    return fmt::format("ncu was stopped after {} s", outcome.wall_ms / 1000);
  return "";
}

}  // namespace

Names metrics_for(const std::string& counter, int major) {
  const std::map<std::string, Formula> all = formulas(major);
  const auto found = all.find(counter);
  if (found == all.end()) return {};
  Names metrics = found->second.above;
  metrics.insert(metrics.end(), found->second.below.begin(), found->second.below.end());
  if (!found->second.weight.empty()) metrics.push_back(found->second.weight);
  return metrics;
}

CounterValues parse_counters(const Names& counters, int major, std::string_view log) {
  const Table table = table_in(log);
  if (table.rows.empty()) return all_without(counters, why_no_table(log));
  const std::map<std::string, Formula> all = formulas(major);
  CounterValues values;
  for (const std::string& counter : counters) {
    const auto found = all.find(counter);
    values[counter] = found == all.end() ? not_measured("there is no such counter")
                                         : value_of(found->second, table);
  }
  return values;
}

Command counter_command(const fs::path& ncu, const Names& counters, int major,
                        const std::string& range, Command program, const fs::path& log) {
  Names metrics;
  for (const std::string& counter : counters) {
    for (const std::string& metric : metrics_for(counter, major)) {
      if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
        metrics.push_back(metric);
    }
  }
  // In the harness's domain, where a student opens no range. A slash after its name makes it one of
  // the kind that is pushed and popped.
  const std::string ours = fmt::format("warpgrade@{}/", range);
  Names argv = {ncu.string(), "--config-file",   "off",  "--csv",           "--page",
                "raw",        "--print-units",   "base", "--clock-control", "none",
                "--nvtx",     "--nvtx-include",  ours,   "--log-file",      log.string(),
                "--metrics",  join(metrics, ",")};
  argv.insert(argv.end(), program.argv.begin(), program.argv.end());
  program.argv = std::move(argv);
  make_room_for_tool(ncu, log.parent_path(), program);
  program.limits.wall_ms *= kSlower;
  program.limits.cpu_s *= kSlower;
  program.limits.memory_bytes += kMoreMemoryBytes;
  program.limits.processes += kMoreProcesses;
  return program;
}

CounterValues run_counters(const Sandbox& sandbox, const fs::path& ncu, const Names& counters,
                           int major, const std::string& range, const Command& program,
                           const fs::path& log) {
  std::error_code ignored;
  fs::remove(log, ignored);
  const ProcessOutcome outcome =
      sandbox.run(counter_command(ncu, counters, major, range, program, log));
  if (const std::string why = why_no_run(outcome); !why.empty()) return all_without(counters, why);
  const Result<std::string> text = read_untrusted(log, kLogBytes);
  // Before it opens its log, and where it cannot, ncu speaks to its standard streams.
  if (text && !trim(*text).empty()) return parse_counters(counters, major, *text);
  if (outcome.ending == Ending::kSignalled)
    return all_without(counters, fmt::format("ncu ended with signal {}", outcome.code));
  return all_without(counters, why_no_table(outcome.out + "\n" + outcome.err));
}

}  // namespace warpgrade
