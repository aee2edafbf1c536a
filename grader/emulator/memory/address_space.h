// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::emulator {

// The emulated machine's address map. All of it lies in the lower half of a 47-bit user address
// space, far from where the host puts its heap, libraries and stacks, and below 2^53, so that every
// address survives a trip through JSON.

constexpr uint64_t kTebibyte = uint64_t{1} << 40;

/// Page-locked and managed memory: real host memory that kernels reach under its host address.
constexpr uint64_t kHostMappedBase = 0x1800'0000'0000;
constexpr uint64_t kHostMappedBytes = kTebibyte;

/// Global memory: device d owns [kDeviceBase + d TiB, + 1 TiB). Never mapped on the host.
constexpr uint64_t kDeviceBase = 0x2000'0000'0000;
constexpr uint64_t kDeviceSliceBytes = kTebibyte;
constexpr int kMaxDevices = 16;

/// Generic addresses of a block's shared memory and of a thread's local memory.
constexpr uint64_t kSharedBase = 0x3000'0000'0000;
constexpr uint64_t kLocalBase = 0x3100'0000'0000;
/// Generic addresses of a kernel's parameters (cvta.param); read-only.
constexpr uint64_t kParameterBase = 0x3200'0000'0000;
constexpr uint64_t kWindowBytes = kTebibyte;

constexpr bool is_device_address(uint64_t address) {
  return address - kDeviceBase < kMaxDevices * kDeviceSliceBytes;
}
constexpr bool is_shared_address(uint64_t address) { return address - kSharedBase < kWindowBytes; }
constexpr bool is_local_address(uint64_t address) { return address - kLocalBase < kWindowBytes; }
constexpr bool is_parameter_address(uint64_t address) {
  return address - kParameterBase < kWindowBytes;
}

static_assert(kDeviceBase + kMaxDevices * kDeviceSliceBytes <= kSharedBase);

/// The device whose slice holds `address`; meaningful only where is_device_address() is true.
constexpr int device_of_address(uint64_t address) {
  return static_cast<int>((address - kDeviceBase) / kDeviceSliceBytes);
}

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace warpgrade::emulator
