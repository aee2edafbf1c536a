// SPDX-License-Identifier: MIT
#include "emulator/counters/metrics.h"

#include <fmt/format.h>

namespace warpgrade::emulator {
namespace {

bool has(std::string_view opcode, std::string_view modifier) {
  for (size_t at = opcode.find(modifier); at != std::string_view::npos;
       at = opcode.find(modifier, at + 1)) {
    const size_t end = at + modifier.size();
    if (at > 0 && opcode[at - 1] == '.' &&
        (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':'))
      return true;
  }
  return false;
}

std::string_view base_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

/// "fadd", "dfma"... or empty.
std::string arithmetic_kind(std::string_view opcode) {
  const bool f32 = opcode.ends_with(".f32"), f64 = opcode.ends_with(".f64");
  const std::string_view base = base_of(opcode);
  if ((!f32 && !f64) || has(opcode, "shared") || has(opcode, "global")) return {};
  const std::string prefix = f64 ? "d" : "f";
  if (base == "add" || base == "sub") return prefix + "add";
  if (base == "mul") return prefix + "mul";
  if (base == "fma" || base == "mad") return prefix + "fma";
  return {};
}

/// ncu's name for the kind of access: "ld", "st", "atom", "red"; empty for what is no memory
/// instruction.
std::string_view access_kind(const Instruction& instruction, std::string_view opcode) {
  const std::string_view base = base_of(opcode);
  if (base == "ld" || base == "ldu") return "ld";
  if (base == "st") return "st";
  if (base == "red" || (base == "atom" && instruction.d == kNoRegister)) return "red";
  return base == "atom" ? "atom" : std::string_view{};
}

void count_access(std::map<std::string, double>& metrics, std::string_view kind,
                  std::string_view opcode, const ExecutionCount& count) {
  const auto add_to = [&](const std::string& name, uint64_t value) {
    metrics[name] += static_cast<double>(value);
  };
  if (has(opcode, "shared")) {
    if (kind != "ld" && kind != "st") return;
    add_to(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", kind),
           count.wavefronts);
    add_to(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", kind),
           count.conflicts);
    return;
  }
  const std::string_view space = has(opcode, "local") ? "local" : "global";
  add_to(fmt::format("l1tex__t_requests_pipe_lsu_mem_{}_op_{}.sum", space, kind), count.requests);
  add_to(fmt::format("l1tex__t_sectors_pipe_lsu_mem_{}_op_{}.sum", space, kind), count.sectors);
}

/// Every launch reports these, zero or not.
std::map<std::string, double> empty_metrics() {
  std::map<std::string, double> metrics;
  for (const std::string_view kind : {"ld", "st", "atom", "red"}) {
    metrics[fmt::format("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum", kind)] = 0;
    metrics[fmt::format("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum", kind)] = 0;
  }
  for (const std::string_view kind : {"ld", "st"}) {
    metrics[fmt::format("l1tex__t_requests_pipe_lsu_mem_local_op_{}.sum", kind)] = 0;
    metrics[fmt::format("l1tex__t_sectors_pipe_lsu_mem_local_op_{}.sum", kind)] = 0;
    metrics[fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", kind)] = 0;
    metrics[fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", kind)] = 0;
  }
  for (const std::string_view kind : {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma"}) {
    metrics[fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind)] = 0;
  }
  return metrics;
}

}  // namespace

void add(ExecutionCount& total, const ExecutionCount& part) {
  total.warps += part.warps;
  total.lanes += part.lanes;
  total.requests += part.requests;
  total.sectors += part.sectors;
  total.wavefronts += part.wavefronts;
  total.conflicts += part.conflicts;
}

std::map<std::string, double> metrics_of(const Program& program,
                                         const std::vector<ExecutionCount>& counts) {
  std::map<std::string, double> metrics = empty_metrics();
  double warps = 0, lanes = 0;
  for (size_t pc = 0; pc < counts.size(); ++pc) {
    const ExecutionCount& count = counts[pc];
    if (count.warps == 0) continue;
    warps += static_cast<double>(count.warps);
    lanes += static_cast<double>(count.lanes);
    const std::string_view opcode = program.opcodes[pc];
    if (const std::string kind = arithmetic_kind(opcode); !kind.empty()) {
      metrics[fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind)] +=
          static_cast<double>(count.lanes);
    }
    if (const std::string_view kind = access_kind(program.code[pc], opcode);
        !kind.empty() && count.requests != 0) {
      count_access(metrics, kind, opcode, count);
    }
  }
  metrics["smsp__inst_executed.sum"] = warps;
  metrics["smsp__thread_inst_executed.sum"] = lanes;
  return metrics;
}

}  // namespace warpgrade::emulator
