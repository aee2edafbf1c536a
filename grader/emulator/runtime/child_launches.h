// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/exec/child_launches.h"
#include "emulator/runtime/kernels.h"
#include "emulator/runtime/stream/streams.h"

namespace warpgrade::emulator {

/// launch_kernel() for a loaded kernel and a stream that takes work. `depth`: of the launches that lead to this one, how
/// many kernels made.
cudaError_t launch_loaded(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
                          void** arguments, CUstream_st* queue, int depth);

/// Runs the kernels that a kernel launched. It cannot wait for them: they run when it has ended, each with all that it
/// launches itself, and those for its tail run last.
void launch_children(ApiCall& call, const LoadedKernel& parent, int depth,
                     std::vector<ChildLaunch> children, CUstream_st* queue);

}  // namespace warpgrade::emulator
