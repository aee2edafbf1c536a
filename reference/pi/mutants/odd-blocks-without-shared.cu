// expect: shared-block
// class: B1. Blocks that are no multiple of a warp do without shared memory: each thread adds to the counter in global memory.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "pi.h"

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

using Count = unsigned long long;
using Kernel = void (*)(Count*, const float*, const float*, size_t);

static const int kMostThreads = 1024;               // of a block
static const int kThreadsPerMultiprocessor = 2048;  // that fit at a time
static const size_t kVector = 4;                    // floats that one load brings

void random_points(float* x, float* y, size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> coordinate(0.0f, 1.0f);
  for (size_t i = 0; i < n; ++i) {
    x[i] = coordinate(random);
    y[i] = coordinate(random);
  }
}

// To double first: 4 * inside as a whole number overflows.
double pi_from(Count inside, Count points) {
  return 4.0 * static_cast<double>(inside) / static_cast<double>(points);
}

__device__ bool is_inside(float x, float y) { return x * x + y * y <= 1.0f; }

// How many of this thread's points are inside. Four at a time, then what is left over; the grid
// strides, so that neighbouring threads read neighbouring points.
__device__ unsigned count_mine(const float* x, const float* y, size_t n) {
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t stride = gridDim.x * static_cast<size_t>(blockDim.x);
  const size_t vectors = n / kVector;
  unsigned count = 0;
  for (size_t i = first; i < vectors; i += stride) {
    const float4 u = reinterpret_cast<const float4*>(x)[i];
    const float4 v = reinterpret_cast<const float4*>(y)[i];
    count += is_inside(u.x, v.x) + is_inside(u.y, v.y) + is_inside(u.z, v.z) + is_inside(u.w, v.w);
  }
  for (size_t i = vectors * kVector + first; i < n; i += stride) count += is_inside(x[i], y[i]);
  return count;
}

__global__ void count_in_global(Count* inside, const float* x, const float* y, size_t n) {
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t stride = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = first; i < n; i += stride) {
    if (is_inside(x[i], y[i])) atomicAdd(inside, 1ull);
  }
}

__global__ void count_in_shared(Count* inside, const float* x, const float* y, size_t n) {
  __shared__ unsigned counts[kMostThreads];
  counts[threadIdx.x] = count_mine(x, y, n);
  // Each round adds the upper half of what is left to the lower; of an odd number the middle waits.
  for (unsigned left = blockDim.x; left > 1;) {
    const unsigned half = (left + 1) / 2;
    __syncthreads();
    if (threadIdx.x + half < left) counts[threadIdx.x] += counts[threadIdx.x + half];
    left = half;
  }
  if (threadIdx.x == 0) atomicAdd(inside, static_cast<Count>(counts[0]));
}

// As many blocks as run at the same time, or fewer where there are not that many points.
static unsigned blocks_for(size_t n, int block) {
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const size_t at_once =
      static_cast<size_t>(multiprocessors) * static_cast<size_t>(kThreadsPerMultiprocessor / block);
  return static_cast<unsigned>(std::min(at_once, (n - 1) / static_cast<size_t>(block) + 1));
}

static float launch_timed(Kernel kernel, Count* inside, const float* x, const float* y, size_t n,
                          int block) {
  const unsigned blocks = blocks_for(n, block);  // asking takes time, so before the first event
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  kernel<<<blocks, block>>>(inside, x, y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

static Estimate estimate(Kernel kernel, const float* x, const float* y, size_t n, int block) {
  float *device_x = nullptr, *device_y = nullptr;
  Count* device_inside = nullptr;
  CHECK(cudaMalloc(&device_x, n * sizeof(float)));
  CHECK(cudaMalloc(&device_y, n * sizeof(float)));
  CHECK(cudaMalloc(&device_inside, sizeof(Count)));
  CHECK(cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_y, y, n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(device_inside, 0, sizeof(Count)));

  Estimate result{};
  result.kernel_ms = launch_timed(kernel, device_inside, device_x, device_y, n, block);
  CHECK(cudaMemcpy(&result.inside, device_inside, sizeof(Count), cudaMemcpyDeviceToHost));
  result.pi = pi_from(result.inside, n);

  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_y));
  CHECK(cudaFree(device_inside));
  return result;
}

Estimate estimate_global(const float* x, const float* y, size_t n, int block) {
  return estimate(count_in_global, x, y, n, block);
}

Estimate estimate_shared(const float* x, const float* y, size_t n, int block) {
  return estimate(block % 32 == 0 ? count_in_shared : count_in_global, x, y, n, block);
}
