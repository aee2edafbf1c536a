// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your matmul-tiled.cu implements and driver.cu calls. A is M x N, B is N x K,
// C = A * B is M x K. `tile` is 16 or 32. No size is 0, and none need be a multiple of anything; height * stride is
// below 2^31, and no height above 65535 * tile, so that the tiles fit along y of a grid.

/// A row-major matrix of floats, or a rectangle cut out of a larger one. Element (row, col) is
/// elements[row * stride + col].
struct Matrix {
  int width;        ///< columns
  int height;       ///< rows
  int stride;       ///< elements from the start of one row to the start of the next, >= width
  float* elements;  ///< element (0, 0)
};

/// The tile x tile part of A whose first element is (row * tile, col * tile); no copy, it shares A's
/// elements. At A's right and lower edge its width and height are what is left of A.
__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile);

/// C = A * B for matrices in device memory. Launches one kernel and need not wait for its end.
/// Writes the elements of C and nothing else, reads those of A and B and nothing else.
void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile);

/// C = A * B for matrices in host memory, by way of MatMulOnDevice. When it returns, C is there and
/// all device memory is freed.
void MatMul(Matrix A, Matrix B, Matrix C, int tile);
