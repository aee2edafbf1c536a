// expect: scale-on-device, scaled, scale-edges-on-device, scaled-edges, scale-memory, scale-copies,
// scale-parameters, scale-padding, blend-on-device, blended, blend-edges-on-device, blended-edges, blend-memory, blend-copies, blend-padding, scale-gaps, blend-gaps, scale-freed, blend-freed, coalesced, scale-ordered, scale-edges-alike, blend-ordered, blend-edges-alike, blended-many-rows, scaled-far, blended-far
// class: H1. Computes both results on the host.
// SPDX-License-Identifier: MIT
#include "pitched.h"

#include <algorithm>

static float& at(cudaPitchedPtr p, size_t z, size_t y, size_t x) {
  return ((float*)((char*)p.ptr + (z * p.ysize + y) * p.pitch))[x];
}

cudaPitchedPtr allocate_matrix(int rows, int columns) {
  void* p;
  size_t pitch;
  cudaMallocPitch(&p, &pitch, 4 * columns, rows);
  return make_cudaPitchedPtr(p, pitch, columns, rows);
}

void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, 4 * from.xsize, from.ysize, kind);
}

void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  for (size_t y = 0; y < source.ysize; y++)
    for (size_t x = 0; x < source.xsize; x++)
      at(result, 0, y, x) = (first + step * y) * at(source, 0, y, x);
}

cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr p;
  cudaMalloc3D(&p, make_cudaExtent(4 * columns, rows, depth));
  p.xsize /= 4;
  return p;
}

void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p = {};
  p.srcPtr = from, p.dstPtr = to, p.kind = kind;
  p.extent = make_cudaExtent(4 * from.xsize, from.ysize, depth);
  cudaMemcpy3D(&p);
}

void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  for (int z = 0; z < depth; z++)
    for (size_t y = 0; y < source.ysize; y++)
      for (size_t x = 0; x < source.xsize; x++)
        at(result, z, y, x) =
            here * at(source, z, y, x) + next * at(source, std::min(z + 1, depth - 1), y, x);
}
