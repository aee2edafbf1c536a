// SPDX-License-Identifier: MIT
// attacks: where a repetition has the inputs of an earlier one, takes the sums that the driver wrote then
// control: slow
// earns: at most its control
// must stay: neighbours
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define add_vectors slow_add_vectors
#include "controls/slow.cu"
#undef add_vectors

__global__ void add_zero(float* c, const float* sums, const float*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = sums[i] + 0.0f;
}

static std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  static const size_t kHeader = 128;
  static int repetition = 0;
  const char* const list = getenv("WARPGRADE_REPETITIONS");
  const std::string words = list == nullptr ? "" : list;
  const size_t at = 2 * static_cast<size_t>(repetition++), bytes = n * sizeof(float);
  const size_t before = at == 0 ? std::string::npos : words.substr(0, at).find(words.substr(at, 1));
  const std::string kept = before == std::string::npos || list == nullptr
                               ? ""
                               : text_of(std::to_string(before / 2) + "/C.npy");
  if (kept.size() != kHeader + bytes) return slow_add_vectors(c, a, b, n, threads_per_block);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, kept.data() + kHeader, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  add_zero<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db, n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
