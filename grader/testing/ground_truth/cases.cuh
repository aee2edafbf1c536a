// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

// What the programs of the ground truth share. Each prints one line per launch, in order:
//   case <tab> name <tab> what differs <tab> why
// With the argument "occupancy" they launch nothing and print what the device says of each kernel:
//   occupancy <tab> name <tab> registers, static shared and local bytes <tab> blocks per
//   multiprocessor for each of kBlockSizes

inline constexpr int kBlockSizes[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};

inline bool& only_occupancy() {
  static bool only = false;
  return only;
}

/// `what` the next launch's SASS is known to do otherwise than its PTX, in words of compare.py.
struct Differs {
  const char* what = "-";
  const char* why = "-";
};

inline void expect_success(cudaError_t error, const char* name) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", name, cudaGetErrorName(error));
  std::exit(1);
}

inline void print_occupancy(const char* name, const void* kernel, size_t shared) {
  cudaFuncAttributes attributes;
  expect_success(cudaFuncGetAttributes(&attributes, kernel), name);
  std::printf("occupancy\t%s\t%d\t%zu\t%zu\t%zu\t%d", name, attributes.numRegs,
              attributes.sharedSizeBytes, shared, attributes.localSizeBytes,
              attributes.maxThreadsPerBlock);
  for (const int threads : kBlockSizes) {
    int blocks = 0;
    if (threads <= attributes.maxThreadsPerBlock) {
      expect_success(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared), name);
    }
    std::printf("\t%d", blocks);
  }
  std::printf("\n");
}

template <class... Parameters>
void launch(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
            Differs differs, std::type_identity_t<Parameters>... arguments) {
  const void* const function = reinterpret_cast<const void*>(kernel);
  if (only_occupancy()) return print_occupancy(name, function, shared);
  std::printf("case\t%s\t%s\t%s\n", name, differs.what, differs.why);
  void* list[] = {&arguments...};
  expect_success(cudaLaunchKernel(function, grid, block, list, shared, nullptr), name);
  expect_success(cudaDeviceSynchronize(), name);
}

/// Zeroed device memory.
template <class T>
T* zeros(size_t count) {
  T* memory = nullptr;
  expect_success(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  expect_success(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
  return memory;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* const memory = zeros<T>(values.size());
  expect_success(
      cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
      "cudaMemcpy");
  return memory;
}

/// The same numbers in every run.
class Numbers {
 public:
  unsigned below(unsigned limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state_ >> 33) % limit;
  }

 private:
  unsigned long long state_ = 1;
};

inline void read_arguments(int count, char** arguments) {
  only_occupancy() = count > 1 && arguments[1][0] == 'o';
}
