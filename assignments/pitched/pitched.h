// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your pitched.cu implements and driver.cu calls.
//
// A matrix is rows x columns floats inside a cudaPitchedPtr, on the host or on the device: `pitch`
// is the number of bytes from the start of one row to the start of the next, `xsize` the number of
// columns and `ysize` the number of rows, both in elements. A volume is `depth` such matrices, its
// slices, one behind the other: slice z begins z * pitch * ysize bytes after the first. On the host
// a row may have a gap behind it (pitch > xsize * sizeof(float)); gaps and padding belong to nobody
// you know and are neither read nor written by kernels or copies. All sizes are at least 1. A matrix or a slice
// has up to 65 535 rows and a volume as many slices, since a grid has no more blocks along y and z.

/// A matrix of device memory by cudaMallocPitch. Freed by cudaFree(ptr).
cudaPitchedPtr allocate_matrix(int rows, int columns);

/// Copies all elements of `from` to `to`, a matrix of the same sizes, by cudaMemcpy2D: to the device, back,
/// or from one place on the device to another, as `kind` says.
void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind);

/// Both are host matrices. On the device: result[r][c] = (first + step * r) * source[r][c], in
/// matrices of allocate_matrix that travel by copy_matrix or the same calls. The kernel takes both as cudaPitchedPtr.
void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step);

/// A volume of device memory by cudaMalloc3D, with xsize in elements. Freed by cudaFree(ptr).
cudaPitchedPtr allocate_volume(int depth, int rows, int columns);

/// Copies all elements of `from` to `to`, a volume of the same sizes, by cudaMemcpy3D, in the direction that
/// `kind` says, as copy_matrix does.
void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind);

/// Both are host volumes. On the device: result[z] = here * source[z] + next * source[z + 1] for
/// each element of slice z; behind the last slice comes the last slice once more.
void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next);
