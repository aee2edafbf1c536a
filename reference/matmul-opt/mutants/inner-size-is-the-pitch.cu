// expect: own, own-edges, own-accuracy, own-dynamic, own-stays-inside, own-race-free, own-elements, own-elements-narrow, speed-own
// class: P2. The own variant walks along a row of A to the end of its pitch.
// SPDX-License-Identifier: MIT
#include "matmul-opt.h"

#include <cstdio>
#include <cstdlib>

#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static constexpr int kTile = 32;

static size_t row_bytes(cudaPitchedPtr matrix) { return matrix.xsize * sizeof(float); }

int padded(int size) { return (size + kTile - 1) / kTile * kTile; }
cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr matrix = make_cudaPitchedPtr(nullptr, 0, padded(columns), padded(rows));
  CHECK(cudaMallocPitch(&matrix.ptr, &matrix.pitch, row_bytes(matrix), matrix.ysize));
  CHECK(cudaMemset2D(matrix.ptr, matrix.pitch, 0, row_bytes(matrix), matrix.ysize));
  return matrix;
}

void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  CHECK(cudaMemcpy2D(device.ptr, device.pitch, host.ptr, host.pitch, row_bytes(host), host.ysize,
                     cudaMemcpyHostToDevice));
}

void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  CHECK(cudaMemcpy2D(host.ptr, host.pitch, device.ptr, device.pitch, row_bytes(host), host.ysize,
                     cudaMemcpyDeviceToHost));
}
template <int kElements>
__global__ void multiply_tiles(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float tiles[];
  float* As = tiles;
  float* Bs = tiles + kTile * kTile;
  constexpr int kApart = kTile / kElements;
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t i = blockIdx.y * kTile + y;
  const size_t j = blockIdx.x * kTile + x;

  float sum[kElements] = {};
  for (size_t k0 = 0; k0 < a.xsize; k0 += kTile) {
    for (int e = 0; e < kElements; ++e) {
      const int row = y + e * kApart;
      As[row * kTile + x] = get_elem(a, i + e * kApart, k0 + x);
      Bs[row * kTile + x] = get_elem(b, k0 + row, j);
    }
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      const float right = Bs[k * kTile + x];
      for (int e = 0; e < kElements; ++e) sum[e] += As[(y + e * kApart) * kTile + k] * right;
    }
    __syncthreads();
  }
  for (int e = 0; e < kElements; ++e) get_elem(c, i + e * kApart, j) = sum[e];
}

template <int kElements>
static void launch_tiles(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 block(kTile, kTile / kElements);
  const dim3 grid(c.xsize / kTile, c.ysize / kTile);
  multiply_tiles<kElements><<<grid, block, 2 * kTile * kTile * sizeof(float)>>>(c, a, b);
  CHECK(cudaGetLastError());
}

void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_tiles<1>(c, a, b);
}

void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_tiles<2>(c, a, b);
}
static constexpr int kThreads = 16;
static constexpr int kElements = 4;
static constexpr int kBlock = kThreads * kElements;
static constexpr int kStep = 16;
static __device__ float element_or_zero(cudaPitchedPtr matrix, size_t row, size_t column) {
  return row < matrix.ysize && column * sizeof(float) < matrix.pitch ? get_elem(matrix, row, column)
                                                                     : 0.0f;
}

__global__ void __launch_bounds__(kThreads* kThreads)
    multiply_squares(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float tiles[];
  float* As = tiles;
  float* Bs = tiles + kBlock * kStep;
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t top = static_cast<size_t>(blockIdx.y) * kBlock;
  const size_t left = static_cast<size_t>(blockIdx.x) * kBlock;

  float sum[kElements][kElements] = {};
  for (size_t k0 = 0; k0 < a.pitch / sizeof(float); k0 += kStep) {
    for (int e = 0; e < kElements; ++e) {
      const int shift = e * kThreads;
      As[(y + shift) * kStep + x] = element_or_zero(a, top + y + shift, k0 + x);
      Bs[y * kBlock + x + shift] = element_or_zero(b, k0 + y, left + x + shift);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      float right[kElements];
      for (int e = 0; e < kElements; ++e) right[e] = Bs[k * kBlock + x + e * kThreads];
      for (int r = 0; r < kElements; ++r) {
        const float from_a = As[(y + r * kThreads) * kStep + k];
        for (int e = 0; e < kElements; ++e) sum[r][e] += from_a * right[e];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < kElements; ++r) {
    for (int e = 0; e < kElements; ++e) {
      const size_t i = top + y + r * kThreads, j = left + x + e * kThreads;
      if (i < c.ysize && j < c.xsize) get_elem(c, i, j) = sum[r][e];
    }
  }
}

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 grid((c.xsize + kBlock - 1) / kBlock, (c.ysize + kBlock - 1) / kBlock);
  const size_t bytes = 2 * kBlock * kStep * sizeof(float);
  multiply_squares<<<grid, dim3(kThreads, kThreads), bytes>>>(c, a, b);
  CHECK(cudaGetLastError());
}
