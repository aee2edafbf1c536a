// SPDX-License-Identifier: MIT
#include "pipeline/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Why the GPU cannot be used for the assignment, or empty.
std::string objection(const Gpu& gpu, const Requires& wanted) {
  if (!accepts(wanted, gpu.major, gpu.minor))
    return fmt::format("has compute capability {}.{}", gpu.major, gpu.minor);
  if (gpu.compute_mode == "prohibited") return "is in compute mode prohibited";
  if (gpu.mig) return "is split by MIG";
  return "";
}

size_t count_of(const std::vector<Gpu>& gpus, const std::string& model) {
  return static_cast<size_t>(
      std::count_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name == model; }));
}

}  // namespace

GpuChoice choose_gpus(const GpuMachine& machine, const Requires& wanted) {
  std::vector<Gpu> fit;
  std::vector<std::string> objections;
  for (const Gpu& gpu : machine.gpus) {
    const std::string why = objection(gpu, wanted);
    if (why.empty()) {
      fit.push_back(gpu);
    } else {
      objections.push_back(fmt::format("{} {}", gpu.name, why));
    }
  }
  GpuChoice choice;
  if (fit.empty()) {
    const std::string there = machine.gpus.empty()
                                  ? (machine.error.empty() ? "there is none" : machine.error)
                                  : join(objections, ", ");
    choice.note = fmt::format("no GPU here can time this (wanted: compute capability {}): {}",
                              describe_devices(wanted), there);
    return choice;
  }
  const auto most = std::max_element(fit.begin(), fit.end(), [&](const Gpu& a, const Gpu& b) {
    return count_of(fit, a.name) < count_of(fit, b.name);
  });
  const std::string model = most->name;
  for (const Gpu& gpu : fit) {
    if (gpu.name == model) {
      choice.gpus.push_back(gpu);
    } else {
      objections.push_back(
          fmt::format("{} is another model than the {} {}", gpu.name, count_of(fit, model), model));
    }
  }
  if (!objections.empty()) choice.note = "not used: " + join(objections, ", ");
  return choice;
}

}  // namespace warpgrade
