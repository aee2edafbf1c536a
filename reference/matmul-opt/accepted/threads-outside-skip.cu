// expect: speed-own
// 1024 threads for 128 x 128 elements, 4 x 4 each; threads whose elements lie outside C skip the products.
// SPDX-License-Identifier: MIT
#include "matmul-opt.h"

#include <cstdio>
#include <cstdlib>

#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (size_t)(Row) * (array).pitch))[(Column)])
static void ok(cudaError_t e) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
    std::exit(1);
  }
}
int padded(int size) { return (size + 31) & ~31; }
cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr m = make_cudaPitchedPtr(nullptr, 0, padded(columns), padded(rows));
  ok(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize));
  ok(cudaMemset2D(m.ptr, m.pitch, 0, m.xsize * sizeof(float), m.ysize));
  return m;
}
static void move(cudaPitchedPtr to, cudaPitchedPtr from, cudaPitchedPtr size, cudaMemcpyKind kind) {
  ok(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, size.xsize * sizeof(float), size.ysize,
                  kind));
}
void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  move(device, host, host, cudaMemcpyHostToDevice);
}
void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  move(host, device, host, cudaMemcpyDeviceToHost);
}
template <int E>  // elements a thread
__global__ void column(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float tiles[];
  float *As = tiles, *Bs = tiles + 1024;
  int const x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 32 + x, i = blockIdx.y * 32 + y;
  constexpr int H = 32 / E;
  float sum[E] = {};
  for (unsigned at = 0; at < a.xsize; at += 32) {
    for (int e = 0; e < E; ++e) {
      As[(y + e * H) * 32 + x] = get_elem(a, i + e * H, at + x);
      Bs[(y + e * H) * 32 + x] = get_elem(b, at + y + e * H, j);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      float const right = Bs[k * 32 + x];
#pragma unroll
      for (int e = 0; e < E; ++e) sum[e] += As[(y + e * H) * 32 + k] * right;
    }
    __syncthreads();
  }
  for (int e = 0; e < E; ++e) get_elem(c, i + e * H, j) = sum[e];
}
void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  column<1><<<dim3(c.xsize / 32, c.ysize / 32), dim3(32, 32), 8192>>>(c, a, b);
  ok(cudaGetLastError());
}
void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  column<2><<<dim3(c.xsize / 32, c.ysize / 32), dim3(32, 16), 8192>>>(c, a, b);
  ok(cudaGetLastError());
}
// 32 x 32 threads, 128 x 128 elements; stages of 16; A's tile stored transposed.
__global__ void __launch_bounds__(1024)
    squares(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float4 pair[];
  float* At = reinterpret_cast<float*>(pair);  // [16][128]
  float* Bs = At + 16 * 128;
  int const t = threadIdx.y * 32 + threadIdx.x;
  unsigned const top = blockIdx.y * 128, left = blockIdx.x * 128;
  unsigned const i = top + threadIdx.y * 4, j = left + threadIdx.x * 4;
  bool const inside = i < c.ysize && j < c.xsize;
  float sum[4][4] = {};
  for (unsigned at = 0; at < a.xsize; at += 16) {
    for (int e = t; e < 16 * 128; e += 1024) {
      unsigned const row = top + e / 16, k = e % 16;
      At[k * 128 + e / 16] = row < a.ysize ? get_elem(a, row, at + k) : 0.f;
      unsigned const col = left + e % 128;
      Bs[e] = col < b.xsize ? get_elem(b, at + e / 128, col) : 0.f;
    }
    __syncthreads();
    if (inside)
      for (int k = 0; k < 16; ++k) {
        float4 const l = *reinterpret_cast<float4*>(At + k * 128 + threadIdx.y * 4),
                     r = *reinterpret_cast<float4*>(Bs + k * 128 + threadIdx.x * 4);
        float const ls[4] = {l.x, l.y, l.z, l.w}, rs[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
        for (int p = 0; p < 4; ++p)
#pragma unroll
          for (int q = 0; q < 4; ++q) sum[p][q] += ls[p] * rs[q];
      }
    __syncthreads();
  }
  if (inside)
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q) get_elem(c, i + p, j + q) = sum[p][q];
}
void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  squares<<<dim3((c.xsize + 127) / 128, (c.ysize + 127) / 128), dim3(32, 32),
            2 * 16 * 128 * sizeof(float)>>>(c, a, b);
  ok(cudaGetLastError());
}
