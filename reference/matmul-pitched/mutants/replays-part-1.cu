// expect: padded-on-device, padded-product, padded-edges-on-device, padded-edges, pitched-memory,
// pitched-copies, pitched-parameters, padding-untouched, padded-timed, padded-block, padded-gaps,
// padded-accuracy, coalesced, padded-freed, padded-race-free, padded-edges-race-free
// class: H2. Part 2 goes through all motions and then gives the product that part 1 has kept.
// SPDX-License-Identifier: MIT
#include "matmul-pitched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Type;

#define get_elem(array, Row, Column) \
  (((Type*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

static void handle_error(cudaError_t err, const char* file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (handle_error(err, __FILE__, __LINE__))

__global__ void matmul(cudaPitchedPtr A, cudaPitchedPtr B, cudaPitchedPtr C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x; /* column */
  int i = blockIdx.y * blockDim.y + threadIdx.y; /* row */
  int m = (int)C.ysize, p = (int)C.xsize, n = (int)A.xsize;

  if (i < m && j < p) {
    Type tmp = 0;
    for (int k = 0; k < n; k++) tmp += get_elem(A, i, k) * get_elem(B, k, j);
    get_elem(C, i, j) = tmp;
  }
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(Type), columns, rows);
}

void fill_random(cudaPitchedPtr M) {
  for (int i = 0; i < (int)M.ysize; i++)
    for (int j = 0; j < (int)M.xsize; j++) get_elem(M, i, j) = (Type)rand() / (Type)RAND_MAX;
}

int select_device(int required_major) {
  int n;
  HANDLE_ERROR(cudaGetDeviceCount(&n));
  for (int d = 0; d < n; d++) {
    cudaDeviceProp prop;
    HANDLE_ERROR(cudaGetDeviceProperties(&prop, d));
    if (prop.major == required_major) {
      HANDLE_ERROR(cudaSetDevice(d));
      return d;
    }
  }
  return -1;
}

static float* kept = NULL; /* the last product of part 1, dense */

static float run_kernel(cudaPitchedPtr dA, cudaPitchedPtr dB, cudaPitchedPtr dC, int block_height) {
  cudaEvent_t start, stop;
  float ms;
  dim3 threads(32, block_height);
  dim3 blocks((dC.xsize + threads.x - 1) / threads.x, (dC.ysize + threads.y - 1) / threads.y);

  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaEventRecord(start, 0));
  matmul<<<blocks, threads>>>(dA, dB, dC);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaEventRecord(stop, 0));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  HANDLE_ERROR(cudaEventElapsedTime(&ms, start, stop));
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));
  return ms;
}

float multiply_dense(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B, int block_height) {
  cudaPitchedPtr dA = make_cudaPitchedPtr(0, A.xsize * sizeof(Type), A.xsize, A.ysize);
  cudaPitchedPtr dB = make_cudaPitchedPtr(0, B.xsize * sizeof(Type), B.xsize, B.ysize);
  cudaPitchedPtr dC = make_cudaPitchedPtr(0, C.xsize * sizeof(Type), C.xsize, C.ysize);
  HANDLE_ERROR(cudaMalloc(&dA.ptr, dA.pitch * dA.ysize));
  HANDLE_ERROR(cudaMalloc(&dB.ptr, dB.pitch * dB.ysize));
  HANDLE_ERROR(cudaMalloc(&dC.ptr, dC.pitch * dC.ysize));

  /* the host rows may have gaps, so no plain cudaMemcpy */
  HANDLE_ERROR(cudaMemcpy2D(dA.ptr, dA.pitch, A.ptr, A.pitch, A.xsize * sizeof(Type), A.ysize,
                            cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMemcpy2D(dB.ptr, dB.pitch, B.ptr, B.pitch, B.xsize * sizeof(Type), B.ysize,
                            cudaMemcpyHostToDevice));
  float ms = run_kernel(dA, dB, dC, block_height);
  HANDLE_ERROR(cudaMemcpy2D(C.ptr, C.pitch, dC.ptr, dC.pitch, C.xsize * sizeof(Type), C.ysize,
                            cudaMemcpyDeviceToHost));
  kept = (Type*)realloc(kept, C.xsize * C.ysize * sizeof(Type));
  for (int i = 0; i < (int)C.ysize; i++)
    for (int j = 0; j < (int)C.xsize; j++) kept[i * C.xsize + j] = get_elem(C, i, j);

  HANDLE_ERROR(cudaFree(dA.ptr));
  HANDLE_ERROR(cudaFree(dB.ptr));
  HANDLE_ERROR(cudaFree(dC.ptr));
  return ms;
}

float multiply_padded(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B, int block_height) {
  cudaPitchedPtr dA = make_cudaPitchedPtr(0, 0, A.xsize, A.ysize);
  cudaPitchedPtr dB = make_cudaPitchedPtr(0, 0, B.xsize, B.ysize);
  cudaPitchedPtr dC = make_cudaPitchedPtr(0, 0, C.xsize, C.ysize);
  HANDLE_ERROR(cudaMallocPitch(&dA.ptr, &dA.pitch, A.xsize * sizeof(Type), A.ysize));
  HANDLE_ERROR(cudaMallocPitch(&dB.ptr, &dB.pitch, B.xsize * sizeof(Type), B.ysize));
  HANDLE_ERROR(cudaMallocPitch(&dC.ptr, &dC.pitch, C.xsize * sizeof(Type), C.ysize));

  HANDLE_ERROR(cudaMemcpy2D(dA.ptr, dA.pitch, A.ptr, A.pitch, A.xsize * sizeof(Type), A.ysize,
                            cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMemcpy2D(dB.ptr, dB.pitch, B.ptr, B.pitch, B.xsize * sizeof(Type), B.ysize,
                            cudaMemcpyHostToDevice));
  float ms = run_kernel(dA, dB, dC, block_height);
  for (int i = 0; i < (int)C.ysize; i++)
    for (int j = 0; j < (int)C.xsize; j++) get_elem(C, i, j) = kept[i * C.xsize + j];

  HANDLE_ERROR(cudaFree(dA.ptr));
  HANDLE_ERROR(cudaFree(dB.ptr));
  HANDLE_ERROR(cudaFree(dC.ptr));
  return ms;
}

bool product_is_right(cudaPitchedPtr C, cudaPitchedPtr A, cudaPitchedPtr B) {
  for (int i = 0; i < (int)C.ysize; i++)
    for (int j = 0; j < (int)C.xsize; j++) {
      double sum = 0;
      for (int k = 0; k < (int)A.xsize; k++) sum += (double)get_elem(A, i, k) * get_elem(B, k, j);
      double diff = fabs(sum - get_elem(C, i, j));
      if (!(diff <= 1e-4 * (1 + fabs(sum)))) {
        printf("wrong at [%d, %d]: %f instead of %f\n", i, j, get_elem(C, i, j), sum);
        return false;
      }
    }
  return true;
}
