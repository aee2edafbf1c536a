// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "emulator/ptx/module.h"

namespace warpgrade::emulator::ptx {

/// One module of several, of which there must be one at least: what a module declares `.extern` is
/// what another defines, and names that only one module knows do not meet. The Error names what is
/// defined twice. What is declared and defined nowhere stays as it is.
Result<Module> link(std::vector<Module> parts);

}  // namespace warpgrade::emulator::ptx
