// expect: race-free, edges, cut-out, host-cut-out, accuracy, host-accuracy
// class: S3. Threads outside C leave before the barriers, and nobody loads their part of the tiles.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>

#include "matmul-tiled.h"

namespace {

void must(cudaError_t status) {
  if (status != cudaSuccess) {
    std::cerr << cudaGetErrorString(status) << std::endl;
    std::abort();
  }
}

template <int T>
__global__ void __launch_bounds__(T* T) tiled(Matrix A, Matrix B, Matrix C) {
  __shared__ float a[T][T + 1], b[T][T + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
  if (i >= C.height || j >= C.width) return;
  float c = 0.f;
  for (int k0 = 0; k0 < A.width; k0 += T) {
    a[ty][tx] = i < A.height && k0 + tx < A.width ? A.elements[i * A.stride + k0 + tx] : 0.f;
    b[ty][tx] = k0 + ty < B.height && j < B.width ? B.elements[(k0 + ty) * B.stride + j] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) c = fmaf(a[ty][k], b[k][tx], c);
    __syncthreads();
  }
  if (i < C.height && j < C.width) C.elements[i * C.stride + j] = c;
}

void launch(Matrix A, Matrix B, Matrix C, int tile, cudaStream_t stream) {
  const dim3 grid((C.width + tile - 1) / tile, (C.height + tile - 1) / tile), block(tile, tile);
  void* args[] = {&A, &B, &C};
  const void* kernel = tile == 16 ? (const void*)tiled<16> : (const void*)tiled<32>;
  must(cudaLaunchKernel(kernel, grid, block, args, 0, stream));
}

struct DeviceMatrix {
  Matrix m;
  size_t pitch = 0;
  explicit DeviceMatrix(Matrix like) : m(like) {
    must(cudaMallocPitch(&m.elements, &pitch, m.width * sizeof(float), m.height));
    m.stride = static_cast<int>(pitch / sizeof(float));
  }
  ~DeviceMatrix() { cudaFree(m.elements); }
};

}  // namespace

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  const int top = row * tile, left = col * tile;
  const int w = A.width - left, h = A.height - top;
  return {w < tile ? w : tile, h < tile ? h : tile, A.stride, A.elements + top * A.stride + left};
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) { launch(A, B, C, tile, nullptr); }

void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  {
    DeviceMatrix a(A), b(B), c(C);
    const auto copy = [&](void* to, size_t to_pitch, Matrix from, size_t from_pitch,
                          cudaMemcpyKind kind) {
      must(cudaMemcpy2DAsync(to, to_pitch, from.elements, from_pitch, from.width * sizeof(float),
                             from.height, kind, stream));
    };
    copy(a.m.elements, a.pitch, A, A.stride * sizeof(float), cudaMemcpyHostToDevice);
    copy(b.m.elements, b.pitch, B, B.stride * sizeof(float), cudaMemcpyHostToDevice);
    launch(a.m, b.m, c.m, tile, stream);
    copy(C.elements, C.stride * sizeof(float), c.m, c.pitch, cudaMemcpyDeviceToHost);
    must(cudaStreamSynchronize(stream));
  }
  must(cudaStreamDestroy(stream));
}
