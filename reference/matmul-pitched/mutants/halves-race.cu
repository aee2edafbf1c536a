// expect: dense-race-free, dense-product, dense-edges, padded-race-free, padded-product,
// padded-edges, coalesced, dense-edges-race-free, padded-edges-race-free
// class: A2. Two blocks add their halves of a sum to C without an atomic.
// SPDX-License-Identifier: MIT
#include <assert.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "matmul-pitched.h"

#define elem_type float
#define get_elem(array, Row, Column) \
  (((elem_type*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

#define TRY(x)                                                 \
  {                                                            \
    cudaError_t r_ = (x);                                      \
    if (r_) {                                                  \
      fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorName(r_)); \
      exit(10 + r_ % 100);                                     \
    }                                                          \
  }

__device__ float row_times_column(cudaPitchedPtr a, cudaPitchedPtr b, size_t i, size_t j) {
  float s = 0;
  for (size_t k = blockIdx.z; k < b.ysize; k += 2) s += get_elem(a, i, k) * get_elem(b, k, j);
  return s;
}

__global__ void mul_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  size_t j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < c.xsize && i < c.ysize) get_elem(c, i, j) += row_times_column(a, b, i, j);
}

__global__ void mul_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  size_t j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < c.xsize && i < c.ysize) get_elem(c, i, j) += row_times_column(a, b, i, j);
}

typedef void (*Kernel)(cudaPitchedPtr, cudaPitchedPtr, cudaPitchedPtr);

static float go(Kernel kernel, cudaPitchedPtr hc, cudaPitchedPtr ha, cudaPitchedPtr hb,
                cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int height) {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  TRY(cudaStreamCreate(&stream));
  TRY(cudaEventCreate(&start));
  TRY(cudaEventCreate(&stop));

  TRY(cudaMemcpy2DAsync(a.ptr, a.pitch, ha.ptr, ha.pitch, a.xsize * sizeof(float), a.ysize,
                        cudaMemcpyHostToDevice, stream));
  TRY(cudaMemcpy2DAsync(b.ptr, b.pitch, hb.ptr, hb.pitch, b.xsize * sizeof(float), b.ysize,
                        cudaMemcpyHostToDevice, stream));
  dim3 block(8, height);
  dim3 grid((c.xsize + block.x - 1) / block.x, (c.ysize + block.y - 1) / block.y, 2);
  TRY(cudaMemset2DAsync(c.ptr, c.pitch, 0, c.xsize * sizeof(float), c.ysize, stream));
  TRY(cudaEventRecord(start, stream));
  kernel<<<grid, block, 0, stream>>>(c, a, b);
  TRY(cudaPeekAtLastError());
  TRY(cudaEventRecord(stop, stream));
  TRY(cudaMemcpy2DAsync(hc.ptr, hc.pitch, c.ptr, c.pitch, c.xsize * sizeof(float), c.ysize,
                        cudaMemcpyDeviceToHost, stream));
  TRY(cudaStreamSynchronize(stream));

  float ms = -1;
  TRY(cudaEventElapsedTime(&ms, start, stop));
  TRY(cudaEventDestroy(start));
  TRY(cudaEventDestroy(stop));
  TRY(cudaStreamDestroy(stream));
  TRY(cudaFree(a.ptr));
  TRY(cudaFree(b.ptr));
  TRY(cudaFree(c.ptr));
  return ms;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  float *pa, *pb, *pc;
  TRY(cudaMalloc(&pa, a.xsize * a.ysize * sizeof(float)));
  TRY(cudaMalloc(&pb, b.xsize * b.ysize * sizeof(float)));
  TRY(cudaMalloc(&pc, c.xsize * c.ysize * sizeof(float)));
  return go(mul_dense, c, a, b, wrap_dense(pc, c.ysize, c.xsize), wrap_dense(pa, a.ysize, a.xsize),
            wrap_dense(pb, b.ysize, b.xsize), block_height);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  cudaPitchedPtr d[3] = {c, a, b};
  for (cudaPitchedPtr& x : d)
    TRY(cudaMallocPitch(&x.ptr, &x.pitch, x.xsize * sizeof(float), x.ysize));
  return go(mul_padded, c, a, b, d[0], d[1], d[2], block_height);
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  assert(rows > 0 && columns > 0);
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
  for (size_t i = 0; i < matrix.ysize; i++)
    for (size_t j = 0; j < matrix.xsize; j++) get_elem(matrix, i, j) = rand() / (float)RAND_MAX;
}

int select_device(int required_major) {
  int n = 0, chosen = -1;
  TRY(cudaGetDeviceCount(&n));
  for (int i = 0; i < n && chosen < 0; i++) {
    cudaDeviceProp p;
    TRY(cudaGetDeviceProperties(&p, i));
    if (p.major == required_major) chosen = i;
  }
  if (chosen >= 0) TRY(cudaSetDevice(chosen));
  return chosen;
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  float* r = (float*)malloc(c.xsize * c.ysize * sizeof(float));
  cudaPitchedPtr reference = wrap_dense(r, c.ysize, c.xsize);
  bool same = true;
  for (size_t i = 0; i < c.ysize; i++)
    for (size_t j = 0; j < c.xsize; j++) {
      double s = 0;
      for (size_t k = 0; k < a.xsize; k++) s += (double)get_elem(a, i, k) * get_elem(b, k, j);
      get_elem(reference, i, j) = (float)s;
    }
  for (size_t i = 0; i < c.ysize; i++)
    for (size_t j = 0; j < c.xsize; j++) {
      float e = get_elem(reference, i, j), g = get_elem(c, i, j);
      if (!(fabsf(e - g) <= 1e-5f * fmaxf(1.0f, fabsf(e))) || isinf(e)) same = false;
    }
  free(r);
  return same;
}
