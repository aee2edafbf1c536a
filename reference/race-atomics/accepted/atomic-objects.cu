// expect: nothing
// cuda::atomic_ref, kernels from templates, maxima of floats by integer atomics on their bits.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include "race-atomics.h"
namespace cg = cooperative_groups;
static void ok(cudaError_t e) {
  if (e) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
    std::exit(1);
  }
}
__global__ void add_racy(int* counter) { *counter = *counter + 1; }
__global__ void add_atomic(int* c) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*c).fetch_add(1, cuda::memory_order_relaxed);
}
__global__ void add_blocks(int* c) {
  __shared__ int mine;
  auto b = cg::this_thread_block();
  if (b.thread_rank() == b.size() - 1) mine = 0;
  b.sync();
  atomicAdd_block(&mine, 1);
  b.sync();
  if (b.thread_rank() == 0) atomicAdd(c, mine);
}
template <class K>
float timed(K k, int* counter, int blocks, int threads) {
  const int zero = 0;
  ok(cudaMemcpy(counter, &zero, sizeof zero, cudaMemcpyHostToDevice));
  cudaEvent_t e[2];
  ok(cudaEventCreate(&e[0]));
  ok(cudaEventCreateWithFlags(&e[1], cudaEventBlockingSync));
  ok(cudaEventRecord(e[0]));
  void* a[] = {&counter};
  ok(cudaLaunchKernel((void*)k, blocks, threads, a));
  ok(cudaEventRecord(e[1]));
  ok(cudaEventSynchronize(e[1]));
  float ms;
  ok(cudaEventElapsedTime(&ms, e[0], e[1]));
  ok(cudaEventDestroy(e[0]));
  ok(cudaEventDestroy(e[1]));
  return ms;
}
float count_racy(int* c, int b, int t) { return timed(add_racy, c, b, t); }
float count_atomic(int* c, int b, int t) { return timed(add_atomic, c, b, t); }
float count_by_blocks(int* c, int b, int t) { return timed(add_blocks, c, b, t); }
template <class F>
__global__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
template <class F>
void for_each(int n, F f) {
  if (n <= 0) return;
  each<<<(n + 127) / 128, 128>>>(n, f);
  ok(cudaGetLastError());
}
struct TakeStats {
  Statistics* r;
  const int* v;
  unsigned seats, stock;
  __device__ void operator()(int i) const {
    int x = v[i];
    atomicMin(&r->smallest, x);
    atomicMax(&r->largest, x);
    atomicAnd(&r->in_all, x);
    atomicOr(&r->in_any, x);
    atomicXor(&r->in_odd, x);
    if (x < 0)
      atomicDec(&r->tickets, stock);
    else
      atomicInc(&r->seat, seats - 1);
  }
};
void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  Statistics s = {INT_MAX, INT_MIN, ~0u, 0, 0, 0, stock};
  ok(cudaMemcpyAsync(result, &s, sizeof s, cudaMemcpyDefault));
  ok(cudaStreamSynchronize(0));
  for_each(n, TakeStats{result, values, seats, stock});
}
struct Run {
  unsigned *b, *r;
  __device__ void operator()(int i) const { r[i] = atomicExch(b, i + 1u); }
};
void relay(unsigned* baton, unsigned* received, int n) {
  ok(cudaMemsetAsync(baton, 0, 4));
  for_each(n, Run{baton, received});
}
struct Low {
  float* m;
  __device__ void operator()(int g) const { m[g] = -FLT_MAX; }
};
struct Max {
  float* m;
  const float* v;
  const int* g;
  __device__ void operator()(int i) const {
    // two integer atomics: non-negative floats order as ints, negative ones reversed as unsigned
    float x = v[i];
    float* a = m + g[i];
    if (x >= 0)
      atomicMax((int*)a, __float_as_int(x + 0.0f));
    else
      atomicMin((unsigned*)a, __float_as_uint(x));
  }
};
void group_maxima(float* m, int groups, const float* v, const int* g, int n) {
  for_each(groups, Low{m});
  for_each(n, Max{m, v, g});
}
__device__ int lock_word;
struct Keep {
  Record* r;
  const int* v;
  __device__ void operator()(int i) const {
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(lock_word);
    for (bool done = false; !done;) {
      int free = 0;
      if (lock.compare_exchange_strong(free, 1, cuda::memory_order_acquire)) {
        ++r->visits;
        if (r->where < 0 || v[i] > r->largest || (v[i] == r->largest && i < r->where))
          r->largest = v[i], r->where = i;
        lock.store(0, cuda::memory_order_release);
        done = true;
      }
    }
  }
};
void locked_record(Record* record, const int* values, int n) {
  Record r = {0, INT_MIN, -1};
  ok(cudaMemcpy(record, &r, sizeof r, cudaMemcpyHostToDevice));
  for_each(n, Keep{record, values});
}
