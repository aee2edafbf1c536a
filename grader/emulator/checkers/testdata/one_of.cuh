// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// A program of several cases: lists their names, or runs the one named. A case is a kernel, launched
// with 96 threads, or a host function.

struct OneOf {
  const char* name;
  void (*run)(int*);
  bool on_host = false;
};

#define ONE_OF(kernel) \
  { #kernel, kernel }
#define ONE_OF_HOST(function) \
  { #function, function, true }

template <size_t Count>
int run_one_of(const OneOf (&cases)[Count], int argc, char** argv) {
  for (const OneOf& one : cases) {
    if (argc < 2) {
      std::puts(one.name);
    } else if (std::strcmp(argv[1], one.name) == 0 && one.on_host) {
      one.run(nullptr);
    } else if (std::strcmp(argv[1], one.name) == 0) {
      constexpr size_t kBytes = 1024 * sizeof(int);
      int* out = nullptr;
      cudaMalloc(&out, kBytes);
      cudaMemset(out, 0, kBytes);
      void* arguments[] = {&out};
      cudaLaunchKernel(reinterpret_cast<const void*>(one.run), dim3(1), dim3(96), arguments, 0,
                       nullptr);
      cudaDeviceSynchronize();
      cudaGetLastError();
      cudaFree(out);
      cudaGetLastError();
    }
  }
  return 0;
}
