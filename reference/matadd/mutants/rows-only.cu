// expect: edges, edges-added, idle, guarded, edges-shape
// class: G1. Only the rows are guarded: surplus columns run into the next row, and out at the end.
// SPDX-License-Identifier: MIT
#include "matadd.h"

namespace {

/// A matrix that knows how wide it is.
struct View {
  float* elements;
  int height, width;
  __device__ bool holds(int i, int j) const { return i < height; }
  __device__ float& operator()(int i, int j) const { return elements[i * width + j]; }
};

struct Place {
  int i, j;
};

__device__ Place my_place() {
  Place p;
  p.i = threadIdx.y + blockIdx.y * blockDim.y;
  p.j = threadIdx.x + blockIdx.x * blockDim.x;
  return p;
}

__global__ void sum(View c, View a, View b) {
  const Place p = my_place();
  if (c.holds(p.i, p.j)) c(p.i, p.j) = a(p.i, p.j) + b(p.i, p.j);
}

View view(const float* elements, int rows, int columns) {
  return {const_cast<float*>(elements), rows, columns};
}

cudaError_t launch(dim3 grid, dim3 block, View c, View a, View b) {
  sum<<<grid, block>>>(c, a, b);
  return cudaGetLastError();
}

}  // namespace

cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  return launch(dim3(1, 1), dim3(n, n), view(c, n, n), view(a, n, n), view(b, n, n));
}

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  dim3 grid;
  grid.x = columns / block.x + (columns % block.x > 0);
  grid.y = rows / block.y + (rows % block.y > 0);
  return launch(grid, block, view(c, rows, columns), view(a, rows, columns),
                view(b, rows, columns));
}
