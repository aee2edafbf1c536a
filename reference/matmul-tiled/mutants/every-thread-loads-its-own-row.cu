// expect: host-by-tiles, tiles-in-shared-memory, global-loads, conflict-free, speed,
// whole-tiles-shared, global-loads-edges
// class: B2. No shared memory: each thread reads a row of A and a column of B from global memory.
// SPDX-License-Identifier: MIT
#include "matmul-tiled.h"

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static __host__ __device__ int ceil_div(int total, int part) { return (total + part - 1) / part; }

static __host__ __device__ int smaller(int a, int b) { return a < b ? a : b; }

static __host__ __device__ float* address(Matrix A, int row, int col) {
  return A.elements + static_cast<size_t>(row) * A.stride + col;
}

static __device__ bool holds(Matrix A, int row, int col) { return row < A.height && col < A.width; }

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  return Matrix{smaller(tile, A.width - col * tile), smaller(tile, A.height - row * tile), A.stride,
                address(A, row * tile, col * tile)};
}

// One thread per element, which walks a row of A and a column of B in global memory.
static __global__ void multiply(Matrix A, Matrix B, Matrix C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (!holds(C, row, col)) return;
  float sum = 0.0f;
  for (int e = 0; e < A.width; ++e) sum += *address(A, row, e) * *address(B, e, col);
  *address(C, row, col) = sum;
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) {
  const dim3 block(tile, tile);
  const dim3 grid(ceil_div(C.width, tile), ceil_div(C.height, tile));
  multiply<<<grid, block>>>(A, B, C);
  CHECK(cudaGetLastError());
}

// On the device rows need no gap, so its stride is the width whatever the host's is.
static Matrix allocate_like(Matrix host) {
  Matrix device = {host.width, host.height, host.width, nullptr};
  CHECK(cudaMalloc(&device.elements, sizeof(float) * host.width * host.height));
  return device;
}

static void copy(Matrix to, Matrix from, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy2D(to.elements, to.stride * sizeof(float), from.elements,
                     from.stride * sizeof(float), from.width * sizeof(float), from.height, kind));
}

void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  const Matrix device_a = allocate_like(A), device_b = allocate_like(B),
               device_c = allocate_like(C);
  copy(device_a, A, cudaMemcpyHostToDevice);
  copy(device_b, B, cudaMemcpyHostToDevice);
  MatMulOnDevice(device_a, device_b, device_c, tile);
  copy(C, device_c, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(device_a.elements));
  CHECK(cudaFree(device_b.elements));
  CHECK(cudaFree(device_c.elements));
}
