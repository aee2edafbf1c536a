// expect: speed
// Whole numbers for offsets, a kernel for each function, and errors that the program never asks for.
// SPDX-License-Identifier: MIT
#include <stdio.h>

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

__global__ void naiveKernel(float* odata, const float* idata, int height, int width, int nreps) {
  int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
  if (xIndex < width && yIndex < height) {
    int index_in = width * yIndex + xIndex;
    int index_out = height * xIndex + yIndex;
    for (int r = 0; r < nreps; r++) odata[index_out] = idata[index_in];
  }
}

__global__ void coalescedKernel(float* odata, const float* idata, int height, int width,
                                int nreps) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = width * yIndex + xIndex;
  bool reads = xIndex < width && yIndex < height;

  xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
  yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = height * yIndex + xIndex;
  bool writes = xIndex < height && yIndex < width;

  for (int r = 0; r < nreps; r++) {
    if (reads) tile[threadIdx.y][threadIdx.x] = idata[index_in];
    __syncthreads();
    if (writes) odata[index_out] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

__global__ void noConflictsKernel(float* odata, const float* idata, int height, int width,
                                  int nreps) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = width * yIndex + xIndex;
  bool reads = xIndex < width && yIndex < height;

  xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
  yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = height * yIndex + xIndex;
  bool writes = xIndex < height && yIndex < width;

  for (int r = 0; r < nreps; r++) {
    if (reads) tile[threadIdx.y][threadIdx.x] = idata[index_in];
    __syncthreads();
    if (writes) odata[index_out] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

__global__ void fastKernel(float* odata, const float* idata, int height, int width, int nreps) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int xIn = blockIdx.x * TILE_DIM + threadIdx.x;
  int yIn = blockIdx.y * TILE_DIM + threadIdx.y;
  int xOut = blockIdx.y * TILE_DIM + threadIdx.x;
  int yOut = blockIdx.x * TILE_DIM + threadIdx.y;

  for (int r = 0; r < nreps; r++) {
    for (int i = 0; i < TILE_DIM; i += 8)
      if (xIn < width && yIn + i < height)
        tile[threadIdx.y + i][threadIdx.x] = idata[width * (yIn + i) + xIn];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += 8)
      if (xOut < height && yOut + i < width)
        odata[height * (yOut + i) + xOut] = tile[threadIdx.x][threadIdx.y + i];
    __syncthreads();
  }
}

static dim3 grid_for(int rows, int columns) {
  return dim3((columns + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM);
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  copyKernel<<<grid_for(rows, columns), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, columns,
                                                                    repetitions);
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  naiveKernel<<<grid_for(rows, columns), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, columns,
                                                                     repetitions);
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  coalescedKernel<<<grid_for(rows, columns), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, columns,
                                                                         repetitions);
}

void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  noConflictsKernel<<<grid_for(rows, columns), dim3(TILE_DIM, TILE_DIM)>>>(out, in, rows, columns,
                                                                           repetitions);
}

void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  fastKernel<<<grid_for(rows, columns), dim3(TILE_DIM, 8)>>>(out, in, rows, columns, repetitions);
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
