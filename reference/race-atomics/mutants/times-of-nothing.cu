// expect: racy-timed, atomic-timed, by-blocks-timed
// class: H5. Both events are recorded before the launch, so the time between them is that of nothing.
// SPDX-License-Identifier: MIT
#include <float.h>
#include <limits.h>
#include <stdio.h>

#include "race-atomics.h"

#define BLOCK 128

/* ---------------------------------------------------------------- counters */

__global__ void zero(int* p) { *p = 0; }

__global__ void inc_racy(int* p) {
  int old = *p;
  int next = old + 1;
  *p = next;
}

__global__ void inc_atomic(int* p) { atomicAdd(p, 1); }

__global__ void inc_shared(int* p) {
  __shared__ int mine[1];
  mine[0] = 0; /* all threads store the same */
  __syncthreads();
  atomicAdd(mine, 1);
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) atomicAdd(p, mine[0]);
}

float count_racy(int* counter, int blocks, int threads) {
  float t;
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  zero<<<1, 1>>>(counter);
  cudaEventRecord(e0, 0);
  cudaEventRecord(e1, 0);
  inc_racy<<<blocks, threads>>>(counter);
  cudaEventSynchronize(e1);
  cudaEventElapsedTime(&t, e0, e1);
  cudaEventDestroy(e0);
  cudaEventDestroy(e1);
  return t;
}

float count_atomic(int* counter, int blocks, int threads) {
  float t;
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  zero<<<1, 1>>>(counter);
  cudaEventRecord(e0, 0);
  cudaEventRecord(e1, 0);
  inc_atomic<<<blocks, threads>>>(counter);
  cudaEventSynchronize(e1);
  cudaEventElapsedTime(&t, e0, e1);
  cudaEventDestroy(e0);
  cudaEventDestroy(e1);
  return t;
}

float count_by_blocks(int* counter, int blocks, int threads) {
  float t;
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  zero<<<1, 1>>>(counter);
  cudaEventRecord(e0, 0);
  cudaEventRecord(e1, 0);
  inc_shared<<<blocks, threads>>>(counter);
  cudaEventSynchronize(e1);
  cudaEventElapsedTime(&t, e0, e1);
  cudaEventDestroy(e0);
  cudaEventDestroy(e1);
  return t;
}

/* -------------------------------------------------------------- statistics */

__global__ void stat_begin(Statistics* r, unsigned stock) {
  r->smallest = INT_MAX;
  r->largest = INT_MIN;
  r->in_all = 0xFFFFFFFFu;
  r->in_any = 0;
  r->in_odd = 0;
  r->seat = 0;
  r->tickets = stock;
}

__global__ void stat_add(Statistics* r, const int* v, int n, unsigned seats, unsigned stock) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicMax(&r->largest, v[i]);
    atomicMin(&r->smallest, v[i]);
    atomicXor(&r->in_odd, (unsigned)v[i]);
    atomicOr(&r->in_any, (unsigned)v[i]);
    atomicAnd(&r->in_all, (unsigned)v[i]);
    if (v[i] < 0)
      atomicDec(&r->tickets, stock);
    else
      atomicInc(&r->seat, seats - 1);
  }
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  stat_begin<<<1, 1>>>(result, stock);
  stat_add<<<4, BLOCK>>>(result, values, n, seats, stock);
}

/* ------------------------------------------------------------------- relay */

__global__ void relay_begin(unsigned* baton) { *baton = 0; }

__global__ void relay_run(unsigned* baton, unsigned* received, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    received[i] = atomicExch(baton, i + 1);
}

void relay(unsigned* baton, unsigned* received, int n) {
  relay_begin<<<1, 1>>>(baton);
  relay_run<<<2, BLOCK>>>(baton, received, n);
}

/* ------------------------------------------------------------------ maxima */

/* As in the CUDA programming guide's atomicAdd for double. */
__device__ float max_by_cas(float* address, float value) {
  int* address_as_int = (int*)address;
  int old = *address_as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void maxima_begin(float* maxima, int groups) {
  for (int g = threadIdx.x; g < groups; g += blockDim.x) maxima[g] = -FLT_MAX;
}

__global__ void maxima_add(float* maxima, const float* v, const int* group, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    max_by_cas(maxima + group[i], v[i]);
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  maxima_begin<<<1, BLOCK>>>(maxima, group_count);
  maxima_add<<<8, BLOCK>>>(maxima, values, groups, n);
}

/* -------------------------------------------------------------------- lock */

__device__ int lock = 0;

__global__ void record_begin(Record* r) {
  r->visits = 0;
  r->largest = INT_MIN;
  r->where = -1;
}

__global__ void record_add(Record* r, const int* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool done = i >= n;
  while (!done) {
    if (atomicExch(&lock, 1) == 0) { /* ours */
      __threadfence();
      r->visits++;
      if (v[i] > r->largest || r->where == -1) {
        r->largest = v[i];
        r->where = i;
      } else if (v[i] == r->largest) {
        r->where = min(r->where, i);
      }
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

void locked_record(Record* record, const int* values, int n) {
  record_begin<<<1, 1>>>(record);
  if (n > 0) record_add<<<(n - 1) / BLOCK + 1, BLOCK>>>(record, values, n);
}
