// SPDX-License-Identifier: MIT
// Prints lane-instructions per second of the emulated device, counters and bounds checks on, on one
// core and on all, and on one core with all checkers on; and what the checkers take of memory. What
// all cores reach is compared with one core's and with what as many launches at the same time reach
// that keep to one core each: a host's cores may be slower together.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <latch>
#include <list>
#include <numeric>
#include <thread>

#include "base/files.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/worker_pool.h"

namespace {

using namespace warpgrade;
using namespace warpgrade::emulator;

constexpr int kSm = 75;
constexpr uint32_t kMaxSize = 1024, kTile = 32;
constexpr size_t kMatrixBytes = kMaxSize * kMaxSize * sizeof(float);
constexpr int kRepetitions = 5;
constexpr Checkers kBounds{.memory = true};

/// Resident memory of this process, now.
double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

class Bench {
 public:
  Bench(const std::string& ptx, bool watched) : memory_({size_t{1} << 32}) {
    if (watched) memory_.watch();
    const auto start = std::chrono::steady_clock::now();
    auto module = load_module(ptx, 0, kSm, memory_);
    if (!module) throw std::runtime_error(module.error().message);
    module_ = std::move(module).value();
    load_ms_ = milliseconds_since(start);
    for (uint64_t& matrix : matrices_) {
      matrix = memory_.allocate(0, kMatrixBytes, "cudaMalloc")->begin;
      std::memset(memory_.host_address(matrix, kMatrixBytes), 0, kMatrixBytes);
      memory_.note_written(matrix, kMatrixBytes);
    }
  }

  void print_load() const { fmt::print("{:.2f} ms to load the PTX\n", load_ms_); }

  /// The best of some runs over size x size elements: G lane-instructions per second.
  double speed(const char* kernel, uint32_t size, unsigned threads, Checkers check) {
    LaunchRequest request;
    request.module = module_.get();
    request.kernel = kernel;
    request.grid = {size / kTile, size / kTile, 1};
    request.block = {kTile, kTile, 1};
    request.parameters.resize(sizeof matrices_ + sizeof size);
    std::memcpy(request.parameters.data(), matrices_, sizeof matrices_);
    std::memcpy(request.parameters.data() + sizeof matrices_, &size, sizeof size);
    request.sm = kSm;
    LaunchOptions options;
    options.threads = threads;
    options.check = check;
    double best = 0;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      const auto start = std::chrono::steady_clock::now();
      const LaunchResult result = launch(request, options, memory_, pool_);
      if (!result.findings.empty()) throw std::runtime_error(result.findings.at(0).message.text);
      best = std::max(best, result.metrics.at("ptx__thread_inst_executed.sum") /
                                milliseconds_since(start) / 1e6);
    }
    return best;
  }

 private:
  static double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }

  DeviceMemory memory_;
  WorkerPool pool_;
  double load_ms_ = 0;
  std::shared_ptr<LoadedModule> module_;
  uint64_t matrices_[3] = {};
};

/// The speeds of one launch on each bench, all at the same time, summed.
double speed_together(std::list<Bench>& benches, const char* kernel, uint32_t size) {
  std::vector<double> speeds(benches.size());
  std::latch ready(static_cast<std::ptrdiff_t>(benches.size()));
  std::vector<std::thread> threads;
  for (Bench& bench : benches) {
    threads.emplace_back([&, &speed = speeds[threads.size()]] {
      ready.arrive_and_wait();
      speed = bench.speed(kernel, size, 1, kBounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

}  // namespace

/// Resident bytes of shadow for each allocated byte, before and after kernels touch all of it. What
/// a launch needs whatever it touches is there before.
void print_shadow(const std::string& ptx) {
  Bench(ptx, true).speed("vector_add", 64, 1, all_checkers());
  const double before = resident_bytes();
  Bench bare(ptx, false);
  const double without = resident_bytes();
  Bench watched(ptx, true);
  const double with = resident_bytes();
  watched.speed("vector_add", kMaxSize, 1, all_checkers());
  const double all = 3.0 * kMatrixBytes;
  fmt::print(
      "shadow: {:.2f} bytes for each allocated byte that no kernel has touched, {:.2f} for "
      "each that one has\n",
      std::max(0.0, with - without - (without - before)) / all, (resident_bytes() - with) / all);
}

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: emulator_speed KERNELS.ptx\n"), 2;
  const auto ptx = RealFiles().read(argv[1]);
  if (!ptx) return fmt::print(stderr, "{}\n", ptx.error().message), 1;
  print_shadow(ptx.value());
  Bench bench(ptx.value(), true);
  bench.print_load();
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::list<Bench> others;
  for (unsigned core = 0; core < cores; ++core) others.emplace_back(ptx.value(), false);
  fmt::print("{:<14} {:>8} {:>10} {:>10} {:>12} {:>12} {:>10} {:>12}  G lane-instructions/s\n",
             "kernel", "blocks", "1 core", fmt::format("{} cores", cores), "x cores", "x together",
             "checked", "x as long");
  for (const uint32_t size : {512u, kMaxSize}) {
    for (const char* kernel : {"naive_matmul", "tiled_matmul", "transpose", "vector_add"}) {
      const double one = bench.speed(kernel, size, 1, kBounds),
                   all = bench.speed(kernel, size, cores, kBounds),
                   together = speed_together(others, kernel, size),
                   checked = bench.speed(kernel, size, 1, all_checkers());
      fmt::print("{:<14} {:>8} {:>10.2f} {:>10.2f} {:>12.2f} {:>12.2f} {:>10.2f} {:>12.2f}\n",
                 kernel, size / kTile * (size / kTile), one, all, all / one / cores, all / together,
                 checked, one / checked);
    }
  }
}
