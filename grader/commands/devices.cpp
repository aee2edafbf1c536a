// SPDX-License-Identifier: MIT
#include "commands/devices.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "build/toolchain.h"
#include "emulator/model/device_table.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGigabyte = 1u << 30;

/// Which assignments a device can grade, and which not.
struct Fitting {
  std::vector<std::string> grades, refuses;
};

Fitting fitting(const std::vector<DeviceDemand>& demands, int major, int minor) {
  Fitting found;
  for (const DeviceDemand& demand : demands) {
    if (major * 10 + minor < kOldestCapability)
      found.refuses.push_back(demand.assignment);
    else if (demand.accepts(major, minor))
      found.grades.push_back(demand.assignment);
    else
      found.refuses.push_back(fmt::format("{} (wants {})", demand.assignment, demand.wanted));
  }
  return found;
}

std::string what_it_grades(const std::vector<DeviceDemand>& demands, int major, int minor) {
  const Fitting found = fitting(demands, major, minor);
  if (demands.empty()) return "";
  if (major * 10 + minor < kOldestCapability)
    return "grades nothing: programs are built for compute capability 7.5 and newer";
  if (found.refuses.empty())
    return fmt::format("grades {}", demands.size() == 1
                                        ? "the one assignment"
                                        : fmt::format("all {} assignments", demands.size()));
  return fmt::format("grades {}; not {}",
                     found.grades.empty() ? "nothing" : join(found.grades, ", "),
                     join(found.refuses, ", "));
}

std::string line_of(const Gpu& gpu) {
  return fmt::format("{:<3} {}, compute capability {}.{}, {:.0f} GiB, {} multiprocessors, {}\n",
                     gpu.index, gpu.name, gpu.major, gpu.minor,
                     static_cast<double>(gpu.memory_bytes) / kGigabyte, gpu.sm_count, gpu.uuid);
}

std::string line_of(const emulator::DeviceModel& device) {
  return fmt::format("{:<10} compute capability {}.{}, {} multiprocessors\n", device.name,
                     device.major, device.minor, device.sm_count);
}

Json fields_of(const std::vector<DeviceDemand>& demands, int major, int minor) {
  const Fitting found = fitting(demands, major, minor);
  return {{"compute_capability", fmt::format("{}.{}", major, minor)},
          {"grades", found.grades},
          {"refuses", found.refuses}};
}

Json json_of(const Gpu& gpu, const std::vector<DeviceDemand>& demands) {
  Json json = {{"index", gpu.index},
               {"uuid", gpu.uuid},
               {"name", gpu.name},
               {"memory_bytes", gpu.memory_bytes},
               {"multiprocessors", gpu.sm_count},
               {"peak_gb_per_s", gpu.peak_gb_per_s()},
               {"peak_gflop_per_s", gpu.peak_gflop_per_s()}};
  json.update(fields_of(demands, gpu.major, gpu.minor));
  return json;
}

Json json_of(const emulator::DeviceModel& device, const std::vector<DeviceDemand>& demands) {
  Json json = {{"name", device.name},
               {"product_name", device.product_name},
               {"memory_bytes", device.memory_bytes},
               {"multiprocessors", device.sm_count}};
  json.update(fields_of(demands, device.major, device.minor));
  return json;
}

}  // namespace

std::string devices_text(const GpuMachine& machine, const std::vector<DeviceDemand>& demands) {
  std::string text = machine.gpus.empty()
                         ? "GPUs: none\n"
                         : fmt::format("GPUs (driver {}, CUDA {})\n", machine.driver, machine.cuda);
  for (const Gpu& gpu : machine.gpus) {
    text += "  " + line_of(gpu);
    const std::string grades = what_it_grades(demands, gpu.major, gpu.minor);
    if (!grades.empty()) text += fmt::format("      {}\n", grades);
  }
  if (!machine.error.empty()) text += fmt::format("  ({})\n", printable(machine.error));
  text += "Emulated devices\n";
  for (const emulator::DeviceModel& device : emulator::device_table()) {
    text += "  " + line_of(device);
    const std::string grades = what_it_grades(demands, device.major, device.minor);
    if (!grades.empty()) text += fmt::format("             {}\n", grades);
  }
  return text;
}

std::string devices_json(const GpuMachine& machine, const std::vector<DeviceDemand>& demands) {
  Json gpus = Json::array(), emulated = Json::array();
  for (const Gpu& gpu : machine.gpus) gpus.push_back(json_of(gpu, demands));
  for (const emulator::DeviceModel& device : emulator::device_table())
    emulated.push_back(json_of(device, demands));
  const Json document = {{"driver", machine.driver},
                         {"cuda", machine.cuda},
                         {"error", machine.error},
                         {"gpus", gpus},
                         {"emulated", emulated}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade
