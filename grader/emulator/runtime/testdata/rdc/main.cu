// SPDX-License-Identifier: MIT
// Relocatable device code: this file uses functions, variables and a kernel of another.
#include "emulator/runtime/testdata/expect.h"

extern __device__ int counter;
extern __constant__ float factors[4];
__device__ int triple(int x);
__global__ void add_thousand(int* out);
int counted();

static __device__ int own = 5;
static __device__ int helper(int x) { return x + own; }

__global__ void use(int* out, float* scaled) {
  out[threadIdx.x] = helper(triple(threadIdx.x));
  scaled[threadIdx.x] = factors[threadIdx.x & 3];
  atomicAdd(&counter, 1);
}

int main() {
  int* out;
  float* scaled;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 32 * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&scaled, 32 * sizeof(float)));
  use<<<1, 32>>>(out, scaled);
  add_thousand<<<1, 32>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[31] == 31 * 3 + 5 + 1000);
  EXPECT(scaled[2] == 3);
  EXPECT(counted() == 32);
  return failures;
}
