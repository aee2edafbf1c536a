// expect: nothing
// Rows by pointers, sizes in a structure, launches in a stream of its own.
// SPDX-License-Identifier: MIT
#include "matadd.h"
struct Sizes {
  int rows, columns;
};
struct Three {
  float* c;
  const float* a;
  const float* b;
};
__global__ void step(Three m, Sizes s) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  bool inside = x < s.columns & y < s.rows;
  if (!inside) return;
  m.c += (ptrdiff_t)y * s.columns;
  m.a += (ptrdiff_t)y * s.columns;
  m.b += (ptrdiff_t)y * s.columns;
  m.c[x] = __ldg(m.a + x) + __ldg(m.b + x);
}
static cudaError_t go(dim3 g, dim3 b, Three m, Sizes s) {
  static cudaStream_t stream = [] {
    cudaStream_t t;
    cudaStreamCreate(&t);
    return t;
  }();
  step<<<g, b, 0, stream>>>(m, s);
  return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
}
cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  return go(1, dim3(n, n, 1), {c, a, b}, {n, n});
}
cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  dim3 g(1 + (columns - 1) / block.x, 1 + (rows - 1) / block.y);
  return go(g, block, {c, a, b}, {rows, columns});
}
