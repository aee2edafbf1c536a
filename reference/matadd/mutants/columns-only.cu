// expect: edges, edges-added, idle, guarded, edges-shape
// class: G1. Only the columns are guarded, so that surplus rows lie behind the matrix.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "matadd.h"

template <int kDummy>
__global__ void addKernel(const float* A, const float* B, float* C, unsigned, unsigned width) {
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned col = tx + blockDim.x * blockIdx.x;
  unsigned row = ty + blockDim.y * blockIdx.y;
  {
    if (col < width) {
      unsigned at = row * width + col;
      float left = A[at];
      float right = B[at];
      C[at] = left + right;
    }
  }
}

cudaError_t add_matrices(float* C, const float* A, const float* B, int height, int width,
                         dim3 block) {
  dim3 grid((unsigned)ceil((double)width / block.x), (unsigned)ceil((double)height / block.y), 1);
  void* args[] = {&A, &B, &C, &height, &width};
  return cudaLaunchKernel((const void*)addKernel<0>, grid, block, args, 0, 0);
}

cudaError_t add_in_one_block(float* C, const float* A, const float* B, int n) {
  return add_matrices(C, A, B, n, n, dim3(n, n, 1));
}
