// expect: speed
// Two tiles that take turns, with one barrier in each round.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include "transpose.h"

#define CHECK(call)                                                                     \
  do {                                                                                  \
    cudaError_t err = (call);                                                           \
    if (err != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
      std::exit(EXIT_FAILURE);                                                          \
    }                                                                                   \
  } while (0)

static dim3 tiles(int rows, int columns) { return dim3((columns + 31) / 32, (rows + 31) / 32); }

__global__ void copy_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  if (c >= columns || r >= rows) return;
  for (int k = 0; k < repetitions; ++k) out[r * columns + c] = in[r * columns + c];
}

__global__ void naive_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  if (c >= columns || r >= rows) return;
  for (int k = 0; k < repetitions; ++k) out[c * rows + r] = in[r * columns + c];
}

__global__ void coalesced_kernel(float* out, const float* in, int rows, int columns,
                                 int repetitions) {
  __shared__ float tile[32][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  int oc = blockIdx.y * 32 + threadIdx.x;
  int orow = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < repetitions; ++k) {
    if (c < columns && r < rows) tile[threadIdx.y][threadIdx.x] = in[r * columns + c];
    __syncthreads();
    if (oc < rows && orow < columns) out[orow * rows + oc] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}

__global__ void padded_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  __shared__ float tiles2[2][32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  int oc = blockIdx.y * 32 + threadIdx.x;
  int orow = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < repetitions; ++k) {
    float(*tile)[33] = tiles2[k & 1];
    if (c < columns && r < rows) tile[threadIdx.y][threadIdx.x] = in[r * columns + c];
    __syncthreads();
    if (oc < rows && orow < columns) out[orow * rows + oc] = tile[threadIdx.x][threadIdx.y];
  }
}

__global__ void fast_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  __shared__ float tiles2[2][32][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  int r = blockIdx.y * 32 + threadIdx.y;
  int oc = blockIdx.y * 32 + threadIdx.x;
  int orow = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < repetitions; ++k) {
    float(*tile)[33] = tiles2[k & 1];
#pragma unroll
    for (int j = 0; j < 32; j += 8)
      if (c < columns && r + j < rows)
        tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * columns + c];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 32; j += 8)
      if (oc < rows && orow + j < columns)
        out[(orow + j) * rows + oc] = tile[threadIdx.x][threadIdx.y + j];
  }
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  copy_kernel<<<tiles(rows, columns), dim3(32, 32)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  naive_kernel<<<tiles(rows, columns), dim3(32, 32)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  coalesced_kernel<<<tiles(rows, columns), dim3(32, 32)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  padded_kernel<<<tiles(rows, columns), dim3(32, 32)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  fast_kernel<<<tiles(rows, columns), dim3(32, 8)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  launch(out, in, rows, columns, 1);
  CHECK(cudaEventRecord(start));
  for (int k = 0; k < count; ++k) launch(out, in, rows, columns, 1);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  launch(out, in, rows, columns, 1);
  CHECK(cudaEventRecord(begin));
  launch(out, in, rows, columns, count);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return ms;
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  double bytes = 2.0 * sizeof(float) * rows * columns * count;
  return bytes / (ms * 1e6);
}
