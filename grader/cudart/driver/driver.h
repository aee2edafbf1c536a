// SPDX-License-Identifier: MIT
#pragma once

// The driver API in terms of the Runtime API: nothing here talks to the device but by the calls of libcudart.

#include <cuda.h>

#include "cudart/toolkit.h"

extern "C" {
// libcudart defines them.
/// Says on stderr that the emulated device lacks a call.
cudaError_t __cudaRefuse(const char* what);
/// Whether the program has used the runtime, which initialises the driver.
bool __cudaHasStarted();
}

/// A context is a device: those that a program makes share all with the primary one.
struct CUctx_st {
  int device = 0;
  unsigned flags = 0;
  unsigned retained = 0;  ///< How often a primary context was retained; it is active while above 0.
};

namespace warpgrade::cudart::driver {

/// The result of a call of the runtime. The driver keeps no last error, so the runtime's is taken back.
CUresult result_of(cudaError_t error);

/// Why no call may be made now: cuInit() was not called, or the thread has no context; else CUDA_SUCCESS.
CUresult not_ready();

/// The context of the calling thread, or null.
CUcontext current_context();
/// The primary context of a device, whether it is active or not.
CUcontext primary_of(int device);

/// Makes calls of the runtime, where the thread has a context.
template <class Calls>
CUresult in_context(Calls calls) {
  const CUresult why_not = not_ready();
  return why_not != CUDA_SUCCESS ? why_not : result_of(calls());
}

/// Says on stderr that the driver lacks a call.
CUresult refuse(const char* name);

/// The log of the compiler of PTX: there is none, so what a program prints of it is empty.
void clear_logs(unsigned count, const CUjit_option* options, void** values);

/// A device address as the runtime has it.
inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// The channels of an element; CUDA_ERROR_INVALID_VALUE's nothing where there is no such format.
bool to_channels(CUarray_format format, unsigned channels, cudaChannelFormatDesc& desc);
/// The reverse.
CUarray_format format_of(const cudaChannelFormatDesc& desc, unsigned& channels);

}  // namespace warpgrade::cudart::driver
