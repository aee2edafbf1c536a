// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what a student's @slug@.cu implements and driver.cu calls. Skeleton, model answer and
// driver share this file, so it holds declarations and what they promise, and nothing else.

/// y[i] = a * x[i] + y[i] for each i from 0 to n - 1, computed on the current device. x and y are in
/// host memory and have n floats each, n >= 0. Nothing stays allocated on the device.
void saxpy(float* y, float a, const float* x, int n);
