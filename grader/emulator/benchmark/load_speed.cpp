// SPDX-License-Identifier: MIT
// Prints how long 1 MB of PTX takes to parse, and to load: once many kernels, once one large table.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "emulator/exec/launch.h"
#include "emulator/ptx/parser.h"

namespace {

using namespace warpgrade;
using namespace warpgrade::emulator;

constexpr size_t kBytes = 1'000'000;
constexpr int kRepetitions = 5, kLimitMs = 100;

/// Copies of a module's text one after another, the kernels of each with names of their own.
std::string many_kernels(const std::string& module) {
  constexpr std::string_view kEntry = ".entry ";
  std::string all;
  for (int copy = 0; all.size() < kBytes; ++copy) {
    size_t done = 0;
    for (size_t at = module.find(kEntry); at != std::string::npos; at = module.find(kEntry, at)) {
      at += kEntry.size();
      all += module.substr(done, at - done) + fmt::format("copy{}_", copy);
      done = at;
    }
    all += module.substr(done);
  }
  return all;
}

/// As cuRAND's tables are.
std::string one_table() {
  std::string values;
  for (uint32_t n = 1; values.size() < kBytes; n = n * 1664525 + 1013904223)
    values += fmt::format("{}{}", values.empty() ? "" : ", ", n);
  const auto count = 1 + std::count(values.begin(), values.end(), ',');
  return fmt::format(
      ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 x[{}] = {{{}}};\n",
      count, values);
}

/// The best of some runs.
template <class Run>
double milliseconds(Run run) {
  double best = 1e9;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count());
  }
  return best;
}

void measure(const char* what, const std::string& ptx) {
  const double parsing = milliseconds([&] {
    if (const auto module = ptx::parse(ptx); !module)
      throw std::runtime_error(module.error().message);
  });
  const double loading = milliseconds([&] {
    DeviceMemory memory({size_t{1} << 30});
    if (const auto module = load_module(ptx, 0, 75, memory); !module)
      throw std::runtime_error(module.error().message);
  });
  fmt::print("{:<14} {:>10} {:>10.1f} {:>10.1f}\n", what, ptx.size(), parsing, loading);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: load_speed KERNELS.ptx\n"), 2;
  const auto ptx = RealFiles().read(argv[1]);
  if (!ptx) return fmt::print(stderr, "{}\n", ptx.error().message), 1;
  fmt::print("{:<14} {:>10} {:>10} {:>10}   parsing 1 MB may take {} ms\n", "PTX of", "bytes",
             "parse, ms", "load, ms", kLimitMs);
  measure("many kernels", many_kernels(ptx.value()));
  measure("one table", one_table());
}
