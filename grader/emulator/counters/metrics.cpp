// SPDX-License-Identifier: MIT
#include "emulator/counters/metrics.h"

#include <fmt/format.h>

#include <array>
#include <tuple>

#include "emulator/counters/kinds.h"

namespace warpgrade::emulator {
namespace {

using Metrics = std::map<std::string, double>;

/// How many operations threads asked for, which is what a course counts; ncu counts those of warps.
constexpr const char* kGlobalAtomics = "ptx__thread_inst_executed_op_global_atomic.sum";
constexpr const char* kSharedAtomics = "ptx__thread_inst_executed_op_shared_atomic.sum";

/// Adds up counters under one kind of name.
class Sums {
 public:
  explicit Sums(Metrics& metrics) : metrics_(metrics) {}

  void global(std::string_view op, const ExecutionCount& count) {
    add(fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", op), count.requests);
    add(fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", op), count.sectors);
    if (op == "atom" || op == "red") return;
    add(fmt::format("smsp__sass_data_bytes_mem_global_op_{}.sum", op), count.bytes);
    if (count.bytes != 0) sectors_of_bytes_[op == "ld" ? 0 : 1] += count.sectors;
  }
  void local(std::string_view op, uint64_t requests, uint64_t sectors) {
    add(fmt::format("l1tex__t_requests_pipe_lsu_mem_local_op_{}.sum", op), requests);
    add(fmt::format("l1tex__t_sectors_pipe_lsu_mem_local_op_{}.sum", op), sectors);
  }
  void shared(std::string_view op, uint64_t requests, uint64_t wavefronts, uint64_t conflicts) {
    add(fmt::format("ptx__requests_mem_shared_op_{}.sum", op), requests);
    add(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", op), wavefronts);
    add(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", op), conflicts);
  }
  /// What asynchronous copies of a few bytes a lane write into shared memory, as ncu calls them.
  void asynchronous(uint64_t wavefronts, uint64_t conflicts) {
    add("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", wavefronts);
    add("smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", conflicts);
  }
  /// Bulk copies as accesses of 16 bytes a lane. No counter of ncu's has them.
  void bulk(std::string_view op, uint64_t requests, uint64_t sectors) {
    add(fmt::format("ptx__requests_mem_global_op_bulk_{}.sum", op), requests);
    add(fmt::format("ptx__sectors_mem_global_op_bulk_{}.sum", op), sectors);
  }
  /// Where all lanes load from one address, the constant cache answers at once; otherwise they take
  /// turns.
  void constant(uint64_t requests, uint64_t addresses) {
    add("ptx__requests_mem_const_op_ld.sum", requests);
    add("ptx__addresses_mem_const_op_ld.sum", addresses);
  }
  void add(const std::string& name, uint64_t value) {
    metrics_[name] += static_cast<double>(value);
  }
  /// Counts lanes that did an operation on floats.
  void arithmetic(std::string_view op, double lanes) {
    metrics_[fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", op)] += lanes;
  }
  /// Not of asynchronous copies, which ncu leaves out where it counts bytes.
  uint64_t sectors_of_bytes(std::string_view op) const {
    return sectors_of_bytes_[op == "ld" ? 0 : 1];
  }

 private:
  Metrics& metrics_;
  std::array<uint64_t, 2> sectors_of_bytes_{};
};

void count_traffic(Sums& sums, const Traffic& traffic, const ExecutionCount& count,
                   const RareCount& rare) {
  switch (traffic.space) {
    case CountedSpace::none:
      return;
    case CountedSpace::shared:
      sums.shared(traffic.op, count.requests, count.wavefronts, count.conflicts);
      break;
    case CountedSpace::local:
      return sums.local(traffic.op, count.requests, count.sectors);
    case CountedSpace::global:
      return sums.global(traffic.op, count);
    case CountedSpace::generic:
      sums.global(traffic.op, count);
      sums.shared(traffic.op, rare.shared_requests, count.wavefronts, count.conflicts);
      if (rare.local_requests != 0) sums.local(traffic.op, rare.local_requests, rare.local_sectors);
      break;
  }
  if (rare.loads != 0) sums.shared("ld", rare.loads, rare.load_wavefronts, rare.load_conflicts);
}

Metrics make_zeros() {
  Metrics metrics;
  Sums sums(metrics);
  for (const std::string_view op : {"ld", "st", "atom", "red"}) sums.global(op, {});
  for (const std::string_view op : {"ld", "st"}) sums.local(op, 0, 0);
  for (const std::string_view op : {"ld", "st", "atom"}) sums.shared(op, 0, 0, 0);
  sums.constant(0, 0);
  for (const std::string_view kind : {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma"})
    sums.add(fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind), 0);
  for (const std::string_view name :
       {"ptx__inst_executed.sum", "ptx__thread_inst_executed.sum",
        "ptx__inst_executed_op_branch.sum", "ptx__branches_threads_divergent.sum", kGlobalAtomics,
        kSharedAtomics})
    sums.add(std::string(name), 0);
  return metrics;
}

/// Every launch reports these, zero or not.
Metrics empty_metrics() {
  static const Metrics zeros = make_zeros();
  return zeros;
}

double value_of(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

/// Adds a quotient unless its divisor is 0.
void add_ratio(Metrics& metrics, const std::string& name, const std::string& dividend,
               double divisor) {
  if (divisor != 0) metrics[name] = value_of(metrics, dividend) / divisor;
}

void add_ratios(Metrics& metrics, const Sums& sums) {
  for (const std::string_view op : {"ld", "st"}) {
    add_ratio(
        metrics,
        fmt::format("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{}.ratio", op),
        fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", op),
        value_of(metrics, fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", op)));
    add_ratio(metrics,
              fmt::format("smsp__sass_average_data_bytes_per_sector_mem_global_op_{}.ratio", op),
              fmt::format("smsp__sass_data_bytes_mem_global_op_{}.sum", op),
              static_cast<double>(sums.sectors_of_bytes(op)));
  }
  add_ratio(metrics, "ptx__thread_inst_executed_per_inst_executed.ratio",
            "ptx__thread_inst_executed.sum", value_of(metrics, "ptx__inst_executed.sum"));
}

/// Whether a turn adds floats, of an atomic that hardware does in a loop.
bool adds_in_loop(std::string_view opcode) {
  return opcode.find(".add.") != std::string_view::npos &&
         (opcode.ends_with(".f32") || opcode.ends_with(".f64"));
}

/// What instructions of one kind did together: their names need to be put together only once.
class Kinds {
 public:
  void add(const Counts& counts, size_t pc) {
    if (counts.of[pc].warps == 0) return;
    const bool may_reduce = counts.program.code[pc].d == kNoRegister &&
                            !counts.program.kept_atomics.contains(static_cast<uint32_t>(pc));
    const RareCount& rare = counts.rare[pc];
    Kind& kind = kinds_[{counts.program.opcodes[pc], may_reduce, rare.shared_requests != 0}];
    kind.may_reduce = may_reduce;
    emulator::add(kind.count, counts.of[pc]);
    emulator::add(kind.rare, rare);
    const auto other = counts.program.other_steps.find(static_cast<uint32_t>(pc));
    if (other == counts.program.other_steps.end()) return;
    const auto lanes = static_cast<double>(counts.of[pc].lanes);
    kind.products += lanes * other->second.products;
    kind.sums += lanes * other->second.sums;
    kind.fmas += lanes * other->second.fmas;
    kind.double_sums += lanes * other->second.double_sums;
    const auto slow = static_cast<double>(rare.slow);
    kind.products += slow * other->second.slow_products;
    kind.sums += slow * other->second.slow_sums;
  }

  void count(Sums& sums) const {
    for (const auto& [key, kind] : kinds_) count(sums, std::get<0>(key), kind);
  }

 private:
  struct Kind {
    bool may_reduce = false;
    ExecutionCount count;
    RareCount rare;
    double products = 0, sums = 0, fmas = 0, double_sums = 0;  ///< OtherSteps
  };

  static void count(Sums& sums, std::string_view opcode, const Kind& kind) {
    const ExecutionCount& count = kind.count;
    sums.add("ptx__inst_executed.sum", count.warps);
    sums.add("ptx__thread_inst_executed.sum", count.lanes);
    sums.add(fmt::format("ptx__inst_executed_op_{}.sum", kind_of(opcode)), count.warps);
    sums.add("ptx__branches_threads_divergent.sum", kind.rare.divergent);
    if (opcode.starts_with("bra") || opcode.starts_with("brx"))
      sums.add("ptx__inst_executed_op_branch.sum", count.warps);
    for (const auto& [op, times] : arithmetic_of(opcode))
      sums.arithmetic(op, static_cast<double>(times * (count.lanes - kind.rare.apart)));
    sums.arithmetic("fmul", kind.products);
    sums.arithmetic("fadd", kind.sums);
    sums.arithmetic("ffma", kind.fmas);
    sums.arithmetic("dadd", kind.double_sums);
    if (adds_in_loop(opcode))
      sums.arithmetic(opcode.ends_with(".f64") ? "dadd" : "fadd",
                      static_cast<double>(kind.rare.loop_lanes));
    if (const unsigned bytes = constant_load_bytes(opcode); bytes != 0)
      sums.constant(count.requests, count.bytes / bytes);
    if (kind.rare.copy_wavefronts != 0)
      sums.asynchronous(kind.rare.copy_wavefronts, kind.rare.copy_conflicts);
    if (const std::string_view op = bulk_op(opcode); !op.empty())
      sums.bulk(op, count.requests, count.sectors);
    const Traffic traffic = traffic_of(opcode, kind.may_reduce);
    if (traffic.op == "atom" || traffic.op == "red") {
      const bool shared = traffic.space == CountedSpace::shared || kind.rare.shared_requests != 0;
      sums.add(shared ? kSharedAtomics : kGlobalAtomics, count.lanes);
    }
    count_traffic(sums, traffic, count, kind.rare);
  }

  /// By opcode, whether it may be a reduction, and whether a generic address was one of
  /// shared memory.
  std::map<std::tuple<std::string_view, bool, bool>, Kind> kinds_;
};

}  // namespace

void add(ExecutionCount& total, const ExecutionCount& part) {
  total.warps += part.warps;
  total.lanes += part.lanes;
  total.requests += part.requests;
  total.sectors += part.sectors;
  total.wavefronts += part.wavefronts;
  total.conflicts += part.conflicts;
  total.bytes += part.bytes;
}

void add(RareCount& total, const RareCount& part) {
  total.divergent += part.divergent;
  total.local_requests += part.local_requests;
  total.local_sectors += part.local_sectors;
  total.shared_requests += part.shared_requests;
  total.loads += part.loads;
  total.load_wavefronts += part.load_wavefronts;
  total.load_conflicts += part.load_conflicts;
  total.loop_lanes += part.loop_lanes;
  total.slow += part.slow;
  total.far_lines += part.far_lines;
  total.far_sectors += part.far_sectors;
  total.apart += part.apart;
  total.copy_wavefronts += part.copy_wavefronts;
  total.copy_conflicts += part.copy_conflicts;
}

std::map<std::string, double> metrics_of(const Counts& counts) {
  Metrics metrics = empty_metrics();
  Sums sums(metrics);
  Kinds kinds;
  for (size_t pc = 0; pc < counts.of.size(); ++pc) kinds.add(counts, pc);
  kinds.count(sums);
  add_ratios(metrics, sums);
  return metrics;
}

std::vector<LineMetrics> lines_of(const LoadedModule& module, const Counts& counts) {
  std::map<std::pair<std::string, int>, Kinds> by_place;
  for (size_t pc = 0; pc < counts.of.size(); ++pc) {
    if (counts.of[pc].warps == 0) continue;
    const auto at = static_cast<uint32_t>(pc);
    by_place[{module.file_of(at), module.line_of(at)}].add(counts, pc);
  }
  std::vector<LineMetrics> lines;
  for (const auto& [place, kinds] : by_place) {
    Metrics metrics;
    Sums sums(metrics);
    kinds.count(sums);
    add_ratios(metrics, sums);
    std::erase_if(metrics, [](const auto& metric) { return metric.second == 0; });
    lines.push_back({place.first, place.second, std::move(metrics)});
  }
  return lines;
}

void add_times(const LoadedModule& module, const std::vector<double>& shares, double ms,
               std::vector<LineMetrics>& lines) {
  std::map<std::pair<std::string, int>, double> by_place;
  for (size_t pc = 0; pc < shares.size(); ++pc) {
    const auto at = static_cast<uint32_t>(pc);
    if (shares[pc] > 0) by_place[{module.file_of(at), module.line_of(at)}] += shares[pc];
  }
  for (LineMetrics& line : lines) line.ms = ms * by_place[{line.file, line.line}];
}

}  // namespace warpgrade::emulator
