// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/launch_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/work_log.h"

namespace warpgrade::emulator {
namespace {

Json hex_parameters(const KernelInfo& info, const std::vector<std::byte>& block) {
  Json values = Json::array();
  for (const KernelParameter& parameter : info.parameters) {
    std::string text;
    for (size_t i = 0; i < parameter.size; ++i) {
      text += fmt::format("{:02x}", std::to_integer<int>(block[parameter.offset + i]));
    }
    values.push_back(text);
  }
  return values;
}

Json list_of(const std::vector<TouchedAllocation>& touched) {
  Json list = Json::array();
  for (const TouchedAllocation& one : touched) {
    list.push_back({{"ptr", one.ptr},
                    {"read", one.read},
                    {"written", one.written},
                    {"padding_read", one.padding_read},
                    {"padding_written", one.padding_written}});
    if (one.atomic_updates != 0) list.back()["atomic_updates"] = one.atomic_updates;
    if (one.writers != 0) list.back()["writers"] = one.writers;
  }
  return list;
}

/// Keeps what a launch did for the table of metrics and for advice, where someone wants them.
void note_row(ApiCall& call, const LoadedKernel& kernel, const LaunchRequest& request,
              MetricsRow row) {
  Machine& machine = call.machine();
  const bool in_table = machine.settings.metrics_format != MetricsFormat::none;
  if (!in_table && !machine.settings.for_people) return;
  add_launch_metrics(call, kernel, request, row.metrics);
  if (machine.settings.for_people) machine.profile.add(row);
  if (in_table) machine.rows.push_back(std::move(row));
}

}  // namespace

void record_launch(ApiCall& call, const LoadedKernel& kernel, const LaunchRequest& request,
                   const CUstream_st& stream, Begun begun, cudaError_t code,
                   const std::string& range, const LaunchResult& result) {
  const KernelInfo& info = *kernel.info;
  const std::string name = demangled(info.mangled);
  Machine& machine = call.machine();
  note_row(call, kernel, request,
           {name, request.device, range, request.grid, request.block, result.time, result.metrics,
            result.lines});
  if (code == cudaSuccess)
    machine.timeline.add_launch(stream, name, request.grid, request.block, result.time);
  if (result.work != nullptr) log_work(machine.settings.work_path, name, *result.work);
  if (!machine.trace.enabled()) return;
  std::map<std::string, double> metrics = result.metrics;
  if (begun == Begun::yes && resources_of(call, kernel).has_value())
    add_launch_metrics(call, kernel, request, metrics);
  Json line = {{"result", static_cast<int>(code)},
               {"kernel", name},
               {"mangled", info.mangled},
               {"device", request.device},
               {"range", range},
               {"stream", stream.recorded_id()},
               {"grid", to_json(request.grid)},
               {"block", to_json(request.block)},
               {"dynamic_shared_bytes", request.dynamic_shared_bytes},
               {"static_shared_bytes", info.static_shared_bytes},
               {"params", hex_parameters(info, request.parameters)},
               {"memory", list_of(result.touched)},
               {"metrics", to_json(metrics)},
               {"time_ms",
                {{"value", result.time.kernel_ms},
                 {"source", "modelled"},
                 {"dram_bytes", static_cast<uint64_t>(result.time.dram_bytes)},
                 {"pipes", to_json(result.time.pipes)}}},
               {"code", kernel.kernel->image->hashes()}};
  if (begun == Begun::yes && code != cudaSuccess) line["faulted"] = true;
  if (Json lines = machine.line_records.take(info.mangled, result.lines); !lines.empty())
    line["lines"] = std::move(lines);
  machine.trace.write("launch", line);
}

}  // namespace warpgrade::emulator
