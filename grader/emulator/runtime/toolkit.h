// SPDX-License-Identifier: MIT
#pragma once

// Everything that depends on the version of the CUDA Toolkit: its headers, the entry points that
// nvcc's generated code calls, struct sizes and the fatbin layout. A second toolkit version stands
// beside this file, not inside the others; the library's name and the version of its symbols are in
// meson.build, and the calls that are not emulated in unsupported.inc.

#include <cuda_runtime_api.h>
#include <fatbinary_section.h>

#include <cstddef>
#include <cstdint>

static_assert(CUDART_VERSION / 1000 == 13, "the emulated runtime has the ABI of CUDA 13");
static_assert(sizeof(cudaDeviceProp) == 1008);
static_assert(sizeof(cudaFuncAttributes) == 144);
static_assert(sizeof(cudaPitchedPtr) == 32);

namespace warpgrade::emulator::toolkit {

constexpr int kRuntimeVersion = CUDART_VERSION;
constexpr int kDriverVersion = CUDART_VERSION;
constexpr uint32_t kWrapperMagic = FATBINC_MAGIC;
constexpr int kLinkedWrapperVersion = FATBINC_LINK_VERSION;

// The container of device code inside a program: one header, then regions, each a header and a
// payload. Offsets in bytes.
constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr size_t kFatbinHeaderBytes = 16;
constexpr size_t kFatbinHeaderSizeAt = 6, kFatbinBodySizeAt = 8;

constexpr size_t kRegionHeaderBytes = 64;
constexpr size_t kRegionKindAt = 0, kRegionHeaderSizeAt = 4, kRegionPayloadSizeAt = 8;
constexpr size_t kRegionCompressedSizeAt = 16, kRegionSmAt = 28, kRegionFlagsAt = 40;
constexpr size_t kRegionUncompressedSizeAt = 56;
constexpr uint16_t kRegionPtx = 1, kRegionElf = 2;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;

}  // namespace warpgrade::emulator::toolkit

// What nvcc's host stubs call (crt/host_runtime.h, crt/device_functions.h), which no header
// declares for a host compiler.
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
}

/// Exports the function defined above also under the name that programs built with
/// --default-stream per-thread call; here every stream is in order with the host anyway.
#define WARPGRADE_ALSO_AS(name, suffix) \
  extern "C" decltype(name) name##suffix __attribute__((alias(#name)))
