// expect: verification, verification-on-host
// class: G3. The check never looks at bin 0.
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
  for (int v = 1; v < kBins; ++v)
    if (own[v] != counts[v]) return false;
  return true;
}

__global__ void global_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  const size_t stride = size_t(blockDim.x) * gridDim.x;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < size; i += stride)
    atomicAdd(&counts[data[i]], 1u);
}

__global__ void shared_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  constexpr int kCopies = 32;
  __shared__ unsigned int mine[kBins * kCopies];
  for (int v = threadIdx.x; v < kBins * kCopies; v += blockDim.x) mine[v] = 0;
  __syncthreads();
  unsigned int* const own = mine + threadIdx.x % kCopies;
  const size_t stride = size_t(blockDim.x) * gridDim.x,
               me = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  const uint4* const wide = reinterpret_cast<const uint4*>(data);
  const size_t wides = size / 16;
  for (size_t i = me; i < wides; i += stride) {
    const uint4 w = wide[i];
    const unsigned words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int b = 0; b < 32; b += 8) atomicAdd(&own[(words[k] >> b & 255u) * kCopies], 1u);
  }
  for (size_t i = wides * 16 + me; i < size; i += stride) atomicAdd(&own[data[i] * kCopies], 1u);
  __syncthreads();
  for (int v = threadIdx.x; v < kBins; v += blockDim.x) {
    unsigned int sum = 0;
    for (int c = 0; c < kCopies; ++c) sum += mine[v * kCopies + (c + v) % kCopies];
    if (sum != 0) atomicAdd(&counts[v], sum);
  }
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
  HANDLE_ERROR(cudaEventDestroy(stop));
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
