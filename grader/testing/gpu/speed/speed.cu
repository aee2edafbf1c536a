// SPDX-License-Identifier: MIT
// Times the tasks of libraries on the current device, those of a group in turns, and prints a line of
// JSON for the device and one for each task. reference_speed.py builds the libraries and calls this.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "testing/gpu/speed/arrays.h"
#include "testing/gpu/speed/kernel_clock.h"

namespace {

using warpgrade::speed::Arrays;
using warpgrade::speed::DeviceWork;
using warpgrade::speed::KernelClock;
using warpgrade::speed::Size;
using warpgrade::speed::Task;
using SteadyClock = std::chrono::steady_clock;

constexpr char kUsage[] =
    "usage: speed PLAN [small|turns|graded]\n"
    "  PLAN   a file with lines GROUP<tab>LABEL<tab>judged|all<tab>LIBRARY; a group's follow each\n"
    "         other\n"
    "  small  only whether the results are right, on any device\n"
    "  turns  sizes as for small, but timed\n"
    "  graded sizes at which a grader may time cases\n";

constexpr int kRounds = 21;
constexpr int kWarmUpMs = 300;
constexpr double kLongMs = 60.0;  // takes part in every third round only
constexpr size_t kFlushFactor = 2;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "speed: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Library {
  std::string group, label, path;
  bool all;
};

struct Entry {
  const Library* library;
  Task task;
  std::optional<bool> right = std::nullopt;
  double call_ms = 0.0;  ///< of the first call, copies and all
  std::vector<double> kernel_ms = {}, event_ms = {}, memset_ms = {};
  std::vector<std::string> kernels = {};
};

std::vector<Library> read_plan(const char* path) {
  std::ifstream file(path);
  std::vector<Library> plan;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string group, label, extent, library;
    std::getline(words, group, '\t');
    std::getline(words, label, '\t');
    std::getline(words, extent, '\t');
    std::getline(words, library, '\t');
    plan.push_back({group, label, library, extent == "all"});
  }
  return plan;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "an attribute of the device");
  return value;
}

void print_device(const KernelClock* clock) {
  cudaDeviceProp properties;
  int driver = 0, runtime = 0;
  check(cudaGetDeviceProperties(&properties, 0), "the device");
  check(cudaDriverGetVersion(&driver), "the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "the runtime's version");
  const double memory_khz = attribute(cudaDevAttrMemoryClockRate);
  const double bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  const double clock_khz = attribute(cudaDevAttrClockRate);
  std::printf(
      "{\"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"cuda_driver\": %d, "
      "\"cuda_runtime\": %d, \"multiprocessors\": %d, \"clock_mhz\": %.0f, "
      "\"memory_mhz\": %.0f, \"bus_bits\": %.0f, \"peak_gb_per_s\": %.1f, \"l2_bytes\": %d, "
      "\"rounds\": %d, \"timer\": \"%s\"}\n",
      properties.name, properties.major, properties.minor, driver, runtime,
      properties.multiProcessorCount, clock_khz / 1e3, memory_khz / 1e3, bus_bits,
      2.0 * memory_khz * 1e3 * bus_bits / 8.0 / 1e9, properties.l2CacheSize, kRounds,
      clock != nullptr && clock->error().empty() ? "CUPTI" : "events");
}

/// Appends the tasks of one library, which stays loaded; false where it cannot be.
bool load(const Library& library, Size size, Arrays& memory, std::vector<Entry>& entries) {
  void* handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, "offer_tasks");
  if (symbol == nullptr) {
    std::fprintf(stderr, "speed: %s\n", dlerror());
    return false;
  }
  const auto offer = reinterpret_cast<decltype(&offer_tasks)>(symbol);
  std::vector<Task> tasks;
  offer({size, library.all, library.group, memory}, tasks);
  for (Task& task : tasks) entries.push_back({&library, std::move(task)});
  return true;
}

/// One call that does not count for the time, with its result.
void try_once(Entry& entry) {
  const Task& task = entry.task;
  if (task.poison) task.poison();
  const auto start = SteadyClock::now();
  task.call();
  const cudaError_t error = cudaDeviceSynchronize();
  entry.call_ms = std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
  check(error, (entry.library->path + ": " + task.name).c_str());
  if (task.is_right) entry.right = task.is_right();
  cudaGetLastError();  // of a launch that was refused
}

/// Keeps the device busy until its clocks have risen.
void warm_up(void* scratch, size_t bytes) {
  const auto end = SteadyClock::now() + std::chrono::milliseconds(kWarmUpMs);
  while (SteadyClock::now() < end) {
    for (int i = 0; i < 20; ++i) check(cudaMemsetAsync(scratch, i, bytes), "warming up");
    check(cudaDeviceSynchronize(), "warming up");
  }
}

class Stopwatch {
 public:
  explicit Stopwatch(KernelClock& clock) : clock_(clock) {
    check(cudaEventCreate(&start_), "an event");
    check(cudaEventCreate(&stop_), "an event");
    bytes_ = kFlushFactor * static_cast<size_t>(attribute(cudaDevAttrL2CacheSize));
    check(cudaMalloc(&scratch_, bytes_), "memory to flush the L2 cache with");
  }

  void warm_up() { ::warm_up(scratch_, bytes_); }

  /// One call with nothing of its data in the L2 cache.
  void time(Entry& entry) {
    check(cudaMemsetAsync(scratch_, 0, bytes_), "flushing the L2 cache");
    check(cudaDeviceSynchronize(), "flushing the L2 cache");
    if (clock_.error().empty()) clock_.take();
    check(cudaEventRecord(start_), "an event");
    entry.task.call();
    check(cudaEventRecord(stop_), "an event");
    check(cudaEventSynchronize(stop_), "an event");
    float event_ms = 0.0f;
    check(cudaEventElapsedTime(&event_ms, start_, stop_), "an event");
    entry.event_ms.push_back(event_ms);
    if (!clock_.error().empty()) return;
    DeviceWork work = clock_.take();
    entry.kernel_ms.push_back(work.kernel_ms);
    entry.memset_ms.push_back(work.memset_ms);
    entry.kernels = std::move(work.kernels);
  }

 private:
  KernelClock& clock_;
  cudaEvent_t start_{}, stop_{};
  void* scratch_ = nullptr;
  size_t bytes_ = 0;
};

/// In turns, every other round in the opposite order.
void time_in_turns(std::vector<Entry>& entries, Stopwatch& stopwatch) {
  stopwatch.warm_up();
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = entries[round % 2 == 0 ? i : entries.size() - 1 - i];
      if (entry.call_ms > kLongMs && round % 3 != 0) continue;
      stopwatch.time(entry);
    }
  }
}

void print_numbers(const char* name, const std::vector<double>& values) {
  std::printf(", \"%s\": [", name);
  for (size_t i = 0; i < values.size(); ++i) std::printf("%s%.6g", i == 0 ? "" : ", ", values[i]);
  std::printf("]");
}

void print(const Entry& entry) {
  const char* right = !entry.right ? "null" : *entry.right ? "true" : "false";
  std::printf(
      "{\"group\": \"%s\", \"program\": \"%s\", \"task\": \"%s\", \"right\": %s, \"bytes\": %.0f, "
      "\"flop\": %.0f",
      entry.library->group.c_str(), entry.library->label.c_str(), entry.task.name.c_str(), right,
      entry.task.bytes, entry.task.flop);
  print_numbers("kernel_ms", entry.kernel_ms);
  print_numbers("memset_ms", entry.memset_ms);
  print_numbers("event_ms", entry.event_ms);
  std::printf(", \"kernels\": [");
  for (size_t i = 0; i < entry.kernels.size(); ++i)
    std::printf("%s\"%s\"", i == 0 ? "" : ", ", entry.kernels[i].c_str());
  std::printf("]}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[2] : "";
  const bool small = mode == "small" || mode == "turns", timed = mode != "small";
  const Size size = small ? Size::kSmall : mode == "graded" ? Size::kGraded : Size::kLarge;
  if (argc != 2 && size == Size::kLarge) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::optional<KernelClock> clock;
  if (timed) clock.emplace();
  print_device(timed ? &*clock : nullptr);
  std::optional<Stopwatch> stopwatch;
  if (timed) stopwatch.emplace(*clock);
  Arrays memory;
  const std::vector<Library> plan = read_plan(argv[1]);
  bool all_loaded = true;
  for (size_t first = 0, next = 0; first < plan.size(); first = next) {
    std::vector<Entry> entries;
    for (next = first; next < plan.size() && plan[next].group == plan[first].group; ++next)
      all_loaded = load(plan[next], size, memory, entries) && all_loaded;
    for (Entry& entry : entries) try_once(entry);
    if (timed) time_in_turns(entries, *stopwatch);
    for (const Entry& entry : entries) print(entry);
    entries.clear();
    memory.clear();
  }
  return all_loaded ? 0 : 1;
}
