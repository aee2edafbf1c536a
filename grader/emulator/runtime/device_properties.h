// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "emulator/model/device_table.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// cudaDeviceProp::textureAlignment: where the memory of a texture may begin.
constexpr int kTextureAlignment = 512;

/// `index` is the device's number; it makes the identifiers of equal devices differ.
cudaDeviceProp device_properties(const DeviceModel& model, int index);

/// Empty for an attribute that this toolkit does not know.
std::optional<int> device_attribute(const DeviceModel& model, int index, cudaDeviceAttr attribute);

}  // namespace warpgrade::emulator
