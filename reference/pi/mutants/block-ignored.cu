// expect: shared-block, global-block, speed?, near-copy?
// class: B1. Runs in blocks of 256 threads, whatever is asked for.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "pi.h"

namespace {

using Count = unsigned long long;

constexpr int kBlock = 256;

void ok(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};
template <class T>
using Device = std::unique_ptr<T[], Free>;

template <class T>
Device<T> device_array(size_t count) {
  T* memory = nullptr;
  ok(cudaMalloc(&memory, count * sizeof(T)));
  return Device<T>(memory);
}

class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    ok(cudaEventCreate(&start_));
    ok(cudaEventCreate(&stop_));
    ok(cudaEventRecord(start_, stream_));
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  float stop() {
    float ms = 0;
    ok(cudaEventRecord(stop_, stream_));
    ok(cudaEventSynchronize(stop_));
    ok(cudaEventElapsedTime(&ms, start_, stop_));
    return ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_{}, stop_{};
};

__device__ bool hit(float x, float y) { return fmaf(x, x, y * y) <= 1.0f; }

__global__ void throw_darts(Count* hits, const float* x, const float* y, size_t n) {
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  Count mine = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    if (hit(x[i], y[i])) ++mine;
  if (mine != 0) atomicAdd(hits, mine);
}

__device__ Count block_sum(Count mine) {
  extern __shared__ Count board[];
  board[threadIdx.x] = mine;
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    Count other = threadIdx.x + step < blockDim.x ? board[threadIdx.x + step] : 0;
    __syncthreads();
    board[threadIdx.x] += other;
  }
  return board[threadIdx.x];
}

__global__ void throw_darts_by_block(Count* hits, const float* x, const float* y, size_t n) {
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  Count mine = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    mine += hit(x[i], y[i]) ? 1 : 0;
  const Count all = block_sum(mine);
  if (threadIdx.x == 0) hits[blockIdx.x] = all;
}

__global__ void add_up(Count* total, const Count* hits, unsigned count) {
  Count mine = 0;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += hits[i];
  const Count all = block_sum(mine);
  if (threadIdx.x == 0) *total = all;
}

unsigned blocks_for(size_t n, int block) {
  return unsigned(std::min<size_t>(1024, (n + size_t(block) - 1) / size_t(block)));
}

// A generator of its own: the high bits of a linear congruence.
float next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return float(state >> 40) / float(1 << 24);
}

template <class Launch>
Estimate estimate(const float* x, const float* y, size_t n, Launch launch) {
  cudaStream_t stream;
  ok(cudaStreamCreate(&stream));
  Estimate e{};
  {
    auto dx = device_array<float>(n), dy = device_array<float>(n);
    auto total = device_array<Count>(1);
    ok(cudaMemcpyAsync(dx.get(), x, n * sizeof *x, cudaMemcpyHostToDevice, stream));
    ok(cudaMemcpyAsync(dy.get(), y, n * sizeof *y, cudaMemcpyHostToDevice, stream));
    ok(cudaMemsetAsync(total.get(), 0, sizeof(Count), stream));
    e.kernel_ms = launch(total.get(), dx.get(), dy.get(), stream);
    ok(cudaMemcpyAsync(&e.inside, total.get(), sizeof(Count), cudaMemcpyDeviceToHost, stream));
    ok(cudaStreamSynchronize(stream));
  }
  ok(cudaStreamDestroy(stream));
  e.pi = pi_from(e.inside, n);
  return e;
}

}  // namespace

void random_points(float* x, float* y, size_t n, unsigned seed) {
  uint64_t state = 0x9E3779B97F4A7C15u ^ (uint64_t(seed) << 17);
  for (int i = 0; i < 16; ++i) next(state);
  for (size_t i = 0; i < n; ++i) x[i] = next(state);
  for (size_t i = 0; i < n; ++i) y[i] = next(state);
}

double pi_from(Count inside, Count points) { return 4 * (double(inside) / double(points)); }

Estimate estimate_global(const float* x, const float* y, size_t n, int) {
  return estimate(x, y, n, [=](Count* total, float* dx, float* dy, cudaStream_t stream) {
    Stopwatch watch(stream);
    throw_darts<<<blocks_for(n, kBlock), kBlock, 0, stream>>>(total, dx, dy, n);
    return watch.stop();
  });
}

Estimate estimate_shared(const float* x, const float* y, size_t n, int) {
  return estimate(x, y, n, [=](Count* total, float* dx, float* dy, cudaStream_t stream) {
    const unsigned blocks = blocks_for(n, kBlock);
    const size_t bytes = kBlock * sizeof(Count);
    auto hits = device_array<Count>(blocks);
    Stopwatch watch(stream);
    throw_darts_by_block<<<blocks, kBlock, bytes, stream>>>(hits.get(), dx, dy, n);
    add_up<<<1, kBlock, bytes, stream>>>(total, hits.get(), blocks);
    return watch.stop();
  });
}
