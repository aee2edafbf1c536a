// SPDX-License-Identifier: MIT
#include "emulator/runtime/machine.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "emulator/runtime/environment.h"
#include "emulator/runtime/findings.h"
#include "emulator/runtime/graphs.h"
#include "emulator/runtime/ranges.h"

namespace warpgrade::emulator {
namespace {

constexpr int kSystemErrorExit = 99;
/// As the harness ends a program that this machine fails, not the program itself.
constexpr int kMachineFailedExit = 98;
/// A kernel that runs at the deadline ends soon after it and is told of; the program may then end
/// as well.
constexpr std::chrono::seconds kGrace{1};
constexpr double kMaxLimitS = 1e9;

std::vector<size_t> memory_sizes(const Settings& settings) {
  std::vector<size_t> sizes;
  for (const DeviceModel& model : settings.devices) sizes.push_back(model.memory_bytes);
  return sizes;
}

Machine* make_machine(const __fatBinC_Wrapper_t* first_code) {
  const char* devices = first_variable("WARPGRADE_DEVICES");
  const bool named = devices != nullptr && *devices != '\0';
  const int least_sm = named || first_code == nullptr ? 0 : least_capability(*first_code);
  const Result<Settings> settings = read_settings(first_variable, least_sm);
  if (!settings) {
    fmt::print(stderr, "warpgrade: {}\n", settings.error().message);
    ::_exit(kSystemErrorExit);
  }
  return new Machine(*settings);
}

std::atomic<bool>& machine_exists() {
  static std::atomic<bool> exists{false};
  return exists;
}

bool& child_without_device() {
  static bool is_one = false;
  return is_one;
}

/// A program may fork before it uses a device; each child then has one of its own.
void enter_child() {
  Machine& only = machine();
  child_without_device() = child_without_device() || only.used;
  if (!child_without_device()) only.memory.renew();
}

/// Runs after the program's own exit handlers.
__attribute__((destructor)) void close_machine() {
  if (machine_exists() && !child_without_device()) machine().close();
}

/// Ends a program that hangs outside of any kernel.
void watch(Machine& machine) {
  std::this_thread::sleep_until(*machine.deadline + kGrace);
  if (machine.mutex.try_lock_for(kGrace)) {
    Finding finding;
    finding.checker = "limit";
    finding.message = fmt::format("the program is still running {} s after its start, in no kernel",
                                  machine.settings.time_limit_s);
    machine.report(finding);
    machine.mutex.unlock();
    machine.close();
  }
  ::_exit(kSystemErrorExit);
}

size_t default_limit(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return 1024;
    case cudaLimitPrintfFifoSize:
      return 8650752;
    case cudaLimitMallocHeapSize:
      return 8388608;
    case cudaLimitDevRuntimePendingLaunchCount:
      return 2048;
    case cudaLimitMaxL2FetchGranularity:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

bool is_child_without_device() { return child_without_device(); }

Machine& machine(const __fatBinC_Wrapper_t* first_code) {
  static Machine& only = *make_machine(first_code);
  static const int hears_of_forks = ::pthread_atfork(nullptr, nullptr, enter_child);
  static_cast<void>(hears_of_forks);
  machine_exists() = true;
  return only;
}

ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

void note_error_seen() {
  if (!machine_exists() || child_without_device()) return;
  Machine& only = machine();
  const std::lock_guard lock(only.mutex);
  only.unseen.reset();
}

cudaError_t Device::fault_for(EarlierFault when) {
  if (fault == cudaSuccess || when == EarlierFault::ignored) return cudaSuccess;
  if (when == EarlierFault::found) fault_known = true;
  return fault_known ? fault : cudaSuccess;
}

size_t Device::limit(cudaLimit which) const {
  const auto set = limits.find(which);
  return set != limits.end() ? set->second : default_limit(which);
}

Machine::Machine(const Settings& from)
    : settings(from),
      trace(from.trace_path, from.trace_key),
      memory(memory_sizes(from)),
      ptxas(from.ptxas, from.cache_folder),
      graphs_held(std::make_unique<Graphs>()),
      graphs(*graphs_held),
      stream_races(from.check.race, memory) {
  memory.when_host_fails([](const std::string& why) {
    fmt::print(stderr, "warpgrade: {}\n", why);
    std::fflush(nullptr);
    ::_exit(kMachineFailedExit);
  });
  if (settings.check.init || settings.check.race) memory.watch();
  Json names = Json::array();
  for (const DeviceModel& model : settings.devices) {
    devices.emplace_back().model = model;
    names.push_back(
        {{"name", std::string(model.name)}, {"major", model.major}, {"minor", model.minor}});
  }
  if (settings.time_limit_s > 0) {
    const auto limit = std::chrono::duration<double>(std::min(settings.time_limit_s, kMaxLimitS));
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
    std::thread(watch, std::ref(*this)).detach();
  }
  trace.write("session", {{"version", 1}, {"source", "emulated"}, {"devices", names}});
}

Machine::~Machine() = default;

void Machine::report(const Finding& finding) {
  const std::string words = in_words(finding);
  if (finding.kernel.empty() && !said.insert(words).second) return;
  found = true;
  if (!settings.quiet && !is_told_again(finding)) fmt::print(stderr, "warpgrade: {}\n", words);
  Json record = to_json(finding);
  if (const std::string range = range_of_call(settings.is_graded()); !range.empty())
    record["range"] = range;
  if (closing) record["at_exit"] = true;
  trace.write("finding", record);
}

bool Machine::is_told_again(const Finding& finding) {
  if (finding.kernel.empty()) return false;
  const auto [kind, is_new] = told.try_emplace(kind_in_words(finding), Told{launches, 0});
  Told& before = kind->second;
  if (!is_new && before.in_launch != launches) {
    before.in_launch = launches;
    ++before.again;
  }
  return before.again > 0;
}

void Machine::close() {
  const std::lock_guard lock(mutex);
  for (const Finding& finding : stream_races.lift_guard()) report(finding);
  for (const auto& [kind, before] : told) {
    if (before.again > 0)
      fmt::print(stderr, "warpgrade: found again in {} more launches: {}\n", before.again, kind);
  }
  closing = true;
  for (const Finding& finding : tampering(*this)) report(finding);
  if (settings.check.api) {
    for (const Finding& finding : findings_at_exit(*this)) report(finding);
  }
  const std::string table = render_metrics(rows, settings.metrics_format);
  if (!table.empty()) {
    FILE* file =
        settings.metrics_path.empty() ? stdout : std::fopen(settings.metrics_path.c_str(), "w");
    if (file == nullptr) {
      fmt::print(stderr, "warpgrade: cannot write {}\n", settings.metrics_path);
    } else {
      std::fwrite(table.data(), 1, table.size(), file);
      file == stdout ? std::fflush(file) : std::fclose(file);
    }
  }
  trace.write("exit", Json::object());
  if (found && settings.error_exit_code != 0) {
    std::fflush(nullptr);
    ::_exit(settings.error_exit_code);
  }
}

void Machine::reset(int device) {
  Device& target = devices[static_cast<size_t>(device)];
  // A context that a kernel broke does not come back (seen on an H200): later calls say so.
  const bool broken = target.fault != cudaSuccess;
  const DeviceModel model = target.model;
  target = {};
  target.model = model;
  if (broken) {
    target.fault = cudaErrorDevicesUnavailable;
    target.fault_known = true;
  }
  stream_races.reset();
  program.unload(device);
  streams.reset(device);
  textures.reset(device);
  pools.graphs_of(device) = {};
  memory.free_all(device, "cudaDeviceReset");
}

}  // namespace warpgrade::emulator
