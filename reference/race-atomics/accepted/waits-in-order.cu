// expect: nothing
// Half of the threads take the lock with the default order of an atomic object, the others fence each
// try; statistics looks before it asks for an atomic, by a volatile read or an atomic one.
// SPDX-License-Identifier: MIT
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>

#include "race-atomics.h"

using DeviceInt = cuda::atomic_ref<int, cuda::thread_scope_device>;

#define CHECK(call)                                                           \
  do {                                                                        \
    const cudaError_t e = (call);                                             \
    if (e != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (false)

__global__ void add_racy(int* counter) { *counter += 1; }
__global__ void add_atomic(int* counter) { atomicAdd(counter, 1); }
__global__ void add_by_blocks(int* counter) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(counter, sum);
}

static float time_of(void (*kernel)(int*), int* counter, int blocks, int threads) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  CHECK(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(counter);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

float count_racy(int* counter, int blocks, int threads) {
  return time_of(add_racy, counter, blocks, threads);
}
float count_atomic(int* counter, int blocks, int threads) {
  return time_of(add_atomic, counter, blocks, threads);
}
float count_by_blocks(int* counter, int blocks, int threads) {
  return time_of(add_by_blocks, counter, blocks, threads);
}

__global__ void statistics_kernel(Statistics* r, const int* values, int n, unsigned seats,
                                  unsigned stock) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = values[i];
  if (v < *(volatile int*)&r->smallest) atomicMin(&r->smallest, v);
  if (v > DeviceInt(r->largest).load(cuda::memory_order_relaxed)) atomicMax(&r->largest, v);
  atomicAnd(&r->in_all, (unsigned)v);
  atomicOr(&r->in_any, (unsigned)v);
  atomicXor(&r->in_odd, (unsigned)v);
  if (v >= 0)
    atomicInc(&r->seat, seats - 1);
  else
    atomicDec(&r->tickets, stock);
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  const Statistics begin = {INT_MAX, INT_MIN, 0xFFFFFFFFu, 0, 0, 0, stock};
  CHECK(cudaMemcpy(result, &begin, sizeof begin, cudaMemcpyHostToDevice));
  if (n == 0) return;
  statistics_kernel<<<(n + 255) / 256, 256>>>(result, values, n, seats, stock);
  CHECK(cudaGetLastError());
}

__global__ void relay_kernel(unsigned* baton, unsigned* received, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) received[i] = atomicExch(baton, i + 1);
}

void relay(unsigned* baton, unsigned* received, int n) {
  CHECK(cudaMemset(baton, 0, sizeof(unsigned)));
  relay_kernel<<<(n + 255) / 256, 256>>>(baton, received, n);
  CHECK(cudaGetLastError());
}

__device__ void atomic_max(float* address, float value) {
  int seen = *(volatile int*)address;
  while (value > __int_as_float(seen)) {
    const int found = atomicCAS((int*)address, seen, __float_as_int(value));
    if (found == seen) return;
    seen = found;
  }
}

__global__ void clear_maxima(float* maxima, int count) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < count) maxima[g] = -FLT_MAX;
}
__global__ void maxima_kernel(float* maxima, const float* values, const int* groups, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(&maxima[groups[i]], values[i]);
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  clear_maxima<<<(group_count + 255) / 256, 256>>>(maxima, group_count);
  CHECK(cudaGetLastError());
  if (n == 0) return;
  maxima_kernel<<<(n + 255) / 256, 256>>>(maxima, values, groups, n);
  CHECK(cudaGetLastError());
}

struct Lock {
  int taken;

  __device__ void acquire_by_object() {
    DeviceInt t(taken);
    for (int expected = 0; !t.compare_exchange_weak(expected, 1);) expected = 0;
  }
  __device__ void acquire_by_fences() {
    for (;;) {
      const int before = atomicCAS(&taken, 0, 1);
      __threadfence();
      if (before == 0) return;
    }
  }
  __device__ void release_by_object() { DeviceInt(taken).store(0, cuda::memory_order_release); }
  __device__ void release_by_fence() {
    __threadfence();
    atomicExch(&taken, 0);
  }
};

__global__ void record_kernel(Record* record, Lock* lock, const int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = values[i];
  const bool by_object = i % 2 == 0;
  if (by_object)
    lock->acquire_by_object();
  else
    lock->acquire_by_fences();
  record->visits += 1;
  if (v > record->largest || record->where < 0 || (v == record->largest && i < record->where)) {
    record->largest = v;
    record->where = i;
  }
  if (by_object)
    lock->release_by_object();
  else
    lock->release_by_fence();
}

void locked_record(Record* record, const int* values, int n) {
  const Record begin = {0, INT_MIN, -1};
  CHECK(cudaMemcpy(record, &begin, sizeof begin, cudaMemcpyHostToDevice));
  if (n == 0) return;
  Lock* lock;
  CHECK(cudaMalloc(&lock, sizeof(Lock)));
  CHECK(cudaMemset(lock, 0, sizeof(Lock)));
  record_kernel<<<(n + 255) / 256, 256>>>(record, lock, values, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(lock));
}
