// SPDX-License-Identifier: MIT
// Matrices and volumes with padded rows. The statement is in assignments/pitched/handout.md, the
// contract in pitched.h. Work through the TODOs in order; test with:
// meson test -C build --suite pitched
#include "pitched.h"

// TODO 1: The element of a matrix in `row` and `column`: start at ptr, go row * pitch BYTES
// further, and take float number `column` from there.
#define get_elem(array, row, column) (((float*)(array).ptr)[0])

// TODO 2: cudaMallocPitch takes the width of a row in bytes and gives you the pitch; xsize and
// ysize count elements.
cudaPitchedPtr allocate_matrix(int rows, int columns) {
  (void)rows, (void)columns;
  return make_cudaPitchedPtr(nullptr, 0, 0, 0);
}

// TODO 3: cudaMemcpy2D. Each side has its own pitch; the width, in bytes, is what belongs to the
// matrix.
void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  (void)to, (void)from, (void)kind;
}

// TODO 4: Let each thread compute one element, and none outside the matrix:
// result[row][column] = (first + step * row) * source[row][column].
__global__ void scale(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  (void)result, (void)source, (void)first, (void)step;
}

// TODO 5: Allocate both matrices on the device, copy the source there, launch, copy the result
// back, free.
void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  (void)result, (void)source, (void)first, (void)step;
  (void)scale;  // goes when you launch it
}

// TODO 6: cudaMalloc3D takes a cudaExtent whose width is in bytes. Look at the xsize that it gives
// you, and set it right.
cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  (void)depth, (void)rows, (void)columns;
  return make_cudaPitchedPtr(nullptr, 0, 0, 0);
}

// TODO 7: cudaMemcpy3D takes all it must know in a cudaMemcpy3DParms, whose members you do not need
// must be 0.
void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  (void)to, (void)from, (void)depth, (void)kind;
}

// TODO 8: One element for each thread again. A slice is pitch * ysize bytes long. Behind the last
// slice comes the last slice once more.
__global__ void blend(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here,
                      float next) {
  (void)result, (void)source, (void)depth, (void)here, (void)next;
}

// TODO 9: As TODO 5, for volumes.
void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  (void)result, (void)source, (void)depth, (void)here, (void)next;
  (void)blend;  // goes when you launch it
}
