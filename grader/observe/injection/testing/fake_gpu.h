// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/// A driver, its CUPTI and a little of the Runtime API in one library that needs no GPU: device memory
/// is the host's, a kernel is a function that runs when it is launched. It loads what
/// CUDA_INJECTION64_PATH names in its first call, as the driver does, and reports calls and work as
/// CUPTI documents it. For tests of the library that observes a GPU.
namespace warpgrade::fake {

struct Kernel {
  std::string mangled;
  std::vector<size_t> parameter_bytes;
  int static_shared_bytes = 0;
  std::function<void(void** arguments)> body;
};

/// As a launch names it: what the runtime would look up by the host's function.
void add_kernel(const void* host_function, Kernel kernel);

/// What the next cudaGraphLaunch runs, whatever graph it is given.
void set_graph(const std::vector<const void*>& host_functions);

}  // namespace warpgrade::fake
