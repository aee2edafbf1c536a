// expect: dense-freed, padded-freed
// class: H3. The memory of C is never given back.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "matmul-pitched.h"

#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (size_t)(Row) * (array).pitch))[(Column)])
#define CHECK(call)                                                                    \
  do {                                                                                 \
    cudaError_t e_ = (call);                                                           \
    if (e_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)
cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}
void fill_random(cudaPitchedPtr matrix) {
  for (size_t i = 0; i < matrix.ysize; ++i)
    for (size_t j = 0; j < matrix.xsize; ++j)
      get_elem(matrix, i, j) = (float)rand() / (float)RAND_MAX;
}
int select_device(int required_major) {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, d));
    if (p.major != required_major) continue;
    CHECK(cudaSetDevice(d));
    return d;
  }
  return -1;
}
__global__ void multiply(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < c.ysize && j < c.xsize) {
    float sum = 0;
    for (int k = 0; k < a.xsize; ++k) sum += get_elem(a, i, k) * get_elem(b, k, j);
    get_elem(c, i, j) = sum;
  }
}
static float launch(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  const dim3 block(32, block_height),
      grid((c.xsize + 31) / 32, (c.ysize + block_height - 1) / block_height);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  multiply<<<grid, block>>>(c, a, b);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}
static void copy2d(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, from.xsize * sizeof(float), from.ysize,
                     kind));
}
static cudaPitchedPtr dense_like(cudaPitchedPtr m) {
  float* p;
  CHECK(cudaMalloc(&p, m.xsize * m.ysize * sizeof(float)));
  return wrap_dense(p, m.ysize, m.xsize);
}
static cudaPitchedPtr padded_like(cudaPitchedPtr m) {
  cudaPitchedPtr d = m;
  CHECK(cudaMallocPitch(&d.ptr, &d.pitch, m.xsize * sizeof(float), m.ysize));
  return d;
}
static float run(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, cudaPitchedPtr dc,
                 cudaPitchedPtr da, cudaPitchedPtr db, int h) {
  copy2d(da, a, cudaMemcpyHostToDevice);
  copy2d(db, b, cudaMemcpyHostToDevice);
  const float ms = launch(dc, da, db, h);
  copy2d(c, dc, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(da.ptr));
  CHECK(cudaFree(db.ptr));
  return ms;
}
float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return run(c, a, b, dense_like(c), dense_like(a), dense_like(b), block_height);
}
float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return run(c, a, b, padded_like(c), padded_like(a), padded_like(b), block_height);
}
bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  for (size_t i = 0; i < c.ysize; ++i)
    for (size_t j = 0; j < c.xsize; ++j) {
      double sum = 0, size = 0;
      for (size_t k = 0; k < a.xsize; ++k) {
        const double t = (double)get_elem(a, i, k) * get_elem(b, k, j);
        sum += t, size += std::fabs(t);
      }
      if (!(std::fabs(get_elem(c, i, j) - sum) <= 1e-5 * size)) return false;
    }
  return true;
}
