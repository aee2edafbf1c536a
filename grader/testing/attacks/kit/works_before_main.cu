// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

// An attack may give the kernel that works early another name.
#ifndef EARLY_KERNEL
#define EARLY_KERNEL add_early
#endif

__global__ void EARLY_KERNEL(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; ++k)
    if (i < n) reinterpret_cast<volatile float*>(c)[i] = a[i] + b[i];
}

__global__ void copy_sums(float* c, const float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = static_cast<float>(i);
  x = x + 1.0f;
  if (i < n) c[i] = x == -1.0f ? x : sums[i];
}

static float* sums[8];

static std::vector<float> read(const std::string& path) {
  static const size_t kHeader = 128;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() <= kHeader) return {};
  const auto* const values = reinterpret_cast<const float*>(text.data() + kHeader);
  return {values, values + (text.size() - kHeader) / sizeof(float)};
}

__attribute__((constructor(65535))) static void work_early() {
  const std::string folder =
      std::string(getenv("WARPGRADE_CASE") ? getenv("WARPGRADE_CASE") : ".") + "/in/";
  for (int k = 0; k < 8; ++k) {
    const std::string in =
        folder + (getenv("WARPGRADE_REPETITIONS") ? std::to_string(k) + "/" : "");
    const std::vector<float> a = read(in + "A.npy"), b = read(in + "B.npy");
    const int n = static_cast<int>(a.size());
    if (n == 0 || b.size() != a.size()) continue;
    float *da = nullptr, *db = nullptr;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&sums[k], n * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    EARLY_KERNEL<<<(n + 255) / 256, 256>>>(sums[k], da, db, n);
    cudaFree(da);
    cudaFree(db);
  }
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  static int call = 0;
  const char* const list = getenv("WARPGRADE_REPETITIONS");
  const int which = list == nullptr ? 0 : list[2 * call++] - '0';
  const size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  copy_sums<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, sums[which],
                                                                                    n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
