// expect: racy-timed, atomic-timed, by-blocks-timed
// class: H5. The host waits for the kernel before it records the second event.
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
  CHECK(cudaDeviceSynchronize());
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
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = values[i];
  atomicMin(&result->smallest, value);
  atomicMax(&result->largest, value);
  atomicAnd(&result->in_all, static_cast<unsigned>(value));
  atomicOr(&result->in_any, static_cast<unsigned>(value));
  atomicXor(&result->in_odd, static_cast<unsigned>(value));
  if (value >= 0) {
    atomicInc(&result->seat, seats - 1);  // the last seat, not their number
  } else {
    atomicDec(&result->tickets, stock);
  }
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  const Statistics empty = {INT_MAX, INT_MIN, ~0u, 0, 0, 0, stock};
  CHECK(cudaMemcpy(result, &empty, sizeof empty, cudaMemcpyHostToDevice));
  if (n == 0) return;
  describe<<<blocks_for(n), kThreads>>>(result, values, n, seats, stock);
  CHECK(cudaGetLastError());
}

__global__ void pass_baton(unsigned* baton, unsigned* received, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) received[i] = atomicExch(baton, static_cast<unsigned>(i) + 1);
}

void relay(unsigned* baton, unsigned* received, int n) {
  CHECK(cudaMemset(baton, 0, sizeof(unsigned)));
  pass_baton<<<blocks_for(n), kThreads>>>(baton, received, n);
  CHECK(cudaGetLastError());
}

// A CAS that fails tells what is there now; whether that is still worth replacing is asked anew.
__device__ void atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int seen = *static_cast<volatile int*>(bits);  // a first guess; the CAS finds out
  while (__int_as_float(seen) < value) {
    const int found = atomicCAS(bits, seen, __float_as_int(value));
    if (found == seen) break;
    seen = found;
  }
}

__global__ void set_all(float* values, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}

__global__ void maximise(float* maxima, const float* values, const int* groups, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(&maxima[groups[i]], values[i]);
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  set_all<<<blocks_for(group_count), kThreads>>>(maxima, group_count, -FLT_MAX);
  CHECK(cudaGetLastError());
  if (n == 0) return;
  maximise<<<blocks_for(n), kThreads>>>(maxima, values, groups, n);
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
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = values[i];
  lock->acquire();
  record->visits += 1;
  if (record->where < 0 || value > record->largest ||
      (value == record->largest && i < record->where)) {
    record->largest = value;
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
  record_value<<<blocks_for(n), kThreads>>>(lock, record, values, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(lock));
}
