// expect: host-by-tiles, product, device-on-device, host-on-device, device-edges-on-device,
// host-edges-on-device, edges, cut-out, host-product, host-cut-out, accuracy,
// tiles-in-shared-memory, race-free, all-freed, global-loads, coalesced, conflict-free, speed,
// blocks, host-accuracy, whole-tiles-shared, global-loads-edges, host-corner
// class: B1. One block for the whole of C, which 1024 threads do not cover; the failed launch is ignored.
// SPDX-License-Identifier: MIT
#include "matmul-tiled.h"

/* Small example from the first lecture: the block is as large as the matrix. */
__global__ void single_block(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int m = 0; m < A.width; m += 32) {
    for (int y = ty; y < 32; y += blockDim.y) {
      for (int x = tx; x < 32; x += blockDim.x) {
        As[y][x] = y < A.height && m + x < A.width ? A.elements[y * A.stride + m + x] : 0;
        Bs[y][x] = m + y < B.height && x < B.width ? B.elements[(m + y) * B.stride + x] : 0;
      }
    }
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C.elements[ty * C.stride + tx] = sum;
}

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  Matrix S = {tile, tile, A.stride, A.elements + row * tile * A.stride + col * tile};
  if ((col + 1) * tile > A.width) S.width = A.width - col * tile;
  if ((row + 1) * tile > A.height) S.height = A.height - row * tile;
  return S;
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int) {
  single_block<<<1, dim3(C.width, C.height)>>>(A, B, C);
}

static Matrix to_gpu(Matrix M) {
  Matrix D = M;
  D.stride = M.width;
  cudaMalloc(&D.elements, sizeof(float) * M.width * M.height);
  cudaMemcpy2D(D.elements, sizeof(float) * D.stride, M.elements, sizeof(float) * M.stride,
               sizeof(float) * M.width, M.height, cudaMemcpyHostToDevice);
  return D;
}

void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  Matrix a = to_gpu(A), b = to_gpu(B), c = to_gpu(C);
  MatMulOnDevice(a, b, c, tile);
  cudaMemcpy2D(C.elements, sizeof(float) * C.stride, c.elements, sizeof(float) * c.stride,
               sizeof(float) * C.width, C.height, cudaMemcpyDeviceToHost);
  cudaFree(a.elements);
  cudaFree(b.elements);
  cudaFree(c.elements);
}
