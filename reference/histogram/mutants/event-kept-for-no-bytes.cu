// expect: global-freed, shared-freed, speed
// class: H3. Where there are no bytes, the second event is never destroyed.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "histogram.h"
#define HANDLE_ERROR(call)                                                          \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s in line %d\n", cudaGetErrorString(error), __LINE__); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size) {
  unsigned int own[kBins] = {};
  for (size_t i = 0; i < size; ++i) ++own[data[i]];
  for (int v = 0; v < kBins; ++v)
    if (own[v] != counts[v]) return false;
  return true;
}

__global__ void global_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  const size_t stride = size_t(blockDim.x) * gridDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < size; i += stride)
    atomicAdd(&counts[data[i]], 1u);
}

__global__ void shared_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  __shared__ unsigned int mine[kBins];
  for (int v = threadIdx.x; v < kBins; v += blockDim.x) mine[v] = 0;
  __syncthreads(); /*Z*/
  const size_t stride = size_t(blockDim.x) * gridDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < size; i += stride)
    atomicAdd(&mine[data[i]], 1u);
  __syncthreads(); /*A*/
  for (int v = threadIdx.x; v < kBins; v += blockDim.x) atomicAdd(&counts[v], mine[v]);
}

static int block_count() {
  int device = 0;
  HANDLE_ERROR(cudaGetDevice(&device));
  cudaDeviceProp properties;
  HANDLE_ERROR(cudaGetDeviceProperties(&properties, device));
  return 2 * properties.multiProcessorCount;
}

static float run(void (*kernel)(unsigned int*, const unsigned char*, size_t), unsigned int* counts,
                 const unsigned char* data, size_t size, int threads) {
  unsigned char* bytes;
  unsigned int* bins;
  HANDLE_ERROR(cudaMalloc(&bytes, size));
  HANDLE_ERROR(cudaMalloc(&bins, kBins * sizeof(unsigned int)));
  HANDLE_ERROR(cudaMemcpy(bytes, data, size, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMemset(bins, 0, kBins * sizeof(unsigned int)));
  const int blocks = block_count();
  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(bins, bytes, size);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaEventRecord(stop));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  float ms = 0;
  HANDLE_ERROR(cudaEventElapsedTime(&ms, start, stop));
  HANDLE_ERROR(cudaMemcpy(counts, bins, kBins * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaEventDestroy(start));
  if (size) HANDLE_ERROR(cudaEventDestroy(stop));
  HANDLE_ERROR(cudaFree(bytes));
  HANDLE_ERROR(cudaFree(bins));
  return ms;
}

float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run(global_kernel, counts, data, size, threads);
}
float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run(shared_kernel, counts, data, size, threads);
}
