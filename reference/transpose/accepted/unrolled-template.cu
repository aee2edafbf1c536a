// expect: speed
// One template for the three kernels with tiles, its loops unrolled; offsets in size_t; every call checked.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>

#include "transpose.h"

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static const int kTile = 32;
static const int kFewRows = 8;

// size_t, because rows * columns may pass 2^31.
__device__ size_t at(int row, int column, int columns) {
  return static_cast<size_t>(row) * columns + column;
}

__global__ void copy_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row >= rows || column >= columns) return;
  for (int r = 0; r < repetitions; ++r)
    out[at(row, column, columns)] = in[at(row, column, columns)];
}

// The warp reads 32 neighbours and writes 32 elements that are `rows` floats apart.
__global__ void naive_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  if (row >= rows || column >= columns) return;
  for (int r = 0; r < repetitions; ++r) out[at(column, row, rows)] = in[at(row, column, columns)];
}

// Block (x, y) reads tile (x, y) of `in` and writes tile (y, x) of `out`, both row by row; what is
// turned round is the reading of the tile in shared memory.
template <int kPadding, int kThreadRows>
__global__ void tile_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int in_column = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  const int out_column = blockIdx.y * kTile + threadIdx.x;
  const int out_row = blockIdx.x * kTile + threadIdx.y;

  for (int r = 0; r < repetitions; ++r) {
#pragma unroll
    for (int k = 0; k < kTile; k += kThreadRows) {
      if (in_row + k < rows && in_column < columns)
        tile[threadIdx.y + k][threadIdx.x] = in[at(in_row + k, in_column, columns)];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k += kThreadRows) {
      if (out_row + k < columns && out_column < rows)
        out[at(out_row + k, out_column, rows)] = tile[threadIdx.x][threadIdx.y + k];
    }
    __syncthreads();  // the next repetition overwrites the tile
  }
}

static dim3 tiles(int rows, int columns) {
  return dim3((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  copy_kernel<<<tiles(rows, columns), dim3(kTile, kTile)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  naive_kernel<<<tiles(rows, columns), dim3(kTile, kTile)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

template <int kPadding, int kThreadRows>
static void transpose_by_tiles(float* out, const float* in, int rows, int columns,
                               int repetitions) {
  tile_kernel<kPadding, kThreadRows>
      <<<tiles(rows, columns), dim3(kTile, kThreadRows)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<0, kTile>(out, in, rows, columns, repetitions);
}

// One float more in each row of the tile moves the elements of a column to 32 different banks.
void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<1, kTile>(out, in, rows, columns, repetitions);
}

// Four loads of a thread are under way at once, and a multiprocessor has several blocks, so that
// some load while others wait at a barrier.
void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<1, kFewRows>(out, in, rows, columns, repetitions);
}

// Milliseconds of `launches` launches with `repetitions` each, after one that also loads the kernel.
static float timed(Launch launch, float* out, const float* in, int rows, int columns, int launches,
                   int repetitions) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  launch(out, in, rows, columns, 1);

  CHECK(cudaEventRecord(start));
  for (int i = 0; i < launches; ++i) launch(out, in, rows, columns, repetitions);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));

  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  return timed(launch, out, in, rows, columns, count, 1);
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  return timed(launch, out, in, rows, columns, 1, count);
}

// In double from the first factor on: the bytes of a large matrix do not fit in an int.
double effective_bandwidth(int rows, int columns, int count, float ms) {
  const double bytes = 2.0 * sizeof(float) * rows * columns * count;
  return bytes / 1e9 / (ms / 1e3);
}
