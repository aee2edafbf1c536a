// SPDX-License-Identifier: MIT
// Prints lane-instructions per second of the emulated device, counters and bounds checks on, on one core and on all.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/files.h"
#include "emulator/exec/launch.h"

namespace {

using namespace warpgrade;
using namespace warpgrade::emulator;

constexpr int kSm = 75;
constexpr uint32_t kMaxSize = 1024, kTile = 32;
constexpr int kRepetitions = 5;

class Bench {
 public:
  explicit Bench(const std::string& ptx) : memory_({size_t{1} << 32}) {
    const auto start = std::chrono::steady_clock::now();
    auto module = load_module(ptx, 0, kSm, memory_);
    if (!module) throw std::runtime_error(module.error().message);
    module_ = std::move(module).value();
    fmt::print("{:<14} {:8.2f} ms to load {} bytes of PTX\n", "", milliseconds_since(start),
               ptx.size());
    for (uint64_t& matrix : matrices_)
      matrix = memory_.allocate(0, kMaxSize * kMaxSize * sizeof(float), "cudaMalloc")->begin;
  }

  /// The best of some runs over size x size elements: G lane-instructions per second.
  double speed(const char* kernel, uint32_t size, unsigned threads) {
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
    double best = 0;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      const auto start = std::chrono::steady_clock::now();
      const LaunchResult result = launch(request, options, memory_);
      if (result.status != LaunchStatus::ok)
        throw std::runtime_error(result.findings.at(0).message);
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
  std::shared_ptr<LoadedModule> module_;
  uint64_t matrices_[3] = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: emulator_speed KERNELS.ptx\n"), 2;
  const auto ptx = RealFiles().read(argv[1]);
  if (!ptx) return fmt::print(stderr, "{}\n", ptx.error().message), 1;
  Bench bench(ptx.value());
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  fmt::print("{:<14} {:>8} {:>12} {:>12}  G lane-instructions/s\n", "kernel", "blocks", "1 core",
             fmt::format("{} cores", cores));
  for (const uint32_t size : {512u, kMaxSize}) {
    for (const char* kernel : {"naive_matmul", "tiled_matmul", "transpose", "vector_add"}) {
      const double one = bench.speed(kernel, size, 1), all = bench.speed(kernel, size, cores);
      fmt::print("{:<14} {:>8} {:>12.2f} {:>12.2f}  {:.2f} x cores\n", kernel,
                 size / kTile * (size / kTile), one, all, all / one / cores);
    }
  }
}
