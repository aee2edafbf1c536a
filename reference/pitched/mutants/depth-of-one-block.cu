// expect: blended-edges, blended-many-rows, blended-far
// class: B1. A block as deep as a block can be, and one along z: right up to 64 slices.
// SPDX-License-Identifier: MIT
#include "pitched.h"

#include <cstdio>
#include <cstdlib>
#define get_elem(array, row, column) \
  (((float*)((char*)(array).ptr + (size_t)(row) * (array).pitch))[(column)])
#define CHECK(call)                                                                    \
  do {                                                                                 \
    cudaError_t e_ = (call);                                                           \
    if (e_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)

cudaPitchedPtr allocate_matrix(int rows, int columns) {
  cudaPitchedPtr m = make_cudaPitchedPtr(nullptr, 0, columns, rows);
  CHECK(cudaMallocPitch(&m.ptr, &m.pitch, columns * sizeof(float), rows));
  return m;
}
void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, from.xsize * sizeof(float), from.ysize,
                     kind));
}
__global__ void scale(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < source.ysize && c < source.xsize)
    get_elem(result, r, c) = (first + step * r) * get_elem(source, r, c);
}
void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  const int rows = source.ysize, columns = source.xsize;
  cudaPitchedPtr from = allocate_matrix(rows, columns), to = allocate_matrix(rows, columns);
  copy_matrix(from, source, cudaMemcpyHostToDevice);
  const dim3 block(32, 8), grid((columns + 31) / 32, (rows + 7) / 8);
  scale<<<grid, block>>>(to, from, first, step);
  CHECK(cudaGetLastError());
  copy_matrix(result, to, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(from.ptr));
  CHECK(cudaFree(to.ptr));
}
cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr v;
  CHECK(cudaMalloc3D(&v, make_cudaExtent(columns * sizeof(float), rows, depth)));
  v.xsize = columns;
  return v;
}
void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p = {};
  p.srcPtr = from;
  p.dstPtr = to;
  p.extent = make_cudaExtent(from.xsize * sizeof(float), from.ysize, depth);
  p.kind = kind;
  CHECK(cudaMemcpy3D(&p));
}
__device__ float& voxel(cudaPitchedPtr v, int z, int y, int x) {
  return ((float*)((char*)v.ptr + z * v.pitch * v.ysize + y * v.pitch))[x];
}
__global__ void blend(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here,
                      float next) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= source.xsize || y >= source.ysize || z >= depth) return;
  const int behind = z + 1 < depth ? z + 1 : z;
  voxel(result, z, y, x) = here * voxel(source, z, y, x) + next * voxel(source, behind, y, x);
}
void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  const int rows = source.ysize, columns = source.xsize;
  cudaPitchedPtr from = allocate_volume(depth, rows, columns),
                 to = allocate_volume(depth, rows, columns);
  copy_volume(from, source, depth, cudaMemcpyHostToDevice);
  const dim3 block(8, 2, 64), grid((columns + 7) / 8, (rows + 1) / 2);
  blend<<<grid, block>>>(to, from, depth, here, next);
  CHECK(cudaGetLastError());
  copy_volume(result, to, depth, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(from.ptr));
  CHECK(cudaFree(to.ptr));
}
