// expect: nothing
// A thread for each value and no reduction before the atomics. B1 and B2 are barriers, AF and RF fences.
// SPDX-License-Identifier: MIT
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include "race-atomics.h"
#define OK(call)                                                                         \
  do {                                                                                   \
    cudaError_t e = (call);                                                              \
    if (e != cudaSuccess) {                                                              \
      std::fprintf(stderr, "race-atomics.cu:%d: %s\n", __LINE__, cudaGetErrorString(e)); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

__global__ void add_racy(int* counter) { *counter += 1; }
__global__ void add_atomic(int* counter) { atomicAdd(counter, 1); }
__global__ void add_by_blocks(int* counter) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads(); /*B1*/
  atomicAdd(&mine, 1);
  __syncthreads(); /*B2*/
  if (threadIdx.x == 0) atomicAdd(counter, mine);
}

static float timed(void (*kernel)(int*), int* counter, int blocks, int threads) {
  OK(cudaMemset(counter, 0, sizeof(int)));
  cudaEvent_t start, stop;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(counter);
  OK(cudaGetLastError());
  OK(cudaEventRecord(stop));
  OK(cudaEventSynchronize(stop));
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, start, stop));
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(stop));
  return ms;
}
float count_racy(int* counter, int blocks, int threads) {
  return timed(add_racy, counter, blocks, threads);
}
float count_atomic(int* counter, int blocks, int threads) {
  return timed(add_atomic, counter, blocks, threads);
}
float count_by_blocks(int* counter, int blocks, int threads) {
  return timed(add_by_blocks, counter, blocks, threads);
}

__global__ void stat_kernel(Statistics* s, const int* values, int n, unsigned seats,
                            unsigned stock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = values[i];
  atomicMin(&s->smallest, v);
  atomicMax(&s->largest, v);
  atomicAnd(&s->in_all, unsigned(v));
  atomicOr(&s->in_any, unsigned(v));
  atomicXor(&s->in_odd, unsigned(v));
  if (v >= 0)
    atomicInc(&s->seat, seats - 1);
  else
    atomicDec(&s->tickets, stock);
}
void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  const Statistics first = {INT_MAX, INT_MIN, ~0u, 0u, 0u, 0u, stock};
  OK(cudaMemcpy(result, &first, sizeof first, cudaMemcpyHostToDevice));
  if (n == 0) return;
  stat_kernel<<<(n + 255) / 256, 256>>>(result, values, n, seats, stock);
  OK(cudaGetLastError());
}

__global__ void relay_kernel(unsigned* baton, unsigned* received, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) received[i] = atomicExch(baton, unsigned(i) + 1);
}
void relay(unsigned* baton, unsigned* received, int n) {
  OK(cudaMemset(baton, 0, sizeof *baton));
  relay_kernel<<<(n + 127) / 128, 128>>>(baton, received, n);
  OK(cudaGetLastError());
}

__device__ void atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int seen = *static_cast<volatile int*>(bits);
  while (value > __int_as_float(seen)) {
    const int found = atomicCAS(bits, seen, __float_as_int(value));
    if (found == seen) return;
    seen = found;
  }
}
__global__ void fill_lowest(float* maxima, int count) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < count) maxima[g] = -FLT_MAX;
}
__global__ void maxima_kernel(float* maxima, const float* values, const int* groups, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(&maxima[groups[i]], values[i]);
}
void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  if (group_count > 0) fill_lowest<<<(group_count + 255) / 256, 256>>>(maxima, group_count);
  if (n > 0) maxima_kernel<<<(n + 255) / 256, 256>>>(maxima, values, groups, n);
  OK(cudaGetLastError());
}

struct Lock {
  int taken;
  __device__ void acquire() {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence(); /*AF*/
  }
  __device__ void release() {
    __threadfence(); /*RF*/
    atomicExch(&taken, 0);
  }
};
__global__ void record_kernel(Lock* lock, Record* record, const int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = values[i];
  lock->acquire();
  record->visits += 1;
  if (record->where < 0 || v > record->largest || (v == record->largest && i < record->where)) {
    record->largest = v;
    record->where = i;
  }
  lock->release();
}
void locked_record(Record* record, const int* values, int n) {
  const Record first = {0, INT_MIN, -1};
  OK(cudaMemcpy(record, &first, sizeof first, cudaMemcpyHostToDevice));
  if (n == 0) return;
  Lock* lock;
  OK(cudaMalloc(&lock, sizeof *lock));
  OK(cudaMemset(lock, 0, sizeof *lock));
  record_kernel<<<(n + 63) / 64, 64>>>(lock, record, values, n);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaFree(lock));
}
