// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "emulator/ptx/module.h"

namespace warpgrade::emulator::ptx {

/// Reads one PTX module (PTX ISA 9.0 and earlier, as nvcc emits it). The Error names the PTX line.
/// Opcodes are not checked here: an unknown one is an error only when it is executed.
Result<Module> parse(std::string text);

}  // namespace warpgrade::emulator::ptx
