// SPDX-License-Identifier: MIT
#include "run/gpu/gpu.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "run/gpu/cores.h"

namespace warpgrade {
namespace {

using Json = nlohmann::json;

constexpr long kProbeMs = 5000;

GpuProcess process_of(const Json& json) {
  return {json.at("pid").get<int>(), json.at("name").get<std::string>(),
          json.at("bytes").get<size_t>()};
}

Gpu gpu_of(const Json& json) {
  Gpu gpu;
  json.at("index").get_to(gpu.index);
  json.at("minor_number").get_to(gpu.minor_number);
  json.at("uuid").get_to(gpu.uuid);
  json.at("name").get_to(gpu.name);
  json.at("major").get_to(gpu.major);
  json.at("minor").get_to(gpu.minor);
  json.at("pci_bus_id").get_to(gpu.pci_bus_id);
  json.at("memory_bytes").get_to(gpu.memory_bytes);
  json.at("sm_count").get_to(gpu.sm_count);
  json.at("max_sm_mhz").get_to(gpu.max_sm_mhz);
  json.at("max_memory_mhz").get_to(gpu.max_memory_mhz);
  json.at("memory_bus_bits").get_to(gpu.memory_bus_bits);
  json.at("compute_mode").get_to(gpu.compute_mode);
  json.at("persistence").get_to(gpu.persistence);
  json.at("mig").get_to(gpu.mig);
  for (const Json& each : json.at("processes")) gpu.processes.push_back(process_of(each));
  return gpu;
}

GpuMachine failed(std::string why) {
  GpuMachine machine;
  machine.error = std::move(why);
  return machine;
}

}  // namespace

double Gpu::peak_gb_per_s() const {
  constexpr double kTransfersPerClock = 2;
  return kTransfersPerClock * max_memory_mhz * (memory_bus_bits / 8) / 1000;
}

double Gpu::peak_gflop_per_s() const {
  constexpr double kOperationsPerMultiplyAdd = 2;
  return kOperationsPerMultiplyAdd * sm_count * float_cores_per_sm(major, minor) * max_sm_mhz /
         1000;
}

Result<GpuMachine> parse_gpus(std::string_view json) {
  try {
    const Json document = Json::parse(json);
    GpuMachine machine;
    machine.error = document.at("error").get<std::string>();
    machine.driver = document.value("driver", "");
    machine.cuda = document.value("cuda", "");
    for (const Json& each : document.at("gpus")) machine.gpus.push_back(gpu_of(each));
    for (const Json& each : document.value("driver_folders", Json::array()))
      machine.driver_folders.emplace_back(each.get<std::string>());
    return machine;
  } catch (const Json::exception& problem) {
    return Error{fmt::format("gpu-probe's answer cannot be read: {}", problem.what())};
  }
}

GpuMachine find_gpus(const Sandbox& trusted, const fs::path& probe) {
  Command command;
  command.argv = {probe.string()};
  // A driver that lies apart is found along it, here as in the graded programs.
  if (const char* path = std::getenv("LD_LIBRARY_PATH"))
    command.environment["LD_LIBRARY_PATH"] = path;
  command.limits.wall_ms = kProbeMs;
  const ProcessOutcome outcome = trusted.run(command);
  if (outcome.ending == Ending::kTimedOut)
    return failed("the NVIDIA driver did not answer within 5 s: see `dmesg`, restart the machine");
  if (!outcome.succeeded()) {
    std::error_code ignored;
    if (!fs::exists(probe, ignored))
      return failed(fmt::format("{} is missing: run `ninja -C build`", probe.string()));
    return failed(fmt::format("gpu-probe does not work: {}{}", outcome.error, trim(outcome.err)));
  }
  Result<GpuMachine> machine = parse_gpus(outcome.out);
  return machine ? std::move(*machine) : failed(machine.error().message);
}

}  // namespace warpgrade
