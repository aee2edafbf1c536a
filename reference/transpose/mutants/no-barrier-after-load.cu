// expect: coalesced, coalesced-edges, no-conflicts, no-conflicts-edges, fast, fast-edges,
// coalesced-ordered, no-conflicts-ordered, fast-ordered, coalesced-blocks, no-conflicts-blocks,
// fast-blocks, coalesced-tile, no-conflicts-tile, coalesced-reads-again, no-conflicts-reads-again,
// fast-reads-again, coalesced-writes-again, no-conflicts-writes-again, fast-writes-again,
// coalesced-reading, no-conflicts-reading, coalesced-writing, no-conflicts-writing,
// conflict-free-reading, conflict-free-writing, speed
// class: S1. The tile is read without a barrier after it was filled.
// SPDX-License-Identifier: MIT
#include <cstddef>
#include <stdexcept>
#include <string>

#include "transpose.h"

namespace {

void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct Matrix {
  int rows, columns;
  __host__ __device__ Matrix turned() const { return {columns, rows}; }
  __device__ bool holds(int row, int column) const { return row < rows && column < columns; }
  __device__ size_t at(int row, int column) const {
    return size_t(row) * size_t(columns) + size_t(column);
  }
};

struct Place {
  int row, column;
};

__device__ Place place(unsigned tile_row, unsigned tile_column) {
  return {int(tile_row * 32 + threadIdx.y), int(tile_column * 32 + threadIdx.x)};
}

template <bool kTurn>
__global__ void direct(float* out, const float* in, Matrix from, int repetitions) {
  const Place p = place(blockIdx.y, blockIdx.x);
  if (!from.holds(p.row, p.column)) return;
  const size_t target = kTurn ? from.turned().at(p.column, p.row) : from.at(p.row, p.column);
  while (repetitions-- > 0) out[target] = in[from.at(p.row, p.column)];
}

template <int kStride, int kStep>
__global__ void through_tile(float* out, const float* in, Matrix from, int repetitions) {
  __shared__ float tile[32 * kStride];
  const Matrix to = from.turned();
  const Place source = place(blockIdx.y, blockIdx.x), target = place(blockIdx.x, blockIdx.y);
  while (repetitions-- > 0) {
    for (int k = 0; k < 32; k += kStep) {
      if (from.holds(source.row + k, source.column))
        tile[(threadIdx.y + k) * kStride + threadIdx.x] =
            in[from.at(source.row + k, source.column)];
    }
    for (int k = 0; k < 32; k += kStep) {
      if (to.holds(target.row + k, target.column))
        out[to.at(target.row + k, target.column)] = tile[threadIdx.x * kStride + threadIdx.y + k];
    }
    __syncthreads();
  }
}

template <class Kernel>
void run(Kernel kernel, int thread_rows, float* out, const float* in, Matrix from,
         int repetitions) {
  const dim3 grid((from.columns + 31) / 32, (from.rows + 31) / 32), block(32, thread_rows);
  kernel<<<grid, block>>>(out, in, from, repetitions);
  must(cudaGetLastError());
}

class Stopwatch {
 public:
  Stopwatch() {
    must(cudaEventCreate(&begin_));
    must(cudaEventCreate(&end_));
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  template <class Work>
  float operator()(Work work) {
    must(cudaEventRecord(begin_));
    work();
    must(cudaEventRecord(end_));
    must(cudaEventSynchronize(end_));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaEvent_t begin_, end_;
};

}  // namespace

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  run(direct<false>, 32, out, in, {rows, columns}, repetitions);
}

void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  run(direct<true>, 32, out, in, {rows, columns}, repetitions);
}

void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  run(through_tile<32, 32>, 32, out, in, {rows, columns}, repetitions);
}

void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  run(through_tile<33, 32>, 32, out, in, {rows, columns}, repetitions);
}

void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  run(through_tile<33, 8>, 8, out, in, {rows, columns}, repetitions);
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  launch(out, in, rows, columns, 1);
  return Stopwatch()([&] {
    for (int i = 0; i < count; ++i) launch(out, in, rows, columns, 1);
  });
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  launch(out, in, rows, columns, 1);
  return Stopwatch()([&] { launch(out, in, rows, columns, count); });
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  const double moved = 2.0 * sizeof(float) * double(rows) * double(columns) * double(count);
  return moved / (ms * 1e-3) / 1e9;
}
