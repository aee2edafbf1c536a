// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "build/diagnostics.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// A compiler or linker that gave no product. `output` is all that it printed, `diagnostics` what
/// parse_diagnostics found there.
struct FailedCall {
  const ProcessOutcome& outcome;
  const std::string& output;
  const std::vector<Diagnostic>& diagnostics;
  size_t memory_bytes = 0;      ///< the limit that it ran under
  int compile_s = 0;            ///< the same
  bool disk_is_full = false;    ///< where it writes, now that it has ended
  bool memory_ran_out = false;  ///< the kernel has killed processes meanwhile, for lack of memory
};

/// Why it failed, in one sentence. The source is to blame where a diagnostic names a mistake in it,
/// and where compiling it breaks a limit of its own; everything else is the machine's fault, is_doubtful where
/// only what was printed says so.
struct FailureCause {
  bool is_the_machines = false;
  std::string sentence;
  bool is_doubtful = false;
};
FailureCause cause_of(const FailedCall& call);

}  // namespace warpgrade
