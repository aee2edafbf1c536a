// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/line_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace warpgrade::emulator {
namespace {

double value(const LineMetrics& line, const std::string& name) {
  const auto found = line.metrics.find(name);
  return found == line.metrics.end() ? 0 : found->second;
}

uint64_t whole(double value) { return static_cast<uint64_t>(value); }

void add_global(const LineMetrics& line, std::string_view op, Json& record) {
  const auto named = [&](std::string_view what) {
    return value(line, fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", what, op));
  };
  const double requests = named("requests"), sectors = named("sectors");
  const double bytes = value(line, fmt::format("smsp__sass_data_bytes_mem_global_op_{}.sum", op));
  if (requests == 0 || bytes == 0) return;
  // Lanes that share an address ask for more bytes than there are.
  const double fewest = std::min(fewest_sectors(bytes, requests), sectors);
  record[fmt::format("global_{}", op)] = {whole(requests), whole(sectors), whole(fewest)};
}

void add_shared(const LineMetrics& line, std::string_view op, Json& record) {
  const double turns =
      value(line, fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", op));
  const double conflicts =
      value(line, fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", op));
  if (turns == 0) return;
  record[fmt::format("shared_{}", op)] = {
      whole(value(line, fmt::format("ptx__requests_mem_shared_op_{}.sum", op))), whole(turns),
      whole(turns - conflicts)};
}

Json record_of(const LineMetrics& line) {
  Json record = {{"file", line.file},
                 {"line", line.line},
                 {"warps", whole(value(line, "ptx__inst_executed.sum"))},
                 {"threads", whole(value(line, "ptx__thread_inst_executed.sum"))}};
  if (line.ms > 0) record["ms"] = line.ms;
  for (const std::string_view op : {"ld", "st"}) {
    add_global(line, op, record);
    add_shared(line, op, record);
  }
  const double branches = value(line, "ptx__inst_executed_op_branch.sum");
  if (branches != 0)
    record["branches"] = {whole(branches),
                          whole(value(line, "ptx__branches_threads_divergent.sum"))};
  return record;
}

}  // namespace

double fewest_sectors(double bytes, double requests) {
  constexpr double kSectorBytes = 32;
  return std::max(bytes / kSectorBytes, requests);
}

Json lines_record(const std::vector<LineMetrics>& lines) {
  Json list = Json::array();
  for (const LineMetrics& line : lines) {
    if (line.line != 0) list.push_back(record_of(line));
  }
  return list;
}

bool LineRecords::wants(const std::string& mangled) const {
  const auto found = launches_.find(mangled);
  return lines_ < kMostLines && (found == launches_.end() || found->second < kMostLaunches);
}

Json LineRecords::take(const std::string& mangled, const std::vector<LineMetrics>& lines) {
  if (!wants(mangled) || lines.size() > kMostLines - lines_) return {};
  ++launches_[mangled];
  lines_ += lines.size();
  return lines_record(lines);
}

}  // namespace warpgrade::emulator
