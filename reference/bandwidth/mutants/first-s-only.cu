// expect: sweep-strides, rows
// class: G3. Each row times the first s, and says otherwise.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include "bandwidth.h"
#define OK(x)                                               \
  do {                                                      \
    cudaError_t e_ = (x);                                   \
    if (e_) {                                               \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(e_)); \
      std::abort();                                         \
    }                                                       \
  } while (0)
template <class T, Access A>
__global__ void pass(T* a, unsigned n, size_t s) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  T* p = A == Access::kOffset ? a + i + s : a + i * s;
  *p = *p + T(1);
}
template <class T>
static void launch(Access access, void* a, int n, int s, cudaStream_t st) {
  auto f = access == Access::kOffset ? pass<T, Access::kOffset> : pass<T, Access::kStride>;
  unsigned un = n;
  size_t us = s;
  void* args[] = {&a, &un, &us};
  OK(cudaLaunchKernel((const void*)f, (n + 255ll) / 256, 256, args, 0, st));
}
static void launch(Access access, Type t, void* a, int n, int s, cudaStream_t st) {
  (t == Type::kInt     ? launch<int>
   : t == Type::kFloat ? launch<float>
                       : launch<double>)(access, a, n, s, st);
}
void touch(Access access, Type type, void* a, int n, int s) {
  launch(access, type, a, n, s, nullptr);
}
double gb_per_s(int n, int element_bytes, float ms) { return 2e-6 * n * element_bytes / ms; }
void sweep(Access access, Type type, int n, Measurement* rows) {
  const size_t size = type == Type::kDouble ? 8 : 4,
               elements = access == Access::kOffset ? size_t(n) + 32 : (size_t(n) - 1) * 32 + 1;
  void* a;
  OK(cudaMalloc(&a, elements * size));
  cudaStream_t st;
  OK(cudaStreamCreate(&st));
  OK(cudaMemsetAsync(a, 0, elements * size, st));
  const int least = access == Access::kStride, count = 33 - least;
  cudaEvent_t ev[66];
  for (auto& e : ev) OK(cudaEventCreate(&e));
  launch(access, type, a, n, least, st);
  for (int k = 0; k < count; ++k) {  // everything in the queue first, times later
    OK(cudaEventRecord(ev[2 * k], st));
    launch(access, type, a, n, least, st);
    OK(cudaEventRecord(ev[2 * k + 1], st));
  }
  OK(cudaStreamSynchronize(st));
  for (int k = 0; k < count; ++k) {
    float ms;
    OK(cudaEventElapsedTime(&ms, ev[2 * k], ev[2 * k + 1]));
    rows[k] = {least + k, ms, gb_per_s(n, (int)size, ms)};
  }
  for (auto& e : ev) OK(cudaEventDestroy(e));
  OK(cudaStreamDestroy(st));
  OK(cudaFree(a));
}
template <class F>
__global__ void copy_by(F where, int* to, const int* from, int n) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
       i += (long long)gridDim.x * blockDim.x)
    to[i] = __ldg(from + where(i));
}
struct Where {
  Pattern p;
  __device__ long long operator()(long long i) const {
    switch (p) {
      case Pattern::kAligned:
        return i;
      case Pattern::kPermuted:
        return i ^ 31;
      case Pattern::kMisaligned:
        return i + 1;
      case Pattern::kSameWord:
        return i & ~31ll;
      default:
        return 32 * i;
    }
  }
};
void gather(Pattern pattern, int* to, const int* from, int n) {
  copy_by<<<std::min(64, (n + 127) / 128), 128>>>(Where{pattern}, to, from, n);
  OK(cudaGetLastError());
}
Traffic traffic_of(const uint64_t* a, int element_bytes) {
  std::set<uint64_t> b, l, s;
  for (int t = 0; t < 32; ++t)
    for (int k = 0; k < element_bytes; ++k) {
      b.insert(a[t] + k);
      l.insert((a[t] + k) >> 7);
      s.insert((a[t] + k) >> 5);
    }
  return {(int)b.size(), (int)l.size(), (int)s.size()};
}
