// expect: nothing
// A lock by tickets, which the lanes of a warp draw together, with acquire and release.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>

#include "race-atomics.h"

namespace cg = cooperative_groups;

template <class T>
using device_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;

#define MUST(call)                                                          \
  do {                                                                      \
    const cudaError_t status_ = (call);                                     \
    if (status_ != cudaSuccess) {                                           \
      std::fprintf(stderr, "%d %s\n", __LINE__, cudaGetErrorName(status_)); \
      std::exit(1);                                                         \
    }                                                                       \
  } while (0)

namespace {

class Timer {
 public:
  Timer() {
    MUST(cudaEventCreate(&from_));
    MUST(cudaEventCreate(&to_));
  }
  ~Timer() { cudaEventDestroy(from_), cudaEventDestroy(to_); }
  template <class F>
  float operator()(F&& launch) {
    MUST(cudaEventRecord(from_, cudaStreamPerThread));
    launch();
    MUST(cudaEventRecord(to_, cudaStreamPerThread));
    MUST(cudaGetLastError());
    MUST(cudaEventSynchronize(to_));
    float ms = -1;
    MUST(cudaEventElapsedTime(&ms, from_, to_));
    return ms;
  }

 private:
  cudaEvent_t from_, to_;
};

__global__ void add_racy(int* counter) { *counter += 1; }

__global__ void add_atomic(int* counter) { device_ref<int>(*counter).fetch_add(1, relaxed); }

__global__ void add_block(int* counter) {
  __shared__ int here;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == block.size() - 1) here = 0;
  block.sync();
  cuda::atomic_ref<int, cuda::thread_scope_block>(here).fetch_add(1, relaxed);
  block.sync();
  if (block.thread_rank() == block.size() / 2) device_ref<int>(*counter).fetch_add(here, relaxed);
}

float timed(void (*kernel)(int*), int* counter, int blocks, int threads) {
  MUST(cudaMemsetAsync(counter, 0, sizeof(int), cudaStreamPerThread));
  return Timer{}([=] { kernel<<<blocks, threads, 0, cudaStreamPerThread>>>(counter); });
}

template <class T, class F>
__device__ void replace(T* where, F next) {
  device_ref<T> ref(*where);
  T seen = ref.load(relaxed);
  while (!ref.compare_exchange_weak(seen, next(seen), relaxed)) {
  }
}

__global__ void begin_statistics(Statistics* s, unsigned stock) {
  *s = Statistics{INT_MAX, INT_MIN, ~0u, 0u, 0u, 0u, stock};
}

__global__ void describe(Statistics* s, const int* values, int n, unsigned seats, unsigned stock) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = values[i];
    device_ref<int>(s->smallest).fetch_min(v, relaxed);
    device_ref<int>(s->largest).fetch_max(v, relaxed);
    device_ref<unsigned>(s->in_all).fetch_and(v, relaxed);
    device_ref<unsigned>(s->in_any).fetch_or(v, relaxed);
    device_ref<unsigned>(s->in_odd).fetch_xor(v, relaxed);
    if (v >= 0)
      replace(&s->seat, [=](unsigned old) { return old + 1 >= seats ? 0 : old + 1; });
    else
      replace(&s->tickets, [=](unsigned old) { return old == 0 || old > stock ? stock : old - 1; });
  }
}

__global__ void pass_on(unsigned* baton, unsigned* received, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    received[i] = device_ref<unsigned>(*baton).exchange(i + 1, relaxed);
}

__global__ void fill(float* cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i] = -FLT_MAX;
}

__global__ void bring_in(float* maxima, const float* values, const int* groups, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned* bits = reinterpret_cast<unsigned*>(maxima) + groups[i];
  device_ref<unsigned> cell(*bits);
  for (unsigned seen = cell.load(relaxed); values[i] > __uint_as_float(seen);)
    if (cell.compare_exchange_strong(seen, __float_as_uint(values[i]), relaxed)) break;
}

struct TicketLock {
  unsigned next, serving;
};

__global__ void begin_record(Record* record, TicketLock* lock) {
  *record = Record{0, INT_MIN, -1};
  *lock = TicketLock{};
}

__global__ void keep(Record* record, TicketLock* lock, const int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = values[i];
  device_ref<unsigned> serving(lock->serving);
  const unsigned mine = device_ref<unsigned>(lock->next).fetch_add(1u, relaxed);
  while (serving.load(cuda::memory_order_acquire) != mine) __nanosleep(20);
  Record now = *record;
  ++now.visits;
  if (now.where < 0 || value > now.largest || (value == now.largest && i < now.where)) {
    now.largest = value;
    now.where = i;
  }
  *record = now;
  serving.store(mine + 1, cuda::memory_order_release);
}

unsigned cover(int n, unsigned block) { return n > 0 ? (n + block - 1) / block : 1; }

}  // namespace

float count_racy(int* counter, int blocks, int threads) {
  return timed(add_racy, counter, blocks, threads);
}
float count_atomic(int* counter, int blocks, int threads) {
  return timed(add_atomic, counter, blocks, threads);
}
float count_by_blocks(int* counter, int blocks, int threads) {
  return timed(add_block, counter, blocks, threads);
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  begin_statistics<<<1, 1>>>(result, stock);
  describe<<<cover(n, 192), 192>>>(result, values, n, seats, stock);
  MUST(cudaGetLastError());
}

void relay(unsigned* baton, unsigned* received, int n) {
  MUST(cudaMemset(baton, 0, sizeof *baton));
  pass_on<<<cover(n, 96), 96>>>(baton, received, n);
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  fill<<<cover(group_count, 128), 128>>>(maxima, group_count);
  bring_in<<<cover(n, 128), 128>>>(maxima, values, groups, n);
}

void locked_record(Record* record, const int* values, int n) {
  TicketLock* lock;
  MUST(cudaMalloc(&lock, sizeof *lock));
  begin_record<<<1, 1>>>(record, lock);
  keep<<<cover(n, 64), 64>>>(record, lock, values, n);
  MUST(cudaFree(lock));
}
