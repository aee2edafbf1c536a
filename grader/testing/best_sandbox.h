// SPDX-License-Identifier: MIT
#pragma once

#include "sandbox/local_sandbox.h"

namespace warpgrade {

/// The machine's sandbox, or limits alone where none works: for tests of what both do.
inline LocalSandbox best_sandbox() {
  Result<LocalSandbox> sandbox = open_sandbox();
  return sandbox ? std::move(*sandbox) : open_limits();
}

}  // namespace warpgrade
