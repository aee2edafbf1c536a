// expect: static-on-device, dynamic-on-device, static-whole, static-edges, static-any-block,
// dynamic-whole, dynamic-edges, dynamic-any-block, static-precision, accuracy, dynamic-accuracy,
// static-array, static-ordered, carved-buffer, dynamic-ordered, static-atomics, dynamic-atomics,
// no-conflicts, each-read-once, one-pass, speed, near-reference, static-block, dynamic-block
// class: H1. Copies the vectors to the host, computes there, and copies the results back.
// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <numeric>
#include <vector>

#include "dot.h"

static std::vector<float> fetch(const float* device, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
  return host;
}

static float dot(const std::vector<float>& x, const std::vector<float>& y) {
  return static_cast<float>(std::inner_product(x.begin(), x.end(), y.begin(), 0.0));
}

void dot_static(float* result, const float* a, const float* b, int n, int) {
  const float product = dot(fetch(a, n), fetch(b, n));
  cudaMemcpy(result, &product, sizeof(float), cudaMemcpyHostToDevice);
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int) {
  const std::vector<float> x = fetch(a, n);
  const float both[2] = {dot(x, fetch(b, n)), dot(x, x)};
  cudaMemcpy(result, both, sizeof both, cudaMemcpyHostToDevice);
}
