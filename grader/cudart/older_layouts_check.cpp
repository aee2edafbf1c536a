// SPDX-License-Identifier: MIT
// Compiled with the headers of CUDA 11 or 12: our layouts of their structs are theirs.
#include <cuda_runtime_api.h>

#include "cudart/older_layouts.h"

using warpgrade::cudart::OlderDeviceProperties;

#define SAME_PLACE(field)                                                                    \
  static_assert(offsetof(OlderDeviceProperties, field) == offsetof(cudaDeviceProp, field) && \
                sizeof(OlderDeviceProperties::field) == sizeof(cudaDeviceProp::field));

#define FIELD(field) SAME_PLACE(field)
#if CUDART_VERSION < 12000
#define WARPGRADE_FIELDS_OF_11
#endif
#include "cudart/older_fields.inc"

SAME_PLACE(clockRate)
SAME_PLACE(deviceOverlap)
SAME_PLACE(kernelExecTimeoutEnabled)
SAME_PLACE(computeMode)
SAME_PLACE(maxTexture1DLinear)
SAME_PLACE(memoryClockRate)
SAME_PLACE(singleToDoublePrecisionPerfRatio)
SAME_PLACE(cooperativeMultiDeviceLaunch)

static_assert(sizeof(cudaPointerAttributes) == warpgrade::cudart::kPointerAttributesBytes);
static_assert(sizeof(cudaResourceDesc) == warpgrade::cudart::kResourceDescBytes);
static_assert(sizeof(cudaResourceViewDesc) == warpgrade::cudart::kResourceViewDescBytes);

#if CUDART_VERSION < 12000
static_assert(sizeof(cudaDeviceProp) == warpgrade::cudart::kDevicePropertiesOf11Bytes);
static_assert(sizeof(cudaFuncAttributes) == warpgrade::cudart::kFuncAttributesOf11Bytes);
static_assert(sizeof(cudaTextureDesc) == warpgrade::cudart::kTextureDescOf11Bytes);
using warpgrade::cudart::TextureReference;
static_assert(sizeof(textureReference) == sizeof(TextureReference) &&
              offsetof(textureReference, normalized) == offsetof(TextureReference, normalized) &&
              offsetof(textureReference, filterMode) == offsetof(TextureReference, filterMode) &&
              offsetof(textureReference, addressMode) == offsetof(TextureReference, addressMode) &&
              offsetof(textureReference, sRGB) == offsetof(TextureReference, sRGB));
#else
static_assert(sizeof(cudaDeviceProp) == sizeof(OlderDeviceProperties));
#endif
