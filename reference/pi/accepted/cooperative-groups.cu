// expect: nothing
// Cooperative groups, an atomic_ref, double precision, cudaLaunchKernel, a warm-up without points.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <random>
#include <vector>
namespace cg = cooperative_groups;
#include "pi.h"

#define OK(call)                                                \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)
typedef unsigned long long ull;

void random_points(float* x, float* y, size_t n, unsigned seed) {
  std::minstd_rand g(seed * 7919u + 3u);
  g.discard(17);
  for (size_t i = 0; i < n; ++i) {
    x[i] = float(g() / double(std::minstd_rand::max()));
    y[i] = float(g() / double(std::minstd_rand::max()));
  }
}
double pi_from(ull inside, ull points) { return double(inside) / double(points) * 4; }

__global__ void version1(ull* c, const float* x, const float* y, size_t n) {
  cuda::atomic_ref<ull, cuda::thread_scope_device> counter(*c);
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    double u = x[i], v = y[i];
    if (u * u + v * v <= 1.0) counter.fetch_add(1, cuda::memory_order_relaxed);
  }
}

__global__ void version2(ull* c, const float* x, const float* y, size_t n) {
  __shared__ volatile int warps[32];
  cg::thread_block b = cg::this_thread_block();
  int mine = 0;
  for (size_t i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
    double u = x[i], v = y[i];
    mine += u * u + v * v <= 1.0;
  }
  cg::coalesced_group w = cg::coalesced_threads();
  int sum = cg::reduce(w, mine, cg::plus<int>());
  if (w.thread_rank() == 0) warps[b.thread_rank() / 32] = sum;
  b.sync();
  if (b.thread_rank() == 0) {
    ull all = 0;
    for (unsigned i = 0; i < (b.size() + 31) / 32; ++i) all += warps[i];
    atomicAdd(c, all);
  }
}

template <class K>
static Estimate run(K kernel, const float* x, const float* y, size_t n, int block) {
  float *dx, *dy;
  ull* c;
  OK(cudaMalloc(&dx, 4 * n));
  OK(cudaMalloc(&dy, 4 * n));
  OK(cudaMalloc(&c, 8));
  OK(cudaMemcpy(dx, x, 4 * n, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dy, y, 4 * n, cudaMemcpyHostToDevice));
  OK(cudaMemset(c, 0, 8));
  cudaEvent_t a, b;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  int blocks = int(std::min<size_t>((n + block - 1) / block, 132 * 2048 / block));
  size_t none = 0;
  void* warm[] = {&c, &dx, &dy, &none};
  void* args[] = {&c, &dx, &dy, &n};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(block), warm, 0,
                      nullptr));
  OK(cudaDeviceSynchronize());
  OK(cudaEventRecord(a));
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(block), args, 0,
                      nullptr));
  OK(cudaEventRecord(b));
  while (cudaEventQuery(b) == cudaErrorNotReady) {
  }
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, a, b));
  ull inside = 0;
  OK(cudaMemcpy(&inside, c, 8, cudaMemcpyDeviceToHost));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  OK(cudaFree(dx));
  OK(cudaFree(dy));
  OK(cudaFree(c));
  return Estimate{inside, pi_from(inside, n), ms};
}
Estimate estimate_global(const float* x, const float* y, size_t n, int block) {
  return run(version1, x, y, n, block);
}
Estimate estimate_shared(const float* x, const float* y, size_t n, int block) {
  return run(version2, x, y, n, block);
}
