// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your matmul-pitched.cu implements and driver.cu calls.
//
// Every matrix is row-major float inside a cudaPitchedPtr: `pitch` is the number of bytes from the
// start of one row to the start of the next, `xsize` the number of columns and `ysize` the number
// of rows, both in elements. A is M x N, B is N x K, C = A * B is M x K. A matrix on the host may
// have a gap behind each row (pitch > xsize * sizeof(float)); the bytes of a gap belong to somebody
// else and are neither read nor written.

/// Wraps rows * columns floats that lie one after another, without gaps.
cudaPitchedPtr wrap_dense(float* elements, int rows, int columns);

/// Fills a host matrix with random numbers from 0 to 1.
void fill_random(cudaPitchedPtr matrix);

/// Makes a device whose cudaDeviceProp::major equals required_major the current one and returns its
/// number. Returns -1, with nothing changed, where the machine has no such device.
int select_device(int required_major);

/// Part 1: C = A * B on the current device in cudaMalloc memory without padding, M * N, N * K and M
/// * K floats. The three arguments are host matrices; c is written. Blocks are 8, 16 or 32 threads
/// wide and block_height high. Returns the time of the kernel in milliseconds, measured by events.
float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height);

/// Part 2: the same in cudaMallocPitch memory that is filled and read back by cudaMemcpy2D.
float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height);

/// Multiplies the host matrices a and b on the host and tells whether c is their product, rounding
/// apart. Elements of the product may be 0 or negative; NaN and infinity are never right, and nothing is
/// where no float holds the product.
bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b);
