// expect: sweep-on-device, sweep-strides, rows, timed, warm-up, cleared, freed
// class: G1. Allocates n elements, though strides of 32 reach 32 times as far.
// SPDX-License-Identifier: MIT
#include "bandwidth.h"

#include <algorithm>
#include <vector>

/* One kernel for both: element number i * step + shift. */
template <typename T>
__global__ void bump(T* a, int n, size_t step, size_t shift) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) a[i * step + shift] = a[i * step + shift] + (T)1;
}

static void launch(Access access, Type type, void* a, int n, int s, cudaStream_t stream) {
  size_t step = access == Access::kStride ? s : 1;
  size_t shift = access == Access::kOffset ? s : 0;
  int blocks = (n + 255) / 256;
  if (type == Type::kInt)
    bump<<<blocks, 256, 0, stream>>>((int*)a, n, step, shift);
  else if (type == Type::kFloat)
    bump<<<blocks, 256, 0, stream>>>((float*)a, n, step, shift);
  else
    bump<<<blocks, 256, 0, stream>>>((double*)a, n, step, shift);
}

void touch(Access access, Type type, void* a, int n, int s) { launch(access, type, a, n, s, 0); }

double gb_per_s(int n, int element_bytes, float ms) {
  double bytes = (double)n * element_bytes * 2;
  double seconds = ms / 1000.0;
  return bytes / seconds / 1e9;
}

void sweep(Access access, Type type, int n, Measurement* rows) {
  int width = type == Type::kDouble ? 8 : 4;
  size_t bytes = (size_t)n * width;
  cudaStream_t stream;
  cudaEvent_t t0, t1;
  void* a;
  cudaStreamCreate(&stream);
  cudaEventCreate(&t0);
  cudaEventCreate(&t1);
  cudaMalloc(&a, bytes);
  int count = access == Access::kOffset ? kOffsetRows : kStrideRows;
  cudaMemsetAsync(a, 0, bytes, stream);
  launch(access, type, a, n, 1, stream);
  for (int k = 0; k < count; k++) {
    int s = access == Access::kOffset ? k : k + 1;
    float ms;
    cudaMemsetAsync(a, 0, bytes, stream);
    cudaEventRecord(t0, stream);
    launch(access, type, a, n, s, stream);
    cudaEventRecord(t1, stream);
    cudaStreamSynchronize(stream);
    cudaEventElapsedTime(&ms, t0, t1);
    rows[k].s = s;
    rows[k].ms = ms;
    rows[k].gb_per_s = gb_per_s(n, width, ms);
  }
  cudaFree(a);
  cudaEventDestroy(t0);
  cudaEventDestroy(t1);
  cudaStreamDestroy(stream);
}

__global__ void aligned(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void permuted(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i ^ 31];
}

__global__ void misaligned(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i + 1];
}

__global__ void same_word(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i & ~31];
}

__global__ void scattered(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[32 * i];
}

void gather(Pattern pattern, int* to, const int* from, int n) {
  void (*kernels[])(int*, const int*, int) = {aligned, permuted, misaligned, same_word, scattered};
  kernels[(int)pattern]<<<(n + 127) / 128, 128>>>(to, from, n);
}

static int different(std::vector<uint64_t> v) {
  std::sort(v.begin(), v.end());
  return std::unique(v.begin(), v.end()) - v.begin();
}

Traffic traffic_of(const uint64_t* addresses, int element_bytes) {
  std::vector<uint64_t> words(addresses, addresses + 32), lines, sectors;
  for (uint64_t w : words) {
    lines.push_back(w >> 7);
    sectors.push_back(w >> 5);
  }
  Traffic t;
  t.useful_bytes = element_bytes * different(words);
  t.lines = different(lines);
  t.sectors = different(sectors);
  return t;
}
