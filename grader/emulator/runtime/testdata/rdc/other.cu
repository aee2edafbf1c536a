// SPDX-License-Identifier: MIT
#include "emulator/runtime/testdata/expect.h"

__device__ int counter;
__constant__ float factors[4] = {1, 2, 3, 4};
static __device__ int own = 1000;
static __device__ int helper(int x) { return x * 3; }
__device__ int triple(int x) { return helper(x); }
__global__ void add_thousand(int* out) {
  out[threadIdx.x] += own;
  if (out[threadIdx.x] < 0) printf("negative\n");
}

int counted() {
  int count = 0;
  EXPECT_SUCCESS(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  return count;
}
