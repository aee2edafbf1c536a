// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/model/device_table.h"
#include "observe/trace.h"

namespace warpgrade {

/// The device of a trace that the emulator has a model of; nullptr where it has none.
const emulator::DeviceModel* model_of(const Trace& trace, int device);

/// Milliseconds that the range's copies within devices and its fills take at least, whatever asked for them: they do work
/// that a kernel could do. 0 where a GPU ran them, which are measured with its kernels.
double internal_copies_ms(const Trace& trace, const std::string& range);

}  // namespace warpgrade
