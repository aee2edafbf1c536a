// SPDX-License-Identifier: MIT
#pragma once

// cuBLAS on the emulated device (cuBLAS Library, chapter 2). OpenBLAS computes on the host: operands come from the device
// and results go back, both in the handle's stream. No kernel runs, so nothing is counted, modelled or checked inside.

#include <cublas_v2.h>

#include "cudart/toolkit.h"

extern "C" {
/// libcudart defines it. It says on stderr that the emulated device lacks a call.
cudaError_t __cudaRefuse(const char* what);
}

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int multiprocessor_target = 0;
};

namespace warpgrade::cudart::cublas {

/// Names what is lacking on stderr; CUBLAS_STATUS_NOT_SUPPORTED.
cublasStatus_t refuse(const char* what);

}  // namespace warpgrade::cudart::cublas
