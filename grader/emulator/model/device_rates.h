// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/model/device_table.h"

namespace warpgrade::emulator {

/// What a multiprocessor does in a clock (lanes, unless said otherwise) and how long its memories
/// take to answer (clocks).
struct DeviceRates {
  int sm;  ///< 86 for compute capability 8.6
  double issue;
  double fp32, int32, fp64, xu;
  double shuffle;
  double tensor_kilo_fma;   ///< thousands of half-precision multiply-adds
  double l1_bytes;          ///< L1 cache and shared memory together
  double l2_bytes;          ///< from the L2 cache, a clock
  double texture_quads;     ///< points of four lanes that the texture units filter
  double bus_bytes_per_ms;  ///< of PCI Express, in a direction
  double l1_clocks, shared_clocks, l2_clocks, dram_clocks;
};

/// Single-precision operations of the whole device in a second, in 1e9; a multiply-add is two.
double peak_gflop_per_s(const DeviceModel& device);

/// For every compute capability of device_table().
const DeviceRates& device_rates(const DeviceModel& device);

}  // namespace warpgrade::emulator
