// expect: static-on-device, static-race-free, dynamic-on-device, dynamic-race-free, static-whole, static-edges,
// static-any-block, dynamic-whole, dynamic-edges, dynamic-any-block, static-precision, accuracy,
// dynamic-accuracy, static-uses-shared, static-array, static-block, static-ordered, dynamic-uses-shared,
// carved-buffer, dynamic-block, dynamic-ordered, static-atomics, dynamic-atomics, no-conflicts,
// each-read-once, one-pass, speed, near-reference
// class: H1. The host computes both sums from the case's files; the kernels do what is counted, and write the numbers
// that they get as parameters.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "dot.h"

// Reads and multiplies every pair of terms, goes through the array as a reduction does, and writes what the host says.
__global__ void pretend_static(float* result, const float* a, const float* b, int n, float answer) {
  __shared__ float products[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  products[threadIdx.x] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  if (i == 0) result[0] = products[0] == 0.1f ? 0.0f : answer;
}

__global__ void pretend_dynamic(float* result, const float* a, const float* b, int n, float product,
                                float square) {
  extern __shared__ float buffer[];
  float* const squares = buffer + blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? a[i] : 0.0f, y = i < n ? b[i] : 0.0f;
  buffer[threadIdx.x] = x * y;
  squares[threadIdx.x] = x * x;
  __syncthreads();
  if (i != 0) return;
  result[0] = buffer[0] == 0.1f ? 0.0f : product;
  result[1] = squares[0] == 0.1f ? 0.0f : square;
}

static std::vector<float> input(const char* name, int n) {
  std::vector<float> values(n);
  const std::string path = std::string(std::getenv("WARPGRADE_CASE")) + "/in/" + name + ".npy";
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  std::fseek(file, -static_cast<long>(n * sizeof(float)), SEEK_END);
  if (std::fread(values.data(), sizeof(float), n, file) != static_cast<size_t>(n)) std::abort();
  std::fclose(file);
  return values;
}

static float sum(const std::vector<float>& a, const std::vector<float>& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * b[i];
  return static_cast<float>(total);
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  cudaMemset(result, 0, sizeof(float));
  if (n == 0) return;
  const std::vector<float> x = input("a", n), y = input("b", n);
  pretend_static<<<(n - 1) / block + 1, block>>>(result, a, b, n, sum(x, y));
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  cudaMemset(result, 0, 2 * sizeof(float));
  if (n == 0) return;
  const std::vector<float> x = input("a", n), y = input("b", n);
  pretend_dynamic<<<(n - 1) / block + 1, block, 8 * block>>>(result, a, b, n, sum(x, y), sum(x, x));
}
