// expect: nothing
// Lanes with equal bytes send one; an atomic_ref, atomicInc, cudaLaunchKernel, a warm-up.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <vector>
#include "histogram.h"
#define OK(call)                                                \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)

bool histogram_is_right(const unsigned* counts, const unsigned char* data, size_t size) {
  std::vector<unsigned> left(counts, counts + kBins);
  for (size_t i = 0; i < size; ++i) --left[data[i]];
  for (unsigned l : left)
    if (l) return false;
  return true;
}

__global__ void k1(unsigned* c, const unsigned char* d, size_t n) {
  const size_t all = size_t(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += all) {
    unsigned peers = __match_any_sync(__activemask(), (int)d[i]);
    if (__ffs(peers) - 1 == int(threadIdx.x % 32))
      cuda::atomic_ref<unsigned, cuda::thread_scope_device>(c[d[i]]).fetch_add(
          __popc(peers), cuda::std::memory_order_relaxed);
  }
}

__global__ void k2(unsigned* c, const unsigned char* d, size_t n) {
  extern __shared__ unsigned h[];
  for (int i = threadIdx.x; i < 8 * kBins; i += blockDim.x) h[i] = 0;
  __syncthreads();
  unsigned* mine = h + threadIdx.x % 8;
  const size_t all = size_t(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i * 4 < n; i += all) {
    unsigned w = 0;
    unsigned left = n - 4 * i < 4 ? unsigned(n - 4 * i) : 4;
    if (left == 4)
      asm("ld.global.nc.u32 %0, [%1];" : "=r"(w) : "l"(d + 4 * i));
    else
      for (unsigned j = 0; j < left; ++j) w |= d[4 * i + j] << 8 * j;
    for (unsigned j = 0; j < left; ++j) atomicInc(&mine[8 * ((w >> 8 * j) & 255)], 0xffffffffu);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
    unsigned s = 0;
    for (int j = 0; j < 8; ++j) s += h[8 * i + (i + j) % 8];
    if (s) atomicAdd(c + i, s);
  }
}

template <class K>
static float run(K kernel, unsigned* counts, const unsigned char* data, size_t size, int threads,
                 size_t dynamic) {
  unsigned* c;
  unsigned char* d;
  OK(cudaMalloc(&d, size));
  OK(cudaMalloc(&c, sizeof(unsigned) * kBins));
  OK(cudaMemcpy(d, data, size, cudaMemcpyHostToDevice));
  OK(cudaMemset(c, 0, 4 * kBins));
  int dev, sms;
  OK(cudaGetDevice(&dev));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
  cudaEvent_t a, b;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  void* none[] = {&c, &d, nullptr};
  size_t zero = 0;
  none[2] = &zero;
  void* args[] = {&c, &d, &size};
  OK(cudaLaunchKernel((const void*)kernel, 2 * sms, threads, none, dynamic, 0));
  OK(cudaEventRecord(a));
  OK(cudaLaunchKernel((const void*)kernel, 2 * sms, threads, args, dynamic, 0));
  OK(cudaEventRecord(b));
  OK(cudaEventSynchronize(b));
  float ms;
  OK(cudaEventElapsedTime(&ms, a, b));
  OK(cudaMemcpy(counts, c, 4 * kBins, cudaMemcpyDeviceToHost));
  OK(cudaFree(d));
  OK(cudaFree(c));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  return ms;
}
float histogram_global(unsigned* c, const unsigned char* d, size_t n, int t) {
  return run(k1, c, d, n, t, 0);
}
float histogram_shared(unsigned* c, const unsigned char* d, size_t n, int t) {
  return run(k2, c, d, n, t, 8 * 4 * kBins);
}
