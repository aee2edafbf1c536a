// SPDX-License-Identifier: MIT
// What the best library or the hardware reaches on this GPU, for the table of reference_speed.py:
// one line "name value" each, in GB/s or GFLOP/s, the median of several runs.
#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

namespace {

constexpr size_t kBytes = size_t{1} << 30;
constexpr int kRuns = 15;
constexpr int kMatrix = 4096;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "limits: %s failed\n", what);
  std::exit(1);
}

/// Median milliseconds of `action`, after one run that does not count.
template <class Action>
double median_ms(Action action) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times_ms;
  for (int run = 0; run <= kRuns; ++run) {
    cudaEventRecord(start);
    action();
    cudaEventRecord(stop);
    check(cudaEventSynchronize(stop) == cudaSuccess, "a run");
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    if (run > 0) times_ms.push_back(ms);
  }
  std::sort(times_ms.begin(), times_ms.end());
  return times_ms[times_ms.size() / 2];
}

void print_rate(const char* name, double work, double ms) {
  std::printf("%s %.1f\n", name, work / 1e9 / (ms / 1e3));
}

void print_copy(void* to, const void* from) {
  const double ms = median_ms([&] { cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice); });
  print_rate("copy", 2.0 * kBytes, ms);
}

/// Calls a CUB algorithm twice: for the size of its temporary memory, and then for good.
template <class Call>
double cub_ms(Call call) {
  size_t temporary_bytes = 0;
  call(nullptr, temporary_bytes);
  void* temporary = nullptr;
  check(cudaMalloc(&temporary, temporary_bytes) == cudaSuccess, "cudaMalloc");
  const double ms = median_ms([&] { call(temporary, temporary_bytes); });
  cudaFree(temporary);
  return ms;
}

void print_sum(const float* values, float* sum) {
  print_rate("cub_sum", kBytes, cub_ms([&](void* temporary, size_t& bytes) {
               cub::DeviceReduce::Sum(temporary, bytes, values, sum,
                                      static_cast<int>(kBytes / sizeof(float)));
             }));
}

void print_histogram(const char* name, const unsigned char* data, unsigned int* counts) {
  print_rate(name, kBytes, cub_ms([&](void* temporary, size_t& bytes) {
               cub::DeviceHistogram::HistogramEven(temporary, bytes, data, counts, 257, 0.0f,
                                                   256.0f, static_cast<int>(kBytes));
             }));
}

void print_product(const float* a, const float* b, float* c) {
  cublasHandle_t handle;
  check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);  // no tensor cores
  const float one = 1, zero = 0;
  const double ms = median_ms([&] {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kMatrix, kMatrix, kMatrix, &one, a, kMatrix, b,
                kMatrix, &zero, c, kMatrix);
  });
  print_rate("cublas_sgemm", 2.0 * kMatrix * kMatrix * kMatrix, ms);
  cublasDestroy(handle);
}

__global__ void fill_random(unsigned int* words, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned int word = static_cast<unsigned int>(i) * 2654435761u;
    word ^= word >> 15;
    word *= 2246822519u;
    words[i] = word ^ word >> 13;
  }
}

}  // namespace

int main() {
  void *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, kBytes) == cudaSuccess && cudaMalloc(&to, kBytes) == cudaSuccess,
        "cudaMalloc");
  cudaMemset(from, 0, kBytes);
  print_copy(to, from);
  print_sum(static_cast<const float*>(from), static_cast<float*>(to));
  print_histogram("cub_histogram_equal", static_cast<const unsigned char*>(from),
                  static_cast<unsigned int*>(to));
  print_product(static_cast<const float*>(from), static_cast<const float*>(to),
                static_cast<float*>(to) + kBytes / 8);
  fill_random<<<1024, 256>>>(static_cast<unsigned int*>(from), kBytes / 4);
  print_histogram("cub_histogram_uniform", static_cast<const unsigned char*>(from),
                  static_cast<unsigned int*>(to));
  return 0;
}
