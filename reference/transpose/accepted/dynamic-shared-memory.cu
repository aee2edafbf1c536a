// expect: speed
// Dynamic shared memory of any pitch, volatile; a grid that strides over tiles; streaming loads. Slow on a GPU.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "transpose.h"
#define OK(call)                                                \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)
static dim3 tiles(int rows, int columns) { return dim3((columns + 31) / 32, (rows + 31) / 32); }

__global__ void kcopy(float* o, const float* in, int rows, int columns, int reps) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  while (reps-- > 0)
    if (r < rows && c < columns) o[r * columns + c] = in[r * columns + c];
}
void copy(float* o, const float* in, int rows, int columns, int reps) {
  kcopy<<<tiles(rows, columns), dim3(32, 32)>>>(o, in, rows, columns, reps);
  OK(cudaGetLastError());
}
__global__ void knaive(float* o, const float* in, int rows, int columns, int reps) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  while (reps-- > 0)
    if (r < rows && c < columns) o[c * rows + r] = in[r * columns + c];
}
void transpose_naive(float* o, const float* in, int rows, int columns, int reps) {
  knaive<<<tiles(rows, columns), dim3(32, 32)>>>(o, in, rows, columns, reps);
  OK(cudaGetLastError());
}

__global__ void kdyn(float* o, const float* in, int rows, int columns, int reps, int pitch) {
  extern __shared__ volatile float t[];
  const int tx = (columns + 31) / 32, ty = (rows + 31) / 32, h = blockDim.y;
  for (int k = 0; k < reps; ++k)
    for (int tile = blockIdx.x; tile < tx * ty; tile += gridDim.x) {
      const int x0 = tile % tx * 32, y0 = tile / tx * 32;
#pragma unroll 4
      for (int j = threadIdx.y; j < 32; j += h)
        t[j * pitch + threadIdx.x] = x0 + int(threadIdx.x) < columns && y0 + j < rows
                                         ? __ldcs(&in[size_t(y0 + j) * columns + x0 + threadIdx.x])
                                         : 0.f;
      __syncthreads();
#pragma unroll 4
      for (int j = threadIdx.y; j < 32; j += h)
        if (y0 + int(threadIdx.x) < rows && x0 + j < columns)
          __stcs(&o[size_t(x0 + j) * rows + y0 + threadIdx.x], t[threadIdx.x * pitch + j]);
      __syncthreads();
    }
}
static void go(float* o, const float* in, int rows, int columns, int reps, int pitch, int h) {
  dim3 g = tiles(rows, columns);
  int most = int(g.x * g.y);
  kdyn<<<std::min(most, 2112), dim3(32, h), 32 * pitch * sizeof(float)>>>(o, in, rows, columns,
                                                                          reps, pitch);
  OK(cudaGetLastError());
}
void transpose_coalesced(float* o, const float* in, int rows, int columns, int reps) {
  go(o, in, rows, columns, reps, 32, 32);
}
void transpose_no_conflicts(float* o, const float* in, int rows, int columns, int reps) {
  go(o, in, rows, columns, reps, 33, 32);
}
void transpose_32x8(float* o, const float* in, int rows, int columns, int reps) {
  go(o, in, rows, columns, reps, 33, 8);
}

static float timed(Launch f, float* o, const float* in, int rows, int columns, int many, int reps) {
  cudaEvent_t a, b;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  OK(cudaEventCreateWithFlags(&a, cudaEventBlockingSync));
  OK(cudaEventCreateWithFlags(&b, cudaEventDefault));
  f(o, in, rows, columns, 1);
  OK(cudaEventRecord(a));
  while (many-- > 0) f(o, in, rows, columns, reps);
  OK(cudaEventRecord(b));
  while (cudaEventQuery(b) == cudaErrorNotReady) {
  }
  float ms;
  OK(cudaEventElapsedTime(&ms, a, b));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  return ms;
}
float time_over(Launch f, float* o, const float* in, int rows, int columns, int count) {
  return timed(f, o, in, rows, columns, count, 1);
}
float time_inside(Launch f, float* o, const float* in, int rows, int columns, int count) {
  return timed(f, o, in, rows, columns, 1, count);
}
double effective_bandwidth(int rows, int columns, int count, float ms) {
  return 8e-6 * rows * columns * count / ms;
}
