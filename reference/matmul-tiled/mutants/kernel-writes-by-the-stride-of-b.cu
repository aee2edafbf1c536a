// expect: cut-out
// class: P3. The kernel writes C by the stride of B, which is as wide.
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

// Zeros outside add nothing to any product.
static __device__ float GetElement(Matrix A, int row, int col) {
  return holds(A, row, col) ? *address(A, row, col) : 0.0f;
}

static __device__ void SetElement(Matrix A, int row, int col, float value) {
  if (holds(A, row, col)) *address(A, row, col) = value;
}

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  return Matrix{smaller(tile, A.width - col * tile), smaller(tile, A.height - row * tile), A.stride,
                address(A, row * tile, col * tile)};
}

// Block (x, y) computes tile (y, x) of C. All its threads reach every barrier, those outside C too.
template <int kTile>
__global__ void multiply(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[kTile][kTile];
  __shared__ float Bs[kTile][kTile];
  const int row = threadIdx.y, col = threadIdx.x;
  C.stride = B.stride;

  float sum = 0.0f;
  const int phases = ceil_div(A.width, kTile);
  for (int m = 0; m < phases; ++m) {
    As[row][col] = GetElement(GetSubMatrix(A, blockIdx.y, m, kTile), row, col);
    Bs[row][col] = GetElement(GetSubMatrix(B, m, blockIdx.x, kTile), row, col);
    __syncthreads();  // the tiles are whole before anybody reads them

    for (int e = 0; e < kTile; ++e) sum += As[row][e] * Bs[e][col];
    __syncthreads();  // everybody has read them before the next phase overwrites them
  }
  SetElement(GetSubMatrix(C, blockIdx.y, blockIdx.x, kTile), row, col, sum);
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) {
  const dim3 block(tile, tile);
  const dim3 grid(ceil_div(C.width, tile), ceil_div(C.height, tile));
  if (tile == 16) {
    multiply<16><<<grid, block>>>(A, B, C);
  } else {
    multiply<32><<<grid, block>>>(A, B, C);
  }
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
