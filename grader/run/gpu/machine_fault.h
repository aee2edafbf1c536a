// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run/gpu/gpu.h"

namespace warpgrade {

/// What a trace tells of errors, without being judged: it may be cut short.
struct TraceErrors {
  std::set<int> codes;     ///< of CUDA calls and launches
  std::string unobserved;  ///< why the tracing library could not do its work; empty where it could
};
TraceErrors errors_in(std::string_view trace);

/// A GPU and questions about it. Each takes a moment, so they are asked only after runs that ended badly.
struct GpuQuestions {
  std::function<std::string()> trouble;  ///< why it does not work, empty where it does
  std::function<std::vector<GpuProcess>()> neighbours;
  size_t memory_bytes = 0;  ///< of the GPU
};

/// Why a run tells nothing about its program.
struct MachineFault {
  std::string message;
  bool gpu_is_lost = false;  ///< or may come back by itself
};

/// The fault of the machine that a run's end shows. None where the program is to blame: an illegal access and an endless
/// kernel leave a GPU that works, and so does asking for too much memory, of which small neighbours take little.
std::optional<MachineFault> machine_fault(const ProcessOutcome& process, const TraceErrors& errors,
                                          const GpuQuestions& ask);

}  // namespace warpgrade
