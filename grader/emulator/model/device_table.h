// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/exec/warp_size.h"

namespace warpgrade::emulator {

/// What an emulated device has, as published for the real one and reported by its driver.
struct DeviceModel {
  std::string_view name;          ///< Short: the word in WARPGRADE_DEVICES.
  std::string_view product_name;  ///< cudaDeviceProp::name.
  int major, minor;
  uint64_t memory_bytes;
  int sm_count;
  int threads_per_sm;
  int blocks_per_sm;
  int shared_per_sm_bytes;
  int shared_per_block_optin_bytes;
  int shared_reserved_bytes;  ///< The driver keeps them in each block.
  int l2_bytes;
  int memory_bus_bits;
  int clock_khz;
  int memory_clock_khz;
  bool has_ecc;

  int sm() const { return 10 * major + minor; }
  /// The bandwidth of global memory, with two transfers a clock.
  double bytes_per_ms() const { return 2.0 * memory_clock_khz * (memory_bus_bits / 8); }
};

// Equal on every device of the table.
constexpr int kMaxThreadsPerBlock = 1024;
/// A kernel takes that long on every GPU, even one that does nothing; so do a copy and a fill.
constexpr double kLeastWorkMs = 0.0005;
constexpr int kRegistersPerSm = 65536;
constexpr int kSharedPerBlockBytes = 48 * 1024;
constexpr int kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 2147483647, kMaxGridY = 65535, kMaxGridZ = 65535;

const std::vector<DeviceModel>& device_table();

/// By short name, or null.
const DeviceModel* find_device_model(std::string_view name);

/// "T4, V100, A100, ..."
std::string device_model_names();

}  // namespace warpgrade::emulator
