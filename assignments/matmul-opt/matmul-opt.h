// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your matmul-opt.cu implements and driver.cu calls.
//
// Every matrix is row-major float inside a cudaPitchedPtr: `pitch` is the number of bytes from the
// start of one row to the start of the next, `xsize` the number of columns and `ysize` the number
// of rows, both in elements. A is M x N, B is N x K, C = A * B is M x K.
//
// On the device, matrices are padded: their numbers of rows and columns are multiples of 32, and
// what the padding adds to a matrix is zeros.

/// The smallest multiple of 32 that is not below size. size is at least 1.
int padded(int size);

/// A matrix on the current device with room for rows x columns elements, padded, in cudaMallocPitch
/// memory. xsize and ysize are the padded numbers, and all elements are 0.
cudaPitchedPtr allocate_padded(int rows, int columns);

/// Copies a host matrix to the upper left corner of a padded one and leaves the rest of that at 0.
void upload(cudaPitchedPtr device, cudaPitchedPtr host);

/// Copies the upper left corner of a padded matrix, as large as the host's, to the host's.
void download(cudaPitchedPtr host, cudaPitchedPtr device);

// C = A * B for padded matrices on the device. Each launches one kernel, whose shared memory is
// dynamic, and need not wait for its end.

/// Blocks of 32 x 32 threads, each thread one element of C.
void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b);

/// Blocks 32 wide and 16 high, each thread two elements of C, for instance c[i,j] and c[i+16,j].
void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b);

/// Your own: each thread at least four elements of C (fewer where C is up to three tiles of 32 x 32), as
/// fast as you can.
void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b);
