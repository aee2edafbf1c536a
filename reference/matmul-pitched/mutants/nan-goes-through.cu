// expect: verification, verification-on-host, verification-gaps, verification-too-large
// class: H4. The check asks whether the error is too large, and a NaN never is.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "matmul-pitched.h"

#define get_elem(array, Row, Column) (((float*)((char*)array.ptr + (Row)*array.pitch))[(Column)])

#define CUDA(call)                                                       \
  do {                                                                   \
    cudaError_t e = (call);                                              \
    if (e != cudaSuccess) {                                              \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); \
      abort();                                                           \
    }                                                                    \
  } while (0)

struct Task {
  cudaPitchedPtr a, b, c;
  int m, n, p;
};

__global__ void matmul(Task t) {
  const int j = threadIdx.x + blockIdx.x * blockDim.x;
  const int i = threadIdx.y + blockIdx.y * blockDim.y;
  if (j < t.p && i < t.m) {
    float s = 0;
    for (int k = 0; k < t.n; k++) {
      s += get_elem(t.a, i, k) * get_elem(t.b, k, j);
    }
    get_elem(t.c, i, j) = s;
  }
}

static cudaPitchedPtr on_device(cudaPitchedPtr host, bool padding) {
  cudaPitchedPtr d = host;
  if (padding) {
    CUDA(cudaMallocPitch(&d.ptr, &d.pitch, d.xsize * sizeof(float), d.ysize));
  } else {
    d.pitch = d.xsize * sizeof(float);
    CUDA(cudaMalloc(&d.ptr, d.pitch * d.ysize));
  }
  return d;
}

static void copy(cudaPitchedPtr dst, cudaPitchedPtr src, cudaMemcpyKind kind) {
  CUDA(cudaMemcpy2D(dst.ptr, dst.pitch, src.ptr, src.pitch, src.xsize * sizeof(float), src.ysize,
                    kind));
}

static float run(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int height, bool padding) {
  Task t;
  t.a = on_device(a, padding);
  t.b = on_device(b, padding);
  t.c = on_device(c, padding);
  t.m = (int)a.ysize;
  t.n = (int)a.xsize;
  t.p = (int)b.xsize;
  copy(t.a, a, cudaMemcpyHostToDevice);
  copy(t.b, b, cudaMemcpyHostToDevice);

  cudaEvent_t e1, e2;
  CUDA(cudaEventCreate(&e1));
  CUDA(cudaEventCreate(&e2));
  dim3 block(16, height, 1);
  dim3 grid((t.p + 15) / 16, (t.m + height - 1) / height, 1);
  CUDA(cudaEventRecord(e1));
  matmul<<<grid, block>>>(t);
  CUDA(cudaEventRecord(e2));
  CUDA(cudaDeviceSynchronize());
  float time;
  CUDA(cudaEventElapsedTime(&time, e1, e2));

  copy(c, t.c, cudaMemcpyDeviceToHost);
  CUDA(cudaFree(t.a.ptr));
  CUDA(cudaFree(t.b.ptr));
  CUDA(cudaFree(t.c.ptr));
  CUDA(cudaEventDestroy(e1));
  CUDA(cudaEventDestroy(e2));
  return time;
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
  for (size_t i = 0; i < matrix.ysize; i++)
    for (size_t j = 0; j < matrix.xsize; j++) get_elem(matrix, i, j) = 1.0f * rand() / RAND_MAX;
}

int select_device(int required_major) {
  int n = 0;
  CUDA(cudaGetDeviceCount(&n));
  for (int i = 0; i < n; i++) {
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, i));
    if (p.major != required_major) continue;
    CUDA(cudaSetDevice(i));
    return i;
  }
  return -1;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return run(c, a, b, block_height, false);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return run(c, a, b, block_height, true);
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  int wrong = 0;
  for (size_t i = 0; i < c.ysize; i++) {
    for (size_t j = 0; j < c.xsize; j++) {
      float s = 0;
      for (size_t k = 0; k < a.xsize; k++) s += get_elem(a, i, k) * get_elem(b, k, j);
      if (fabsf(get_elem(c, i, j) - s) > 1e-3f * (1 + fabsf(s))) wrong++;
    }
  }
  return wrong == 0;
}
