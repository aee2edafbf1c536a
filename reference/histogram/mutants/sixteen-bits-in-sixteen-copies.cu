// expect: shared-full, speed?
// class: O1. A block has 16 copies of its counts, of 16 bits each; one thread alone counts in one of them.
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
  static size_t expected[kBins];
  memset(expected, 0, sizeof expected);
  for (size_t i = 0; i < size; ++i) expected[data[i]]++;
  for (int v = 0; v < kBins; ++v)
    if (expected[v] != counts[v]) return false;
  return true;
}

__global__ void global_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    atomicAdd(&counts[data[i]], 1);
}

// word (v / 2) * 16 + copy holds the counts of v (even: lower half, odd: upper half)
__global__ void shared_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  __shared__ unsigned packed[kBins / 2 * 16];
  for (int k = threadIdx.x; k < kBins / 2 * 16; k += blockDim.x) packed[k] = 0;
  __syncthreads();
  int copy = threadIdx.x % 16;
  auto add = [&](unsigned v) { atomicAdd(&packed[v / 2 * 16 + copy], v & 1 ? 0x10000u : 1u); };
  size_t stride = (size_t)gridDim.x * blockDim.x,
         first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const uint4* wide = (const uint4*)data;
  for (size_t i = first; i < size / 16; i += stride) {
    uint4 four = wide[i];
    unsigned words[4] = {four.x, four.y, four.z, four.w};
    for (int k = 0; k < 4; ++k)
      for (int b = 0; b < 32; b += 8) add(words[k] >> b & 255);
  }
  for (size_t i = size / 16 * 16 + first; i < size; i += stride) add(data[i]);
  __syncthreads();
  for (int v = threadIdx.x; v < kBins; v += blockDim.x) {
    unsigned sum = 0;
    for (int c = 0; c < 16; ++c) sum += packed[v / 2 * 16 + c] >> (v & 1) * 16 & 0xffff;
    atomicAdd(&counts[v], sum);
  }
}

static int block_count() {
  int device;
  cudaDeviceProp p;
  HANDLE_ERROR(cudaGetDevice(&device));
  HANDLE_ERROR(cudaGetDeviceProperties(&p, device));
  return 2 * p.multiProcessorCount;
}

typedef void (*Kernel)(unsigned*, const unsigned char*, size_t);
static float run(Kernel kernel, unsigned int* counts, const unsigned char* data, size_t size,
                 int threads) {
  unsigned char* d_data;
  unsigned* d_counts;
  HANDLE_ERROR(cudaMalloc(&d_data, size));
  HANDLE_ERROR(cudaMalloc(&d_counts, kBins * sizeof(unsigned)));
  HANDLE_ERROR(cudaMemcpy(d_data, data, size, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMemset(d_counts, 0, kBins * sizeof(unsigned)));
  int blocks = block_count();
  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(d_counts, d_data, size);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaEventRecord(stop));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  float ms;
  HANDLE_ERROR(cudaEventElapsedTime(&ms, start, stop));
  HANDLE_ERROR(cudaMemcpy(counts, d_counts, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));
  HANDLE_ERROR(cudaFree(d_data));
  HANDLE_ERROR(cudaFree(d_counts));
  return ms;
}

float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run(global_kernel, counts, data, size, threads);
}
float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run(shared_kernel, counts, data, size, threads);
}
