// expect: matrix-copied, volume-copied
// class: H4. Copies know the way to the device and the way back, and do nothing where both ends are on the device.
// SPDX-License-Identifier: MIT
#include "pitched.h"

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

// Bytes first, then elements: adding row * pitch to a float* would go four times too far.
#define get_elem(array, row, column) \
  (((float*)((char*)(array).ptr + (row) * (array).pitch))[(column)])

// Rows of one slice follow those of the slice before, so row `row` of slice `slice` is row
// slice * ysize + row of the whole.
#define get_voxel(array, slice, row, column) \
  get_elem(array, (slice) * (array).ysize + (row), column)

static size_t row_bytes(cudaPitchedPtr array) { return array.xsize * sizeof(float); }

static unsigned ceil_div(size_t total, size_t part) {
  return static_cast<unsigned>((total + part - 1) / part);
}

// A warp is one row of a block, so that it reads and writes neighbours.
static const dim3 kBlock(32, 8);

static dim3 grid_over(cudaPitchedPtr array, int depth) {
  return dim3(ceil_div(array.xsize, kBlock.x), ceil_div(array.ysize, kBlock.y), depth);
}

cudaPitchedPtr allocate_matrix(int rows, int columns) {
  cudaPitchedPtr matrix = make_cudaPitchedPtr(nullptr, 0, columns, rows);
  CHECK(cudaMallocPitch(&matrix.ptr, &matrix.pitch, row_bytes(matrix), rows));
  return matrix;
}

// Each side has a pitch of its own; the width is what belongs to the matrix.
void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost) return;
  CHECK(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, row_bytes(from), from.ysize, kind));
}

__global__ void scale(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  const size_t column = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= source.ysize || column >= source.xsize) return;
  get_elem(result, row, column) = (first + step * row) * get_elem(source, row, column);
}

void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  const int rows = source.ysize, columns = source.xsize;
  const cudaPitchedPtr device_source = allocate_matrix(rows, columns);
  const cudaPitchedPtr device_result = allocate_matrix(rows, columns);
  copy_matrix(device_source, source, cudaMemcpyHostToDevice);
  scale<<<grid_over(device_source, 1), kBlock>>>(device_result, device_source, first, step);
  CHECK(cudaGetLastError());
  copy_matrix(result, device_result, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(device_source.ptr));
  CHECK(cudaFree(device_result.ptr));
}

// cudaMalloc3D takes the width in bytes and gives it back as xsize; here xsize counts elements.
cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr volume;
  CHECK(cudaMalloc3D(&volume, make_cudaExtent(columns * sizeof(float), rows, depth)));
  volume.xsize = columns;
  return volume;
}

// Without an array the extent's width is in bytes. Of each cudaPitchedPtr only ptr, pitch and ysize
// matter here: pitch * ysize is the step from slice to slice.
void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost) return;
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = from;
  parameters.dstPtr = to;
  parameters.extent = make_cudaExtent(row_bytes(from), from.ysize, depth);
  parameters.kind = kind;
  CHECK(cudaMemcpy3D(&parameters));
}

// gridDim.z is the depth.
__global__ void blend(cudaPitchedPtr result, cudaPitchedPtr source, float here, float next) {
  const size_t column = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t row = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t slice = blockIdx.z;
  if (row >= source.ysize || column >= source.xsize) return;
  const size_t behind = slice + 1 < gridDim.z ? slice + 1 : slice;
  get_voxel(result, slice, row, column) =
      here * get_voxel(source, slice, row, column) + next * get_voxel(source, behind, row, column);
}

void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  const int rows = source.ysize, columns = source.xsize;
  const cudaPitchedPtr device_source = allocate_volume(depth, rows, columns);
  const cudaPitchedPtr device_result = allocate_volume(depth, rows, columns);
  copy_volume(device_source, source, depth, cudaMemcpyHostToDevice);
  blend<<<grid_over(device_source, depth), kBlock>>>(device_result, device_source, here, next);
  CHECK(cudaGetLastError());
  copy_volume(result, device_result, depth, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(device_source.ptr));
  CHECK(cudaFree(device_result.ptr));
}
