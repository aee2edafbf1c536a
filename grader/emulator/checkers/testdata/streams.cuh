// SPDX-License-Identifier: MIT
// What programs of racing streams and their race-free twins share: streams.cu, streams_host.cu, streams_piled_up.cu.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kCount = 1 << 12, kBlock = 256;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void fill(int* to, int value) { to[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add_one(int* to) { to[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void copy(int* to, const int* from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void copy_bytes(unsigned char* to, const unsigned char* from, int phase) {
  const unsigned i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
  to[i] = from[i];
}
__global__ void count(int* counter) { atomicAdd(counter, 1); }
__global__ void count_in_block(int* counter) { atomicAdd_block(counter, 1); }
__global__ void publish(int* data, volatile int* flag) {
  data[threadIdx.x] = 7;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) *flag = 1;
}
__global__ void consume(int* to, const int* data, volatile int* flag) {
  while (*flag == 0) {
  }
  __threadfence();
  to[threadIdx.x] = data[threadIdx.x];
}

/// Two streams, device arrays x, y, z of kCount ints that hold zeros, and page-locked memory.
struct Bench {
  explicit Bench(unsigned flags) {
    cudaMalloc(&x, kBytes);
    cudaMalloc(&y, kBytes);
    cudaMalloc(&z, kBytes);
    cudaMallocHost(&pinned, kBytes);
    cudaMallocHost(&sum, sizeof *sum);
    cudaMallocManaged(&managed, kBytes);
    std::memset(pinned, 0, kBytes);
    std::memset(managed, 0, kBytes);
    *sum = 0;
    for (int* each : {x, y, z}) cudaMemset(each, 0, kBytes);
    cudaStreamCreateWithFlags(&a, flags);
    cudaStreamCreateWithFlags(&b, flags);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaDeviceSynchronize();
  }
  ~Bench() {
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    for (int* each : {x, y, z}) cudaFree(each);
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaFreeHost(sum);
  }

  int *x, *y, *z, *pinned, *sum, *managed;
  cudaStream_t a, b;
  cudaEvent_t event;
};

void launch_fill(int* to, int value, cudaStream_t stream) {
  fill<<<kCount / kBlock, kBlock, 0, stream>>>(to, value);
}
void launch_copy(int* to, const int* from, cudaStream_t stream) {
  copy<<<kCount / kBlock, kBlock, 0, stream>>>(to, from);
}

#define STREAMS(name)  \
  template <bool Racy> \
  void name(Bench& m)

struct Case {
  const char* name;
  void (*racy)(Bench&);
  void (*race_free)(Bench&);
};

#define CASE(name) \
  { #name, name < true>, name < false> }

/// PROGRAM [racy|race_free NAME]
template <size_t Count>
int run(const Case (&cases)[Count], int argc, char** argv) {
  for (const Case& one : cases) {
    if (argc < 3) {
      std::puts(one.name);
    } else if (std::strcmp(argv[2], one.name) == 0) {
      Bench bench(cudaStreamNonBlocking);
      (std::strcmp(argv[1], "racy") == 0 ? one.racy : one.race_free)(bench);
    }
  }
  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
}

}  // namespace
