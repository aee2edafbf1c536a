// expect: nothing
// SPDX-License-Identifier: MIT
#include "@slug@.h"

// Right, and unlike the model answer: the grid does not depend on n, and each thread takes several
// elements a grid apart.
__global__ void step(float* y, float a, const float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fmaf(a, x[i], y[i]);
}

void saxpy(float* y, float a, const float* x, int n) {
  float* both;
  const size_t bytes = sizeof(float) * n;
  if (n == 0 || cudaMalloc(&both, 2 * bytes) != cudaSuccess) return;
  cudaMemcpy(both, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(both + n, y, bytes, cudaMemcpyHostToDevice);
  step<<<512, 128>>>(both + n, a, both, n);
  cudaMemcpy(y, both + n, bytes, cudaMemcpyDeviceToHost);
  cudaFree(both);
}
