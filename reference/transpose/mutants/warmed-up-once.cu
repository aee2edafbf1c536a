// expect: time-over-events, time-inside-events
// class: H5. Each function warms a launch up only the first time that it times it.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <map>

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
// turned round is the reading of the tile in shared memory. Where a tile is cut off, the threads that
// write are other ones than those that fill it, so all stay. Registers are kept so few that a
// multiprocessor has room for 1536 threads.
template <int kHeight, int kPadding, int kThreadRows>
__global__ void __launch_bounds__(kTile* kThreadRows, 1536 / (kTile * kThreadRows))
    tile_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  __shared__ float tile[kHeight][kTile + kPadding];
  const int x = threadIdx.x, y = threadIdx.y;
  const int left = blockIdx.x * kTile, top = blockIdx.y * kHeight;

  for (int r = 0; r < repetitions; ++r) {
    if (r > 0) __syncthreads();                  // this repetition overwrites the tile
    float elements[kHeight / kThreadRows] = {};  // all loads are under way before the first store
#pragma unroll
    for (int k = 0; k < kHeight; k += kThreadRows) {
      const int row = top + y + k, column = left + x;
      if (row < rows && column < columns) elements[k / kThreadRows] = in[at(row, column, columns)];
    }
#pragma unroll
    for (int k = 0; k < kHeight; k += kThreadRows) tile[y + k][x] = elements[k / kThreadRows];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k += kThreadRows) {
#pragma unroll
      for (int j = 0; j < kHeight; j += kTile) {
        const int row = left + y + k, column = top + x + j;
        if (row < columns && column < rows) out[at(row, column, rows)] = tile[x + j][y + k];
      }
    }
  }
}

static dim3 tiles(int rows, int columns, int height = kTile) {
  return dim3((columns + kTile - 1) / kTile, (rows + height - 1) / height);
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  copy_kernel<<<tiles(rows, columns), dim3(kTile, kTile)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  naive_kernel<<<tiles(rows, columns), dim3(kTile, kTile)>>>(out, in, rows, columns, repetitions);
  CHECK(cudaGetLastError());
}

template <int kHeight, int kPadding, int kThreadRows>
static void transpose_by_tiles(float* out, const float* in, int rows, int columns,
                               int repetitions) {
  tile_kernel<kHeight, kPadding, kThreadRows>
      <<<tiles(rows, columns, kHeight), dim3(kTile, kThreadRows)>>>(out, in, rows, columns,
                                                                    repetitions);
  CHECK(cudaGetLastError());
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<kTile, 0, kTile>(out, in, rows, columns, repetitions);
}

// One float more in each row of the tile moves the elements of a column to 32 different banks.
void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<kTile, 1, kTile>(out, in, rows, columns, repetitions);
}

// Two of the lecture's tiles, one above the other, give each thread eight loads that are under way at
// once, and a multiprocessor has several blocks, so that some load while others wait at a barrier.
void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  transpose_by_tiles<2 * kTile, 1, kFewRows>(out, in, rows, columns, repetitions);
}

// Milliseconds of `launches` launches with `repetitions` each, after one that also loads the kernel.
static float timed(Launch launch, float* out, const float* in, int rows, int columns, int launches,
                   int repetitions, bool& is_warm) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  if (!is_warm) launch(out, in, rows, columns, 1);
  is_warm = true;

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
  static std::map<Launch, bool> is_warm;
  return timed(launch, out, in, rows, columns, count, 1, is_warm[launch]);
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  static std::map<Launch, bool> is_warm;
  return timed(launch, out, in, rows, columns, 1, count, is_warm[launch]);
}

// In double from the first factor on: the bytes of a large matrix do not fit in an int.
double effective_bandwidth(int rows, int columns, int count, float ms) {
  const double bytes = 2.0 * sizeof(float) * rows * columns * count;
  return bytes / 1e9 / (ms / 1e3);
}
