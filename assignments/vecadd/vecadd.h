// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your vecadd.cu implements and driver.cu calls.

/// c[i] = a[i] + b[i] for each i from 0 to n - 1, computed on the current device. The three arrays
/// are in host memory and have n floats each, n >= 0. Their bytes may be more than an int holds.
///
/// On the device they are three cudaMalloc blocks of n floats. a and b travel there by one
/// cudaMemcpy each, c comes back by one. The kernel runs in blocks of threads_per_block threads,
/// one-dimensional; where n is 0 there is nothing to add and none is launched, which is no error
/// whatever threads_per_block is.
///
/// Returns cudaSuccess, or the first error that a CUDA call or the launch reported. The error of a
/// launch or an allocation that an earlier call made is none of this one's. Nothing stays allocated on the device, not
/// even after an error.
cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block);
