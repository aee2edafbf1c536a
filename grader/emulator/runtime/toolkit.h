// SPDX-License-Identifier: MIT
#pragma once

// What the device knows of the version of the CUDA Toolkit: struct sizes and the fatbin layout. What programs
// call is in cudart/.

#include "cudart/toolkit.h"

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
