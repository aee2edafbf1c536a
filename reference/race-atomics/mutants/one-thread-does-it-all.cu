// expect: lock-each-value, statistics-atomics, statistics-right, statistics-race-free, relay-atomics, relay-right, relay-race-free, maxima-atomics, maxima-right, maxima-race-free, record-threads, record-right, lock-orders
// class: H2. A single thread goes through all values, so there is nothing to race with and no need of an atomic.
// SPDX-License-Identifier: MIT
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "race-atomics.h"

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static const int kThreads = 256;

static int blocks_for(int n) { return (n + kThreads - 1) / kThreads; }

// Read, modify, write: between the read and the write other threads read the same old value.
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

static float count_timed(void (*kernel)(int*), int* counter, int blocks, int threads) {
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(counter);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

float count_racy(int* counter, int blocks, int threads) {
  return count_timed(add_racy, counter, blocks, threads);
}

float count_atomic(int* counter, int blocks, int threads) {
  return count_timed(add_atomic, counter, blocks, threads);
}

float count_by_blocks(int* counter, int blocks, int threads) {
  return count_timed(add_by_blocks, counter, blocks, threads);
}

__global__ void describe(Statistics* result, const int* values, int n, unsigned seats,
                         unsigned stock) {
  for (int i = 0; i < n; ++i) {
    const int value = values[i];
    result->smallest = min(result->smallest, value);
    result->largest = max(result->largest, value);
    result->in_all &= value;
    result->in_any |= value;
    result->in_odd ^= value;
    if (value >= 0) {
      result->seat = (result->seat + 1) % seats;
    } else {
      result->tickets = result->tickets == 0 ? stock : result->tickets - 1;
    }
  }
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  const Statistics empty = {INT_MAX, INT_MIN, ~0u, 0, 0, 0, stock};
  CHECK(cudaMemcpy(result, &empty, sizeof empty, cudaMemcpyHostToDevice));
  if (n == 0) return;
  describe<<<1, 1>>>(result, values, n, seats, stock);
  CHECK(cudaGetLastError());
}

__global__ void pass_baton(unsigned* baton, unsigned* received, int n) {
  for (int i = 0; i < n; ++i) {
    received[i] = *baton;
    *baton = i + 1;
  }
}

void relay(unsigned* baton, unsigned* received, int n) {
  CHECK(cudaMemset(baton, 0, sizeof(unsigned)));
  pass_baton<<<1, 1>>>(baton, received, n);
  CHECK(cudaGetLastError());
}

__global__ void set_all(float* values, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

__global__ void maximise(float* maxima, const float* values, const int* groups, int n) {
  for (int i = 0; i < n; ++i) {
    if (values[i] > maxima[groups[i]]) maxima[groups[i]] = values[i];
  }
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  set_all<<<blocks_for(group_count), kThreads>>>(maxima, group_count, -FLT_MAX);
  CHECK(cudaGetLastError());
  if (n == 0) return;
  maximise<<<1, 1>>>(maxima, values, groups, n);
  CHECK(cudaGetLastError());
}

// The fences keep the record's reads and writes between taking the lock and giving it back, and
// show the next owner what the last one wrote.
struct Lock {
  int taken;

  __device__ void acquire() {
    while (atomicCAS(&taken, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void release() {
    __threadfence();
    atomicExch(&taken, 0);
  }
};

__global__ void record_value(Lock* lock, Record* record, const int* values, int n) {
  lock->acquire();
  for (int i = 0; i < n; ++i) {
    record->visits += 1;
    if (record->where >= 0 && values[i] <= record->largest) continue;
    record->largest = values[i];
    record->where = i;
  }
  lock->release();
}

void locked_record(Record* record, const int* values, int n) {
  const Record empty = {0, INT_MIN, -1};
  CHECK(cudaMemcpy(record, &empty, sizeof empty, cudaMemcpyHostToDevice));
  if (n == 0) return;
  Lock* lock = nullptr;
  CHECK(cudaMalloc(&lock, sizeof(Lock)));
  CHECK(cudaMemset(lock, 0, sizeof(Lock)));
  record_value<<<1, 1>>>(lock, record, values, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(lock));
}
