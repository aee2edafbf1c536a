// SPDX-License-Identifier: MIT
//
// gpu-probe                          prints what GPUs there are, one JSON object (see gpu.h)
// gpu-probe check                    status 0 where the first GPU that CUDA shows it works, else a sentence why not
// gpu-probe watch UUID MILLISECONDS  prints one line every 10 ms, for that long at most, and until standard input, where
//                                    that is a pipe, is closed:
//                                    <CLOCK_MONOTONIC ns> <reasons, hex> <SM MHz> <memory MHz> <C> <mW>
//
// A program of its own, because a driver that has lost its GPU may hang whoever asks it, or bring him down.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "run/gpu/cores.h"
#include "run/gpu/gpu_check.h"
#include "run/gpu/nvml.h"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSampleMs = 10;
constexpr long kNanosecondsPerSecond = 1'000'000'000;
constexpr int kUsage = 2;
constexpr unsigned kMostProcesses = 256;

/// What a call that fills a number says; 0 where it is not there or fails.
template <class Value, class Function, class... Arguments>
Value ask(Function function, Arguments... arguments) {
  Value value{};
  return function != nullptr && function(arguments..., &value) == kNvmlSuccess ? value : Value{};
}

/// The same of a text.
template <class Function, class... Arguments>
std::string ask_text(Function function, Arguments... arguments) {
  char text[256] = {};
  return function != nullptr && function(arguments..., text, sizeof text) == kNvmlSuccess ? text
                                                                                          : "";
}

std::string compute_mode_name(int mode) {
  if (mode == kNvmlComputeProhibited) return "prohibited";
  return mode == kNvmlComputeExclusiveProcess ? "exclusive_process" : "default";
}

void add_processes(const Nvml& nvml, NvmlDevice device,
                   int (*running)(NvmlDevice, unsigned*, NvmlProcess*), Json& list) {
  std::vector<NvmlProcess> found(kMostProcesses);
  unsigned count = kMostProcesses;
  if (running == nullptr || running(device, &count, found.data()) != kNvmlSuccess) return;
  for (unsigned i = 0; i < count; ++i) {
    const auto known = [&](const Json& each) { return each["pid"] == found[i].pid; };
    if (std::any_of(list.begin(), list.end(), known)) continue;
    // All ones: not told.
    const bool told = found[i].used_bytes != ~0ull;
    list.push_back({{"pid", found[i].pid},
                    {"name", ask_text(nvml.process_name, found[i].pid)},
                    {"bytes", told ? found[i].used_bytes : 0}});
  }
}

int multiprocessors(const Nvml& nvml, NvmlDevice device, int major, int minor) {
  const int each = float_cores_per_sm(major, minor);
  return each == 0 ? 0 : static_cast<int>(ask<unsigned>(nvml.cores, device)) / each;
}

Json describe(const Nvml& nvml, NvmlDevice device, unsigned index) {
  int major = 0, minor = 0;
  if (nvml.compute_capability != nullptr) nvml.compute_capability(device, &major, &minor);
  unsigned mig = 0, pending = 0;
  if (nvml.mig_mode == nullptr || nvml.mig_mode(device, &mig, &pending) != kNvmlSuccess) mig = 0;
  Json processes = Json::array();
  add_processes(nvml, device, nvml.compute_processes, processes);
  add_processes(nvml, device, nvml.graphics_processes, processes);
  return {{"index", index},
          {"minor_number", ask<unsigned>(nvml.minor_number, device)},
          {"uuid", ask_text(nvml.uuid, device)},
          {"name", ask_text(nvml.name, device)},
          {"major", major},
          {"minor", minor},
          {"pci_bus_id", std::string(ask<NvmlPci>(nvml.pci, device).bus_id)},
          {"memory_bytes", ask<NvmlMemory>(nvml.memory, device).total},
          {"sm_count", multiprocessors(nvml, device, major, minor)},
          {"max_sm_mhz", ask<unsigned>(nvml.max_clock, device, kNvmlClockSm)},
          {"max_memory_mhz", ask<unsigned>(nvml.max_clock, device, kNvmlClockMemory)},
          {"memory_bus_bits", ask<unsigned>(nvml.bus_width, device)},
          {"compute_mode", compute_mode_name(ask<int>(nvml.compute_mode, device))},
          {"persistence", ask<int>(nvml.persistence, device) != 0},
          {"processes", processes},
          {"mig", mig != 0}};
}

/// Where the driver's libraries were found, and where links among them lead.
Json driver_folders() {
  std::set<std::string> folders;
  for (const char* name : {"libcuda.so.1", "libnvidia-ml.so.1"}) {
    void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) continue;
    std::error_code ignored;
    for (const fs::path& path : {fs::path(map->l_name), fs::canonical(map->l_name, ignored)}) {
      if (path.has_parent_path()) folders.insert(path.parent_path().string());
    }
  }
  return folders;
}

Json machine(const Nvml& nvml) {
  constexpr int kMajorUnit = 1000, kMinorUnit = 10;
  const int cuda = ask<int>(nvml.cuda_version);
  Json gpus = Json::array();
  std::string error;
  for (unsigned i = 0; i < ask<unsigned>(nvml.device_count); ++i) {
    NvmlDevice device = nullptr;
    if (const int status = nvml.device_by_index(i, &device); status != kNvmlSuccess)
      error = fmt::format("GPU {} does not answer: {}", i, nvml.error_string(status));
    else
      gpus.push_back(describe(nvml, device, i));
  }
  if (gpus.empty() && error.empty()) error = "the NVIDIA driver sees no GPU";
  return {{"driver", ask_text(nvml.driver_version)},
          {"cuda", fmt::format("{}.{}", cuda / kMajorUnit, cuda % kMajorUnit / kMinorUnit)},
          {"driver_folders", driver_folders()},
          {"gpus", gpus},
          {"error", error}};
}

int list() {
  const Result<Nvml> nvml = Nvml::open();
  const Json found =
      nvml ? machine(*nvml) : Json{{"gpus", Json::array()}, {"error", nvml.error().message}};
  fmt::print("{}\n", found.dump(-1, ' ', false, Json::error_handler_t::replace));
  return 0;
}

long now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNanosecondsPerSecond + now.tv_nsec;
}

void print_sample(const Nvml& nvml, NvmlDevice device) {
  const long at = now_ns();
  fmt::print("{} {:x} {} {} {} {}\n", at, ask<unsigned long long>(nvml.clock_reasons, device),
             ask<unsigned>(nvml.clock, device, kNvmlClockSm),
             ask<unsigned>(nvml.clock, device, kNvmlClockMemory),
             ask<unsigned>(nvml.temperature, device, kNvmlTemperatureGpu),
             ask<unsigned>(nvml.power, device));
  std::fflush(stdout);
}

/// Waits for the next sample; false where whoever holds the other end of standard input has closed it.
bool rest() {
  pollfd closed{STDIN_FILENO, 0, 0};
  return ::poll(&closed, 1, kSampleMs) == 0;
}

int watch(const char* uuid, long milliseconds) {
  const Result<Nvml> nvml = Nvml::open();
  NvmlDevice device = nullptr;
  const int status = nvml ? nvml->device_by_uuid(uuid, &device) : kNvmlSuccess;
  if (!nvml || status != kNvmlSuccess) {
    fmt::print(
        stderr, "gpu-probe: {}\n",
        nvml ? fmt::format("{}: {}", uuid, nvml->error_string(status)) : nvml.error().message);
    return 1;
  }
  const long end = now_ns() + milliseconds * (kNanosecondsPerSecond / 1000);
  do {
    print_sample(*nvml, device);
  } while (rest() && now_ns() < end);
  return 0;
}

int check() {
  const Status works = check_gpu();
  if (!works) fmt::print(stderr, "{}\n", works.error().message);
  return works ? 0 : 1;
}

int main_with(const std::vector<std::string>& words) {
  if (words.empty()) return list();
  if (words.size() == 1 && words[0] == "check") return check();
  if (words.size() == 3 && words[0] == "watch")
    return watch(words[1].c_str(), std::atol(words[2].c_str()));
  fmt::print(stderr, "usage: gpu-probe [check | watch UUID MILLISECONDS]\n");
  return kUsage;
}

}  // namespace
}  // namespace warpgrade

int main(int argc, char** argv) { return warpgrade::main_with({argv + 1, argv + argc}); }
