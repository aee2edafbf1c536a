// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/model/device_table.h"
#include "observe/trace.h"

namespace warpgrade {

// A launch takes some time on every GPU, even of a kernel that does nothing; so does a copy.
constexpr double kLeastLaunchMs = 0.0005;

/// The device of a trace that the emulator has a model of; nullptr where it has none.
const emulator::DeviceModel* model_of(const Trace& trace, int device);

/// Milliseconds that the range's copies within devices and its fills take at least: they do work that a kernel could
/// do, and the time model has none for them. 0 where a GPU ran them, which are measured with its kernels.
double internal_copies_ms(const Trace& trace, const std::string& range);

}  // namespace warpgrade
