// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

/// "0.1.0", as the project's meson.build has it.
const char* version();

}  // namespace warpgrade
