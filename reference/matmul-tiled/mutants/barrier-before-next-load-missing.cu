// expect: product, edges, cut-out, host-product, host-cut-out, accuracy, tiles-in-shared-memory,
// race-free, all-freed, global-loads, coalesced, conflict-free, speed, blocks, host-accuracy
// class: S2. Fast warps overwrite the tiles that slow ones still read.
// SPDX-License-Identifier: MIT
#include "matmul-tiled.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "line %d: %s\n", line, cudaGetErrorName(error));
  exit(EXIT_FAILURE);
}
#define TRY(call) check((call), __LINE__)

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  Matrix Asub;
  Asub.width = A.width - col * tile;
  if (Asub.width > tile) Asub.width = tile;
  Asub.height = A.height - row * tile;
  if (Asub.height > tile) Asub.height = tile;
  Asub.stride = A.stride;
  Asub.elements = &A.elements[A.stride * tile * row + tile * col];
  return Asub;
}

__device__ float GetElement(const Matrix A, int row, int col) {
  if (row >= A.height) return 0;
  if (col >= A.width) return 0;
  return A.elements[row * A.stride + col];
}

__device__ void SetElement(Matrix A, int row, int col, float value) {
  if (row < A.height && col < A.width) {
    A.elements[row * A.stride + col] = value;
  }
}

__device__ void load(float* shared, Matrix part, int tile) {
  shared[threadIdx.y * tile + threadIdx.x] = GetElement(part, threadIdx.y, threadIdx.x);
}

__device__ void multiply_block(Matrix A, Matrix B, Matrix C, float* As, float* Bs, int tile) {
  float Cvalue = 0;
  for (int m = 0; m * tile < A.width; ++m) {
    load(As, GetSubMatrix(A, blockIdx.y, m, tile), tile);
    load(Bs, GetSubMatrix(B, m, blockIdx.x, tile), tile);
    __syncthreads();
    for (int e = 0; e < tile; ++e) {
      Cvalue += As[threadIdx.y * tile + e] * Bs[e * tile + threadIdx.x];
    }
  }
  Matrix Csub = GetSubMatrix(C, blockIdx.y, blockIdx.x, tile);
  SetElement(Csub, threadIdx.y, threadIdx.x, Cvalue);
}

__global__ void MatMulKernel16(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[16 * 16];
  __shared__ float Bs[16 * 16];
  multiply_block(A, B, C, As, Bs, 16);
}

__global__ void MatMulKernel32(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[32 * 32];
  __shared__ float Bs[32 * 32];
  multiply_block(A, B, C, As, Bs, 32);
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) {
  dim3 threads(tile, tile);
  dim3 blocks((C.width - 1) / tile + 1, (C.height - 1) / tile + 1);
  if (tile == 16) MatMulKernel16<<<blocks, threads>>>(A, B, C);
  if (tile == 32) MatMulKernel32<<<blocks, threads>>>(A, B, C);
  TRY(cudaGetLastError());
}

static Matrix upload(Matrix host) {
  Matrix device = host;
  device.stride = host.width;
  TRY(cudaMalloc((void**)&device.elements, host.width * host.height * sizeof(float)));
  for (int row = 0; row < host.height; ++row) {
    TRY(cudaMemcpy(device.elements + row * device.stride, host.elements + row * host.stride,
                   host.width * sizeof(float), cudaMemcpyHostToDevice));
  }
  return device;
}

void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  Matrix d_A = upload(A);
  Matrix d_B = upload(B);
  Matrix d_C = C;
  d_C.stride = C.width;
  TRY(cudaMalloc((void**)&d_C.elements, C.width * C.height * sizeof(float)));

  MatMulOnDevice(d_A, d_B, d_C, tile);

  for (int row = 0; row < C.height; ++row) {
    TRY(cudaMemcpy(C.elements + row * C.stride, d_C.elements + row * d_C.stride,
                   C.width * sizeof(float), cudaMemcpyDeviceToHost));
  }
  TRY(cudaFree(d_A.elements));
  TRY(cudaFree(d_B.elements));
  TRY(cudaFree(d_C.elements));
}
