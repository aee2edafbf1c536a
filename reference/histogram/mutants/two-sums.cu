// expect: verification, verification-on-host
// class: A3. The verification compares the number of bytes and their sum, not each bin.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  unsigned long long many = 0, sum = 0, bytes = 0;
  for (int v = 0; v < kBins; ++v) {
    many += counts[v];
    sum += 1ull * v * counts[v];
  }
  for (size_t i = 0; i < size; ++i) bytes += data[i];
  return many == size && sum == bytes;
}

__global__ void k1(unsigned* c, const unsigned char* d, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    atomicAdd(c + d[i], 1);
}

__global__ void k2(unsigned* c, const unsigned char* d, size_t n) {
  __shared__ unsigned h[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) h[i] = 0;
  __syncthreads();
  const uint4* v = (const uint4*)d;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n / 16;
       i += size_t(gridDim.x) * blockDim.x) {
    uint4 q = v[i];
    unsigned w[4] = {q.x, q.y, q.z, q.w};
    for (int j = 0; j < 16; ++j) atomicAdd(&h[(w[j / 4] >> (j % 4 * 8)) & 255], 1u);
  }
  for (size_t i = n / 16 * 16 + blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    atomicAdd(&h[d[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(c + i, h[i]);
}

template <class K>
static float run(K kernel, unsigned* counts, const unsigned char* data, size_t size, int threads) {
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
  OK(cudaEventRecord(a));
  kernel<<<2 * sms, threads>>>(c, d, size);
  OK(cudaGetLastError());
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
  return run(k1, c, d, n, t);
}
float histogram_shared(unsigned* c, const unsigned char* d, size_t n, int t) {
  return run(k2, c, d, n, t);
}
