// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// Pairs of kernels: TWIN(name) defines a racy and a race-free version of one idea. Lines that end
// with "// race" are the ones at which the racy version may be caught; twins_test.py reads them.

constexpr int kInts = 1 << 14;
constexpr int kWords = 1 << 12;

/// in: numbers of one to 97; out and words: zeros.
#define TWIN(name)     \
  template <bool Racy> \
  __global__ void name(const int* in, int* out, unsigned* words)

using Kernel = void (*)(const int*, int*, unsigned*);

struct Case {
  const char* name;
  Kernel racy, race_free;
  int blocks, threads;
  size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

#define CASE(name, ...) \
  { #name, name < true>, name < false>, __VA_ARGS__ }

/// Zero where there was no error; adds up what the kernel wrote.
inline int run(const Case& one, Kernel kernel, const int* in, int* out, unsigned* words) {
  cudaMemset(out, 0, kInts * sizeof(int));
  cudaMemset(words, 0, kWords * sizeof(unsigned));
  void* arguments[] = {&in, &out, &words};
  const void* function = reinterpret_cast<const void*>(kernel);
  const cudaError_t launched =
      one.cooperative ? cudaLaunchCooperativeKernel(function, dim3(one.blocks), dim3(one.threads),
                                                    arguments, one.dynamic_shared_bytes, nullptr)
                      : cudaLaunchKernel(function, dim3(one.blocks), dim3(one.threads), arguments,
                                         one.dynamic_shared_bytes, nullptr);
  const cudaError_t error = launched != cudaSuccess ? launched : cudaDeviceSynchronize();
  static int results[kInts];
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (const int result : results) sum += static_cast<unsigned>(result);
  std::printf("%s %u\n", one.name, sum);
  if (error != cudaSuccess) std::printf("%s: %s\n", one.name, cudaGetErrorString(error));
  return error != cudaSuccess;
}

/// PROGRAM racy|race_free [NAME]
template <size_t Count>
int run_twins(const Case (&cases)[Count], int argc, char** argv) {
  static int numbers[kInts];
  for (int i = 0; i < kInts; ++i) numbers[i] = i * 7 % 97 + 1;
  int *in, *out;
  unsigned* words;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, kInts * sizeof(int));
  cudaMalloc(&words, kWords * sizeof(unsigned));
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  const bool racy = argc > 1 && std::strcmp(argv[1], "racy") == 0;
  int failures = 0;
  for (const Case& one : cases) {
    if (argc > 2 && std::strcmp(argv[2], one.name) != 0) continue;
    failures += run(one, racy ? one.racy : one.race_free, in, out, words);
  }
  cudaFree(in);
  cudaFree(out);
  cudaFree(words);
  return failures;
}
