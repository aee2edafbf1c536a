// expect: nothing
// Clears by a kernel of its own, which is longer than a pass and not timed.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include "bandwidth.h"

#define TRY(x)                                                                 \
  do {                                                                         \
    cudaError_t e_ = (x);                                                      \
    if (e_ != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

template <class T>
__global__ void offset(T* a, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + s] += T(1);
}

template <class T>
__global__ void stride(T* a, int n, int s) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) a[i * s] += T(1);
}

__global__ void clear(unsigned* a, size_t words) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < words;
       i += size_t(gridDim.x) * blockDim.x)
    a[i] = 0u;
}

template <class T>
static void touch_as(Access access, void* a, int n, int s) {
  const int blocks = (n + 255) / 256;
  if (access == Access::kOffset)
    offset<T><<<blocks, 256>>>(static_cast<T*>(a), n, s);
  else
    stride<T><<<blocks, 256>>>(static_cast<T*>(a), n, s);
  TRY(cudaGetLastError());
}

void touch(Access access, Type type, void* a, int n, int s) {
  if (type == Type::kInt) touch_as<int>(access, a, n, s);
  if (type == Type::kFloat) touch_as<float>(access, a, n, s);
  if (type == Type::kDouble) touch_as<double>(access, a, n, s);
}

double gb_per_s(int n, int element_bytes, float ms) {
  return 2.0 * n * element_bytes / (ms * 1e-3) / 1e9;
}

void sweep(Access access, Type type, int n, Measurement* rows) {
  const int bytes = type == Type::kDouble ? 8 : 4;
  const int first = access == Access::kOffset ? 0 : 1;
  const int count = access == Access::kOffset ? kOffsetRows : kStrideRows;
  const size_t elements = access == Access::kOffset ? size_t(n) + 32 : (size_t(n) - 1) * 32 + 1;
  void* a;
  TRY(cudaMalloc(&a, elements * bytes));
  clear<<<64, 128>>>(static_cast<unsigned*>(a), elements * bytes / 4);
  TRY(cudaGetLastError());
  cudaEvent_t start, stop;
  TRY(cudaEventCreate(&start));
  TRY(cudaEventCreate(&stop));
  touch(access, type, a, n, first);
  for (int k = 0; k < count; ++k) {
    const int s = first + k;
    TRY(cudaEventRecord(start));
    touch(access, type, a, n, s);
    TRY(cudaEventRecord(stop));
    TRY(cudaEventSynchronize(stop));
    float ms;
    TRY(cudaEventElapsedTime(&ms, start, stop));
    rows[k] = {s, ms, gb_per_s(n, bytes, ms)};
  }
  TRY(cudaEventDestroy(start));
  TRY(cudaEventDestroy(stop));
  TRY(cudaFree(a));
}

__global__ void gather_kernel(Pattern pattern, int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int w = i / 32;
  int at = 0;
  switch (pattern) {
    case Pattern::kAligned:
      at = i;
      break;
    case Pattern::kPermuted:
      at = 32 * w + 31 - i % 32;
      break;
    case Pattern::kMisaligned:
      at = i + 1;
      break;
    case Pattern::kSameWord:
      at = 32 * w;
      break;
    case Pattern::kScattered:
      at = 32 * i;
      break;
  }
  to[i] = from[at];
}

void gather(Pattern pattern, int* to, const int* from, int n) {
  gather_kernel<<<(n + 255) / 256, 256>>>(pattern, to, from, n);
  TRY(cudaGetLastError());
}

Traffic traffic_of(const uint64_t* addresses, int element_bytes) {
  std::set<uint64_t> bytes, lines, sectors;
  for (int t = 0; t < 32; ++t) {
    bytes.insert(addresses[t]);
    lines.insert(addresses[t] / 128);
    sectors.insert(addresses[t] / 32);
  }
  return {int(bytes.size()) * element_bytes, int(lines.size()), int(sectors.size())};
}
