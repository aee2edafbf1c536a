// expect: points
// class: A3. The points gather in the middle of the square, as many in each quarter.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <random>
#include "pi.h"
#define OK(call)                                                               \
  do {                                                                         \
    cudaError_t e = (call);                                                    \
    if (e != cudaSuccess) {                                                    \
      std::fprintf(stderr, "pi.cu:%d: %s\n", __LINE__, cudaGetErrorString(e)); \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

void random_points(float* x, float* y, size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> unit(0.5f, 0.1f);
  for (size_t i = 0; i < n; ++i) {
    x[i] = unit(engine);
    y[i] = unit(engine);
  }
}

double pi_from(unsigned long long inside, unsigned long long points) {
  return 4.0 * double(inside) / double(points);
}

__global__ void count_in_global(unsigned long long* inside, const float* x, const float* y,
                                size_t n) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    if (x[i] * x[i] + y[i] * y[i] <= 1.0f) atomicAdd(inside, 1ull);
}

__global__ void count_in_shared(unsigned long long* inside, const float* x, const float* y,
                                size_t n) {
  __shared__ unsigned counts[1024];
  unsigned mine = 0;
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < n; k += stride)
    if (x[k] * x[k] + y[k] * y[k] <= 1.0f) ++mine;
  counts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned left = blockDim.x; left > 1;) {
    unsigned half = (left + 1) / 2;
    if (threadIdx.x + half < left) counts[threadIdx.x] += counts[threadIdx.x + half];
    __syncthreads();
    left = half;
  }
  if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)counts[0]);
}

using Kernel = void (*)(unsigned long long*, const float*, const float*, size_t);

static Estimate estimate(Kernel kernel, const float* x, const float* y, size_t n, int block) {
  Estimate r{};
  float *dx, *dy;
  unsigned long long* count;
  OK(cudaMalloc(&dx, n * sizeof(float)));
  OK(cudaMalloc(&dy, n * sizeof(float)));
  OK(cudaMalloc(&count, sizeof *count));
  OK(cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemset(count, 0, sizeof *count));
  int device = 0, sms = 0;
  OK(cudaGetDevice(&device));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  size_t blocks = (n + block - 1) / block;
  if (blocks > size_t(sms) * 8) blocks = size_t(sms) * 8;
  cudaEvent_t start, stop;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventRecord(start));
  kernel<<<unsigned(blocks), block>>>(count, dx, dy, n);
  OK(cudaGetLastError());
  OK(cudaEventRecord(stop));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&r.kernel_ms, start, stop));
  OK(cudaMemcpy(&r.inside, count, sizeof r.inside, cudaMemcpyDeviceToHost));
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(stop));
  OK(cudaFree(dx));
  OK(cudaFree(dy));
  OK(cudaFree(count));
  r.pi = pi_from(r.inside, n);
  return r;
}

Estimate estimate_global(const float* x, const float* y, size_t n, int block) {
  return estimate(count_in_global, x, y, n, block);
}
Estimate estimate_shared(const float* x, const float* y, size_t n, int block) {
  return estimate(count_in_shared, x, y, n, block);
}
