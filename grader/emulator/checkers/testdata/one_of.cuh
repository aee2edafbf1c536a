// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// A program of several kernels: lists their names, or runs the one named with 96 threads.

struct OneOf {
  const char* name;
  void (*kernel)(int*);
};

#define ONE_OF(kernel) \
  { #kernel, kernel }

template <size_t Count>
int run_one_of(const OneOf (&kernels)[Count], int argc, char** argv) {
  for (const OneOf& one : kernels) {
    if (argc < 2) {
      std::puts(one.name);
    } else if (std::strcmp(argv[1], one.name) == 0) {
      constexpr size_t kBytes = 1024 * sizeof(int);
      int* out = nullptr;
      cudaMalloc(&out, kBytes);
      cudaMemset(out, 0, kBytes);
      void* arguments[] = {&out};
      cudaLaunchKernel(reinterpret_cast<const void*>(one.kernel), dim3(1), dim3(96), arguments, 0,
                       nullptr);
      cudaDeviceSynchronize();
      cudaGetLastError();
      cudaFree(out);
      cudaGetLastError();
    }
  }
  return 0;
}
