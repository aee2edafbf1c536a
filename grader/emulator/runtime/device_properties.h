// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "emulator/model/device_table.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// cudaDeviceProp::textureAlignment: where the memory of a texture may begin.
constexpr int kTextureAlignment = 512;

/// As nvidia-smi writes it: "GPU-01000000-0000-...".
std::string uuid_of_device(int index);

/// `index` is the device's number in the machine, whatever the program sees of it; it makes the identifiers of equal devices differ.
cudaDeviceProp device_properties(const DeviceModel& model, int index);

/// Empty for an attribute that this toolkit does not know.
std::optional<int> device_attribute(const DeviceModel& model, int index, cudaDeviceAttr attribute);

}  // namespace warpgrade::emulator
