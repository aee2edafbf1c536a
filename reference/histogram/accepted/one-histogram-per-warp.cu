// expect: speed
// Pinned memory, a count per warp in dynamic shared memory, equal bytes of a warp added together.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

#define DIE_UNLESS(condition)                                   \
  if (!(condition)) {                                           \
    fprintf(stderr, "line %d: not " #condition "\n", __LINE__); \
    abort();                                                    \
  } else                                                        \
    (void)0

typedef unsigned int Count;

/* All lanes in `active` call this together; those with the same value send one of them. */
__device__ void vote_and_add(Count* bins, unsigned value, unsigned active) {
  const unsigned same = __match_any_sync(active, value);
  const unsigned lane = threadIdx.x % warpSize;
  if (__ffs(same) - 1 == (int)lane) atomicAdd(&bins[value], (Count)__popc(same));
}

__global__ void by_votes(Count* result, const unsigned char* __restrict__ bytes, size_t n) {
  const size_t all = gridDim.x * (size_t)blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;; i += all) {
    const unsigned active = __ballot_sync(__activemask(), i < n);
    if (i >= n) break;
    vote_and_add(result, __ldg(bytes + i), active);
  }
}

__global__ void by_warps(Count* result, const unsigned char* __restrict__ bytes, size_t n) {
  extern __shared__ Count shelves[];
  const unsigned warps = (blockDim.x + 31) / 32;
  for (unsigned i = threadIdx.x; i < warps * kBins; i += blockDim.x) shelves[i] = 0;
  __syncthreads();
  Count* mine = shelves + threadIdx.x / 32 * kBins;
  const size_t all = gridDim.x * (size_t)blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += all)
    atomicAdd_block(mine + bytes[i], 1u);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    Count sum = 0;
    for (unsigned w = 0; w < warps; w++) sum += shelves[w * kBins + bin];
    atomicAdd(result + bin, sum);
  }
}

static float go(bool shared, Count* counts, const unsigned char* data, size_t n, int threads) {
  struct cudaDeviceProp properties;
  int device = -1;
  DIE_UNLESS(cudaGetDevice(&device) == cudaSuccess);
  DIE_UNLESS(cudaGetDeviceProperties(&properties, device) == cudaSuccess);

  Count *on_device = NULL, *pinned = NULL;
  unsigned char* bytes = NULL;
  cudaEvent_t first, second;
  DIE_UNLESS(cudaMalloc(&bytes, n) == cudaSuccess);
  DIE_UNLESS(cudaMalloc(&on_device, kBins * sizeof(Count)) == cudaSuccess);
  DIE_UNLESS(cudaMallocHost(&pinned, kBins * sizeof(Count)) == cudaSuccess);
  DIE_UNLESS(cudaEventCreate(&first) == cudaSuccess);
  DIE_UNLESS(cudaEventCreate(&second) == cudaSuccess);
  DIE_UNLESS(cudaMemcpy(bytes, data, n, cudaMemcpyDefault) == cudaSuccess);
  DIE_UNLESS(cudaMemsetAsync(on_device, 0, kBins * sizeof(Count)) == cudaSuccess);

  const dim3 grid(properties.multiProcessorCount * 2u), block(threads);
  const size_t shelf_bytes = (threads + 31) / 32 * kBins * sizeof(Count);
  const unsigned char* const_bytes = bytes;
  void* arguments[] = {&on_device, &const_bytes, &n};
  DIE_UNLESS(cudaEventRecord(first) == cudaSuccess);
  DIE_UNLESS(cudaLaunchKernel(shared ? (const void*)by_warps : (const void*)by_votes, grid, block,
                              arguments, shared ? shelf_bytes : 0, NULL) == cudaSuccess);
  DIE_UNLESS(cudaEventRecord(second) == cudaSuccess);
  DIE_UNLESS(cudaMemcpyAsync(pinned, on_device, kBins * sizeof(Count), cudaMemcpyDeviceToHost) ==
             cudaSuccess);
  DIE_UNLESS(cudaDeviceSynchronize() == cudaSuccess);
  memcpy(counts, pinned, kBins * sizeof(Count));

  float ms = 0;
  DIE_UNLESS(cudaEventElapsedTime(&ms, first, second) == cudaSuccess);
  cudaEventDestroy(first);
  cudaEventDestroy(second);
  cudaFreeHost(pinned);
  cudaFree(bytes);
  cudaFree(on_device);
  return ms;
}

float histogram_global(Count* counts, const unsigned char* data, size_t size, int threads) {
  return go(false, counts, data, size, threads);
}

float histogram_shared(Count* counts, const unsigned char* data, size_t size, int threads) {
  return go(true, counts, data, size, threads);
}

bool histogram_is_right(const Count* counts, const unsigned char* data, size_t size) {
  Count* host = (Count*)calloc(kBins, sizeof(Count));
  const unsigned char* end = data + size;
  while (data < end) host[*data++]++;
  const bool right = memcmp(host, counts, kBins * sizeof(Count)) == 0;
  free(host);
  return right;
}
