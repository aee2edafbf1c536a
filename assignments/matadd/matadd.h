// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your matadd.cu implements and driver.cu calls.
//
// Matrices are row-major floats without gaps: element [i][j], in row i and column j of `columns`
// columns, is number i * columns + j. The arguments are in device memory already. Both functions
// launch one kernel, in which no warp stores more than once, and need not wait for it where the
// default stream does. They return cudaSuccess, or the error with which CUDA refused this launch; an
// earlier one's is none of theirs.

/// Part 1: c = a + b for matrices of n x n, n >= 1, in one block of n x n threads.
cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n);

/// Part 2: c = a + b for matrices of rows x columns, both at least 1, in blocks of the shape that
/// `block` says (block.z is 1) and in as few of them as cover the matrix: columns along x, rows along
/// y.
cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block);
