// expect: speed
// The naive kernel reads down the columns, the tiles are turned round on the way in, and surplus blocks stay idle.
// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

#include "transpose.h"

enum { T = 32 };

#define ROWS_OF_BLOCKS(n) (unsigned)(((n)-1) / T + 2) /* one too many, which stays idle */
#define AT(matrix, width, row, column) (matrix)[(size_t)(row) * (size_t)(width) + (size_t)(column)]

struct Job {
  float* out;
  const float* in;
  int rows, columns, repetitions;
};

__global__ void straight(Job job) {
  unsigned x = blockIdx.x * T + threadIdx.x;
  unsigned y = blockIdx.y * T + threadIdx.y;
  if (x >= (unsigned)job.columns) return;
  if (y >= (unsigned)job.rows) return;
  for (int i = 1; i <= job.repetitions; i++)
    AT(job.out, job.columns, y, x) = AT(job.in, job.columns, y, x);
}

/* x runs along the rows of out, that is down the columns of in */
__global__ void gather(Job job) {
  unsigned x = blockIdx.x * T + threadIdx.x;
  unsigned y = blockIdx.y * T + threadIdx.y;
  if (x >= (unsigned)job.rows || y >= (unsigned)job.columns) return;
  for (int i = 1; i <= job.repetitions; i++)
    AT(job.out, job.rows, y, x) = AT(job.in, job.columns, x, y);
}

template <unsigned WIDTH, unsigned HEIGHT>
__global__ void turn(Job job) {
  __shared__ float tile[T * WIDTH];
  for (int i = 1; i <= job.repetitions; i++) {
    if (i > 1) __syncthreads();
    unsigned column = blockIdx.x * T + threadIdx.x;
    for (unsigned y = threadIdx.y; y < T; y += HEIGHT) {
      unsigned row = blockIdx.y * T + y;
      if (row < (unsigned)job.rows && column < (unsigned)job.columns)
        tile[threadIdx.x * WIDTH + y] = AT(job.in, job.columns, row, column);
    }
    __syncthreads();
    column = blockIdx.y * T + threadIdx.x;
    for (unsigned y = threadIdx.y; y < T; y += HEIGHT) {
      unsigned row = blockIdx.x * T + y;
      if (row < (unsigned)job.columns && column < (unsigned)job.rows)
        AT(job.out, job.rows, row, column) = tile[y * WIDTH + threadIdx.x];
    }
  }
}

static dim3 blocks(int down, int across) {
  return dim3(ROWS_OF_BLOCKS(across), ROWS_OF_BLOCKS(down) - 1, 1);  // y takes no idle one
}

void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  straight<<<blocks(rows, columns), dim3(T, T)>>>(Job{out, in, rows, columns, repetitions});
}
void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  gather<<<blocks(columns, rows), dim3(T, T)>>>(Job{out, in, rows, columns, repetitions});
}
void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  turn<T, T><<<blocks(rows, columns), dim3(T, T)>>>(Job{out, in, rows, columns, repetitions});
}
void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  turn<T + 1, T><<<blocks(rows, columns), dim3(T, T)>>>(Job{out, in, rows, columns, repetitions});
}
void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  turn<T + 1, 8><<<blocks(rows, columns), dim3(T, 8)>>>(Job{out, in, rows, columns, repetitions});
}

float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t a, b;
  float ms = NAN;
  launch(out, in, rows, columns, 1);
  cudaDeviceSynchronize();
  if (cudaEventCreate(&a) == cudaSuccess && cudaEventCreate(&b) == cudaSuccess) {
    cudaEventRecord(a);
    while (count-- > 0) (*launch)(out, in, rows, columns, 1);
    cudaEventRecord(b);
    while (cudaEventQuery(b) == cudaErrorNotReady) {
    }
    cudaEventElapsedTime(&ms, a, b);
    cudaEventDestroy(b);
    cudaEventDestroy(a);
  }
  return ms;
}

float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  cudaEvent_t a, b;
  float ms = NAN;
  launch(out, in, rows, columns, count);
  cudaStreamSynchronize(0);
  if (cudaEventCreate(&a) == cudaSuccess && cudaEventCreate(&b) == cudaSuccess) {
    cudaEventRecord(a);
    (*launch)(out, in, rows, columns, count);
    cudaEventRecord(b);
    cudaStreamSynchronize(0);
    cudaEventElapsedTime(&ms, a, b);
    cudaEventDestroy(b);
    cudaEventDestroy(a);
  }
  return ms;
}

double effective_bandwidth(int rows, int columns, int count, float ms) {
  float gigabytes = 8e-9f * (float)rows * (float)columns * (float)count;
  return gigabytes * 1000.0f / ms;
}
