// SPDX-License-Identifier: MIT
#include "emulator/model/device_rates.h"

#include <algorithm>
#include <iterator>

namespace warpgrade::emulator {

// Lanes a clock: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions". Tensor
// and cache sizes: NVIDIA's architecture white papers (V100, Turing, A100, GA102, Ada, H100).
// Latencies and L2 bytes a clock: Jia et al., arXiv 1804.06826 (7.0) and 1903.07486 (7.5); Luo et
// al., arXiv 2402.13499 (8.0, 8.9); 8.6 after 8.9; 9.0 measured on an H200 with measured/fit.cu, where mma reaches
// 64 % of what the white paper says of its tensor cores.
const DeviceRates& device_rates(const DeviceModel& device) {
  // clang-format off
  static constexpr DeviceRates kRates[] = {
    // sm issue fp32 int fp64 xu shuffle tensor   L1 L2 quads bus L1 sh. L2 DRAM
    {70, 4, 64, 64, 32, 16, 32, 0.512, 128 << 10, 32, 1, 15.75e6, 28, 19, 193, 400},
    {75, 4, 64, 64, 2, 16, 32, 0.512, 96 << 10, 32, 1, 15.75e6, 32, 19, 188, 440},
    {80, 4, 64, 64, 32, 16, 32, 1.024, 192 << 10, 48, 1, 31.5e6, 38, 29, 261, 466},
    {86, 4, 128, 64, 2, 16, 32, 0.512, 128 << 10, 32, 1, 31.5e6, 40, 30, 260, 520},
    {89, 4, 128, 64, 2, 16, 32, 0.512, 128 << 10, 32, 1, 31.5e6, 43, 30, 273, 542},
    {90, 4, 128, 64, 64, 16, 32, 1.319, 256 << 10, 32, 1, 63e6, 33, 24, 297, 705},
  };
  // clang-format on
  const auto* const found =
      std::find_if(std::begin(kRates), std::end(kRates),
                   [&](const DeviceRates& rates) { return rates.sm == device.sm(); });
  return found == std::end(kRates) ? *std::prev(std::end(kRates)) : *found;
}

double peak_gflop_per_s(const DeviceModel& device) {
  constexpr double kOpsOfMultiplyAdd = 2, kKiloToGiga = 1e6;
  return kOpsOfMultiplyAdd * device_rates(device).fp32 * device.sm_count * device.clock_khz /
         kKiloToGiga;
}

}  // namespace warpgrade::emulator
