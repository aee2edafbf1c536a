// SPDX-License-Identifier: MIT
#include "emulator/runtime/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/text.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/notices.h"
#include "emulator/runtime/record/ranges.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// As the harness ends a program that this machine fails, not the program itself.
constexpr int kMachineFailedExit = 98;
constexpr int kCannotRunExit = 99;
/// A kernel that runs at the deadline ends soon after it and is told of; the program may then end
/// as well.
constexpr std::chrono::seconds kGrace{1};
constexpr double kMaxLimitS = 1e9;
/// By one launch. A device drops what is too much for its buffer, as well.
constexpr size_t kMostPrintedBytes = size_t{64} << 20;
/// What kernels print until a call shows it; more is shown when a kernel ends.
constexpr size_t kMostHeldBytes = size_t{1} << 20;

Audience audience_of(const Settings& settings) {
  if (settings.quiet) return Audience::nobody;
  return settings.for_people ? Audience::people : Audience::tools;
}

/// Those that the program sees; a first one, which all calls refuse, where it sees none.
std::vector<int> devices_of(const Settings& settings) {
  const bool is_blind = settings.visible.empty() && !settings.devices.empty();
  return is_blind ? std::vector<int>{0} : settings.visible;
}

cudaError_t error_without_device(const Settings& settings) {
  if (!settings.visible.empty()) return cudaSuccess;
  return settings.repeats_visible ? cudaErrorInvalidDevice : cudaErrorNoDevice;
}

std::vector<size_t> memory_sizes(const Settings& settings) {
  std::vector<size_t> sizes;
  for (const int device : devices_of(settings))
    sizes.push_back(settings.devices[static_cast<size_t>(device)].memory_bytes);
  return sizes;
}

const char* variable(const char* name) { return std::getenv(name); }

Machine* make_machine(int least_capability) {
  const char* devices = variable("WARPGRADE_DEVICES");
  const bool named = devices != nullptr && *devices != '\0';
  const Result<Settings> settings = read_settings(variable, named ? 0 : least_capability);
  if (!settings) {
    fmt::print(stderr, "warpgrade: {}\n", settings.error().message);
    end_program(kSystemErrorExit);
  }
  speak(settings->language);
  // A batch system may have set it for a machine without a GPU.
  if (settings->visible.empty() && !settings->quiet)
    fmt::print(stderr, "warpgrade: CUDA_VISIBLE_DEVICES={} leaves the program no device\n",
               printable(variable("CUDA_VISIBLE_DEVICES")));
  return new Machine(*settings);
}

std::atomic<bool>& machine_exists() {
  static std::atomic<bool> exists{false};
  return exists;
}

/// Ends a program that hangs outside of any kernel.
void watch(Machine& machine) {
  std::this_thread::sleep_until(*machine.deadline + kGrace);
  if (machine.mutex.try_lock_for(kGrace)) {
    machine.report(finding_of(
        say("limit.program", {{"seconds", fmt::format("{}", machine.settings.time_limit_s)}})));
    machine.print_what_is_left();
    machine.close();
  }
  end_program(kSystemErrorExit);
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
    case cudaLimitDevRuntimeSyncDepth:
      return 2;
    case cudaLimitMaxL2FetchGranularity:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

Machine& machine(int least_capability) {
  static Machine& only = *make_machine(least_capability);
  machine_exists() = true;
  return only;
}

Machine* made_machine() { return machine_exists() ? &machine() : nullptr; }

ThreadState& this_thread() {
  static std::atomic<uint64_t> threads{0};
  thread_local ThreadState state{.host_thread = {.number = ++threads}};
  return state;
}

void note_error_seen() {
  if (!machine_exists()) return;
  const std::lock_guard lock(machine().mutex);
  machine().unseen.reset();
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
      no_device(error_without_device(from)),
      sample_keys(from.sample_key),
      trace(from.trace_path, from.trace_limit_bytes),
      memory(memory_sizes(from), shared_pages()),
      ptxas(from.ptxas, from.cache_folder),
      graphs_held(std::make_unique<Graphs>()),
      graphs(*graphs_held),
      timeline(from.timeline_path),
      teller(audience_of(from)),
      stream_races(from.check.race, memory) {
  memory.when_host_fails([](const std::string& why) {
    fmt::print(stderr, "warpgrade: {}\n", why);
    end_program(kMachineFailedExit);
  });
  if (settings.check.init || settings.check.race) memory.watch();
  Json names = Json::array();
  for (const int number : devices_of(settings)) {
    const DeviceModel& model = settings.devices[static_cast<size_t>(number)];
    devices.emplace_back().model = model;
    devices.back().number = number;
    names.push_back(
        {{"name", std::string(model.name)}, {"major", model.major}, {"minor", model.minor}});
  }
  if (settings.time_limit_s > 0) {
    const auto limit = std::chrono::duration<double>(std::min(settings.time_limit_s, kMaxLimitS));
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
    std::thread(watch, std::ref(*this)).detach();
  }
  if (settings.notice_s > 0) watch_long_launches(workers.lookout(), settings.notice_s);
  trace.write("session", {{"version", 1}, {"source", "emulated"}, {"devices", names}});
}

Machine::~Machine() = default;

void Machine::report(const Finding& finding, const std::optional<std::string>& range) {
  // Who grades must know; who runs a program of millions of atomics finds nothing wrong in it.
  if (finding.checker == "unchecked" && !settings.graded) return;
  const std::string its = range ? *range : range_of_call(settings.graded);
  if (finding.kernel.empty() && !said.insert(its + " " + finding.message.key()).second) return;
  found = true;
  lacks_code = lacks_code || (finding.checker == "unsupported" && !finding.kernel.empty());
  const bool is_consequence = unseen && !finding.kernel.empty() && !closing;
  if (settings.check.api && is_consequence) teller.tell_cause(finding_of(*unseen));
  teller.tell(finding, launches);
  Json record = to_json(finding);
  if (!its.empty()) record["range"] = its;
  if (closing) record["at_exit"] = true;
  trace.write("finding", record);
}

int Machine::close() {
  if (closing) return 0;
  closing = true;
  // A program that is wrong need not be fast; one that leaks is only untidy.
  teller.end_of_launch();
  const bool is_right = !teller.has_problems() && !unseen;
  for (const Finding& finding : tampering(*this)) report(finding);
  if (settings.check.api) {
    for (const Finding& finding : findings_at_exit(*this)) report(finding);
  }
  teller.end(settings.check);
  if (settings.for_people && is_right) fmt::print(stderr, "{}", in_words(advise(profile)));
  timeline.write(device_names());
  write_metrics();
  trace.write("exit", Json::object());
  trace.end();
  if (lacks_code && !settings.graded) return kCannotRunExit;
  return found ? settings.error_exit_code : 0;
}

void Machine::printed(int device, std::string_view text) {
  const std::lock_guard lock(print_mutex);
  devices[static_cast<size_t>(device)].has_printed = true;
  if (to_print.size() >= kMostPrintedBytes) return;
  to_print += text;
  shows(text.size());
}

void Machine::complained(std::string_view text) {
  const std::lock_guard lock(print_mutex);
  if (to_complain.size() >= kMostHeldBytes) return;
  to_complain += text;
  shows(text.size());
}

void Machine::end_of_printing(bool has_failed) {
  if (has_failed || settings.prints_at_once || to_print.size() >= kMostHeldBytes) print();
  if (to_complain.empty()) return;
  host().print(Output::error, to_complain);
  to_complain.clear();
}

void Machine::print() {
  if (to_print.empty()) return;
  host().print(Output::standard, to_print);
  to_print.clear();
}

void Machine::print_what_is_left() {
  fmt::print(stderr, "{}", std::exchange(to_print, std::string()));
}

std::vector<std::string> Machine::device_names() const {
  std::vector<std::string> names;
  for (const Device& device : devices) names.emplace_back(device.model.name);
  return names;
}

void Machine::write_metrics() {
  const std::string table = render_metrics(rows, settings.metrics_format);
  if (table.empty()) return;
  if (settings.metrics_path.empty()) return host().print(Output::standard, table);
  FILE* const file = std::fopen(settings.metrics_path.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "warpgrade: cannot write {}\n", settings.metrics_path);
    return;
  }
  std::fwrite(table.data(), 1, table.size(), file);
  std::fclose(file);
}

DeviceHeap::Taken Machine::taken_in_kernels() const {
  DeviceHeap::Taken all;
  for (const Device& device : devices) {
    if (device.heap == nullptr) continue;
    const DeviceHeap::Taken here = device.heap->taken();
    all.blocks += here.blocks;
    all.bytes += here.bytes;
  }
  return all;
}

void Machine::reset(int device) {
  Device& target = devices[static_cast<size_t>(device)];
  // A context that a kernel broke does not come back (seen on an H200): later calls say so.
  const bool broken = target.fault != cudaSuccess;
  const DeviceModel model = target.model;
  const int number = target.number;
  target = {};
  target.model = model;
  target.number = number;
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
