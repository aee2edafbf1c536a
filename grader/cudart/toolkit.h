// SPDX-License-Identifier: MIT
#pragma once

// What a program built by this toolkit calls: its headers, and what no header declares for a host compiler
// (crt/host_runtime.h, crt/device_functions.h). A second toolkit stands beside this file, not inside the others.

// What the toolkit deprecates, programs still call.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

static_assert(CUDART_VERSION / 1000 == 13, "the client has the ABI of CUDA 13");

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
char __cudaInitModule(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_shape,
                            dim3* grid_shape, int* warp_size);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** host, char* device, const char* name, int ext,
                              size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);
/// Not of the toolkit: libcuda asks by it for the allocation that holds an address: where it begins, its bytes, and a
/// number that no other has. cudaErrorInvalidValue where no allocation does.
cudaError_t __cudaMemGetRange(void** start, size_t* bytes, unsigned long long* id,
                              const void* address);
}
