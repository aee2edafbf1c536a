// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade::emulator {

/// Serves one program on a connected socket, until it ends in whatever way; then ends this process.
[[noreturn]] void serve_program(int socket);

}  // namespace warpgrade::emulator
