// expect: own, own-edges, own-dynamic, own-stays-inside, own-race-free, own-elements, own-elements-narrow, speed-two,
// speed-own, own-edges-on-device?
// class: G2. The grid of the own variant leaves out what is less than a block of 64 x 64.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <stdexcept>
#include <vector>

#include "matmul-opt.h"

namespace {

void ok(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct View {
  float* data;
  int stride, rows, columns;
  explicit View(cudaPitchedPtr m)
      : data(static_cast<float*>(m.ptr)),
        stride(static_cast<int>(m.pitch / sizeof(float))),
        rows(static_cast<int>(m.ysize)),
        columns(static_cast<int>(m.xsize)) {}
  __device__ float& operator()(int i, int j) const { return data[i * stride + j]; }
};

// A tile of H x W in dynamic shared memory, one more column against bank conflicts.
template <int W>
struct Tile {
  float* data;
  __device__ float& operator()(int i, int j) const { return data[i * (W + 1) + j]; }
};
constexpr size_t tile_bytes(int h, int w) { return sizeof(float) * h * (w + 1); }

template <int PerThread>
__global__ void strip(View c, View a, View b) {
  extern __shared__ float room[];
  const Tile<32> as{room}, bs{room + 32 * 33};
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 32, j = blockIdx.x * 32;
  float sum[PerThread] = {0};
  for (int k0 = 0; k0 < a.columns; k0 += 32) {
#pragma unroll
    for (int y = ty; y < 32; y += 32 / PerThread) {
      as(y, tx) = a(i + y, k0 + tx);
      bs(y, tx) = b(k0 + y, j + tx);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float bk = bs(k, tx);
#pragma unroll
      for (int e = 0; e < PerThread; ++e) sum[e] += as(ty + e * (32 / PerThread), k) * bk;
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < PerThread; ++e) c(i + ty + e * (32 / PerThread), j + tx) = sum[e];
}

// 64 x 64 elements by 256 threads in a line, k in steps of 8.
__global__ void square(View c, View a, View b) {
  extern __shared__ float room[];
  const Tile<8> as{room};
  const Tile<64> bs{room + 64 * 9};
  const int t = threadIdx.x, top = blockIdx.y * 64, left = blockIdx.x * 64;
  const int y = t / 16, x = t % 16;
  float sum[4][4] = {{0}};
  for (int k0 = 0; k0 < a.columns; k0 += 8) {
    for (int at = t; at < 64 * 8; at += 256) {
      const int i = top + at / 8, j = left + at % 64;
      as(at / 8, at % 8) = i < a.rows ? a(i, k0 + at % 8) : 0;
      bs(at / 64, at % 64) = j < b.columns ? b(k0 + at / 64, j) : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
      for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int s = 0; s < 4; ++s) sum[r][s] += as(y + 16 * r, k) * bs(k, x + 16 * s);
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    for (int s = 0; s < 4; ++s) {
      const int i = top + y + 16 * r, j = left + x + 16 * s;
      if (i < c.rows && j < c.columns) c(i, j) = sum[r][s];
    }
  }
}

cudaStream_t own_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t created;
    ok(cudaStreamCreate(&created));
    return created;
  }();
  return stream;
}

}  // namespace

int padded(int size) { return (size + 31) & ~31; }

cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr m = make_cudaPitchedPtr(nullptr, 0, padded(columns), padded(rows));
  ok(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize));
  ok(cudaMemset2DAsync(m.ptr, m.pitch, 0, m.xsize * sizeof(float), m.ysize, own_stream()));
  ok(cudaStreamSynchronize(own_stream()));
  return m;
}

void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  std::vector<char> packed(host.xsize * sizeof(float) * host.ysize);
  const size_t width = host.xsize * sizeof(float);
  for (size_t i = 0; i < host.ysize; ++i)
    std::memcpy(&packed[i * width], static_cast<char*>(host.ptr) + i * host.pitch, width);
  ok(cudaMemcpy2DAsync(device.ptr, device.pitch, packed.data(), width, width, host.ysize,
                       cudaMemcpyHostToDevice, own_stream()));
  ok(cudaStreamSynchronize(own_stream()));
}

void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  ok(cudaMemcpy2DAsync(host.ptr, host.pitch, device.ptr, device.pitch, host.xsize * sizeof(float),
                       host.ysize, cudaMemcpyDeviceToHost, own_stream()));
  ok(cudaStreamSynchronize(own_stream()));
}

void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 grid(c.xsize / 32, c.ysize / 32);
  strip<1><<<grid, dim3(32, 32), 2 * tile_bytes(32, 32), own_stream()>>>(View(c), View(a), View(b));
  ok(cudaGetLastError());
}

void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 grid(c.xsize / 32, c.ysize / 32);
  strip<2><<<grid, dim3(32, 16), 2 * tile_bytes(32, 32), own_stream()>>>(View(c), View(a), View(b));
  ok(cudaGetLastError());
}

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 grid(c.xsize < 64 ? 1 : c.xsize / 64, c.ysize < 64 ? 1 : c.ysize / 64);
  square<<<grid, 256, tile_bytes(64, 8) + tile_bytes(8, 64), own_stream()>>>(View(c), View(a),
                                                                             View(b));
  ok(cudaGetLastError());
}
