// expect: scale-memory, scale-copies, scale-parameters, scale-padding, blend-memory, blend-copies, blend-padding, scale-edges-alike, blend-edges-alike, matrix-calls, volume-calls, blended-many-rows
// class: P3. Pads rows by its own arithmetic on cudaMalloc and copies row by row with cudaMemcpy.
// SPDX-License-Identifier: MIT
#include "pitched.h"

// Rows padded to 128 bytes: no need for cudaMallocPitch.
static size_t padded(size_t bytes) { return (bytes + 127) / 128 * 128; }

#define ROW(array, i) ((float*)((char*)(array).ptr + (i) * (array).pitch))

cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr p = make_cudaPitchedPtr(0, padded(columns * sizeof(float)), columns, rows);
  cudaMalloc(&p.ptr, p.pitch * rows * depth);
  return p;
}

cudaPitchedPtr allocate_matrix(int rows, int columns) { return allocate_volume(1, rows, columns); }

void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  for (size_t i = 0; i < depth * from.ysize; i++)
    cudaMemcpy(ROW(to, i), ROW(from, i), from.xsize * sizeof(float), kind);
}

void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  copy_volume(to, from, 1, kind);
}

__global__ void work(cudaPitchedPtr out, cudaPitchedPtr in, int rows, bool scaling, float a,
                     float b) {
  int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;
  if (c >= in.xsize) return;
  if (scaling) {
    ROW(out, r)[c] = (a + b * r) * ROW(in, r)[c];
  } else {
    int below = r + in.ysize < rows ? r + in.ysize : r;
    ROW(out, r)[c] = a * ROW(in, r)[c] + b * ROW(in, below)[c];
  }
}

static void run(cudaPitchedPtr result, cudaPitchedPtr source, int depth, bool scaling, float a,
                float b) {
  cudaPitchedPtr in = allocate_volume(depth, source.ysize, source.xsize);
  cudaPitchedPtr out = allocate_volume(depth, source.ysize, source.xsize);
  int rows = depth * source.ysize;
  copy_volume(in, source, depth, cudaMemcpyHostToDevice);
  work<<<dim3((source.xsize + 63) / 64, rows), 64>>>(out, in, rows, scaling, a, b);
  copy_volume(result, out, depth, cudaMemcpyDeviceToHost);
  cudaFree(in.ptr);
  cudaFree(out.ptr);
}

void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  run(result, source, 1, true, first, step);
}

void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  run(result, source, depth, false, here, next);
}
