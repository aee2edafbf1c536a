// expect: speed
// A one-dimensional grid, and a tile without padding whose columns are swapped by exclusive or.
// SPDX-License-Identifier: MIT
#include "transpose.h"

#define WIDTH 32

// Which element this thread moves first; every block is a number in a one-dimensional grid.
struct Where {
  int row, column;
};

static __device__ Where where(int tiles_across) {
  Where w;
  w.row = int(blockIdx.x) / tiles_across * WIDTH + threadIdx.y;
  w.column = int(blockIdx.x) % tiles_across * WIDTH + threadIdx.x;
  return w;
}

static __global__ void plain(float* out, const float* in, int rows, int columns, int down,
                             int right, int tiles_across, int repetitions) {
  const Where w = where(tiles_across);
  if (w.row < rows && w.column < columns) {
    const long long to = (long long)w.row * down + (long long)w.column * right;
    const long long from = (long long)w.row * columns + w.column;
    do out[to] = in[from];
    while (--repetitions > 0);
  }
}

// Element (y, x) of the tile lies in column x ^ y where `mix` is 31, in column x where it is 0.
static __global__ void tiled(float* out, const float* in, int rows, int columns, int tiles_across,
                             int mix, int repetitions) {
  extern __shared__ float tile[];
  const Where from = where(tiles_across);
  const int tile_row = from.row - threadIdx.y, tile_column = from.column - threadIdx.x;
  const int step = blockDim.y;
  do {
    for (int y = threadIdx.y; y < WIDTH; y += step) {
      const int x = threadIdx.x;
      if (tile_row + y < rows && tile_column + x < columns)
        tile[y * WIDTH + (x ^ (y & mix))] =
            in[(long long)(tile_row + y) * columns + tile_column + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < WIDTH; y += step) {
      const int x = threadIdx.x;
      if (tile_column + y < columns && tile_row + x < rows)
        out[(long long)(tile_column + y) * rows + tile_row + x] = tile[x * WIDTH + (y ^ (x & mix))];
    }
    __syncthreads();
  } while (--repetitions > 0);
}

static int across(int columns) { return (columns + WIDTH - 1) / WIDTH; }

static void by_tiles(float* out, const float* in, int rows, int columns, int height, int mix,
                     int repetitions) {
  const int blocks = across(rows) * across(columns);
  tiled<<<blocks, dim3(WIDTH, height), WIDTH * WIDTH * sizeof(float)>>>(
      out, in, rows, columns, across(columns), mix, repetitions);
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  plain<<<across(rows) * across(columns), dim3(WIDTH, WIDTH)>>>(out, in, rows, columns, columns, 1,
                                                                across(columns), repetitions);
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  plain<<<across(rows) * across(columns), dim3(WIDTH, WIDTH)>>>(out, in, rows, columns, 1, rows,
                                                                across(columns), repetitions);
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  by_tiles(out, in, rows, columns, WIDTH, 0, repetitions);
}

void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  by_tiles(out, in, rows, columns, WIDTH, WIDTH - 1, repetitions);
}

void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  by_tiles(out, in, rows, columns, 8, WIDTH - 1, repetitions);
}

static float between(void (*work)(void*), void* argument) {
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) cudaEventCreateWithFlags(&event, cudaEventBlockingSync);
  cudaEventRecord(events[0], cudaStreamLegacy);
  work(argument);
  cudaEventRecord(events[1], cudaStreamLegacy);
  cudaDeviceSynchronize();
  float ms = -1;
  cudaEventElapsedTime(&ms, events[0], events[1]);
  for (cudaEvent_t event : events) cudaEventDestroy(event);
  return ms;
}

struct Job {
  Launch launch;
  float* out;
  const float* in;
  int rows, columns, launches, repetitions;
};

static void work(void* argument) {
  Job job = *static_cast<Job*>(argument);
  while (job.launches-- > 0) job.launch(job.out, job.in, job.rows, job.columns, job.repetitions);
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  Job job = {launch, out, in, rows, columns, 1, 1};
  work(&job);
  job.launches = count;
  return between(work, &job);
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  Job job = {launch, out, in, rows, columns, 1, count};
  work(&job);
  return between(work, &job);
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  const long long elements = (long long)rows * columns * count;
  return elements * 8 / (ms * 1000000.0);
}
