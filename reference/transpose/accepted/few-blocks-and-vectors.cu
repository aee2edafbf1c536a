// expect: nothing
// Fewer blocks than tiles, four neighbours at once where 16 bytes are aligned, one-sided conditions, long warm-ups.
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
    __syncthreads();
    for (int k = 0; k < 32; k += kStep) {
      if (to.holds(target.row + k, target.column))
        out[to.at(target.row + k, target.column)] = tile[threadIdx.x * kStride + threadIdx.y + k];
    }
    __syncthreads();
  }
}

// A 64 x 64 tile in four bands of 16 rows each, floats in fours. Any other size takes the plain path.
__global__ void by_fours(float* out, const float* in, Matrix from, int repetitions) {
  __shared__ float tile[64][65];
  const int across = from.columns / 64, tiles = across * (from.rows / 64);
  const int lane = threadIdx.x % 16, first = threadIdx.y * 2 + threadIdx.x / 16;
  const Matrix to = from.turned();
  while (repetitions-- > 0) {
    for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
      const int top = number / across * 64, left = number % across * 64;
      for (int y = first; y < 64; y += 16) {
        const float4 four =
            *reinterpret_cast<const float4*>(in + from.at(top + y, left + 4 * lane));
        tile[y][4 * lane] = four.x;
        tile[y][4 * lane + 1] = four.y;
        tile[y][4 * lane + 2] = four.z;
        tile[y][4 * lane + 3] = four.w;
      }
      __syncthreads();
      for (int y = first; y < 64; y += 16) {
        const float4 four = {tile[4 * lane][y], tile[4 * lane + 1][y], tile[4 * lane + 2][y],
                             tile[4 * lane + 3][y]};
        *reinterpret_cast<float4*>(out + to.at(left + y, top + 4 * lane)) = four;
      }
      __syncthreads();
    }
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
  const Matrix from = {rows, columns};
  if (rows % 64 != 0 || columns % 64 != 0) {
    run(through_tile<33, 8>, 8, out, in, from, repetitions);
    return;
  }
  int device = 0, multiprocessors = 1;
  must(cudaGetDevice(&device));
  must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  Matrix copy_of_from = from;
  void* arguments[] = {&out, &in, &copy_of_from, &repetitions};
  must(cudaLaunchKernel((const void*)by_fours, dim3(8 * multiprocessors), dim3(32, 8), arguments, 0,
                        nullptr));
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  launch(out, in, rows, columns, count);
  return Stopwatch()([&] {
    for (int i = 0; i < count; ++i) launch(out, in, rows, columns, 1);
  });
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  launch(out, in, rows, columns, 2 * count + 3);
  return Stopwatch()([&] { launch(out, in, rows, columns, count); });
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  const double moved = 2.0 * sizeof(float) * double(rows) * double(columns) * double(count);
  return moved / (ms * 1e-3) / 1e9;
}
