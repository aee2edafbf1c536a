// SPDX-License-Identifier: MIT
// attacks: a cudaEventElapsedTime() of its own
// control: slow
// earns: at most its control
// must stay: neighbours
#include <cuda_runtime.h>

extern "C" cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 1e-6f;
  return cudaSuccess;
}

#include "controls/slow.cu"
