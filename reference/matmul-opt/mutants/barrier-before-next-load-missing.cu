// expect: one, two, own, own-edges, accuracy, own-accuracy, one-shared-memory, two-shared-memory,
// own-dynamic, one-shape, two-shape, one-stays-inside, two-stays-inside, own-stays-inside,
// one-race-free, two-race-free, own-race-free, own-elements, own-elements-narrow, global-loads, coalesced, shared-loads,
// conflict-free, speed-two, speed-own, two-accuracy
// class: S2. Fast warps overwrite the tiles that slow ones still read.
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

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_tiles<4>(c, a, b);
}
