// expect: atomic-right, atomic-each-thread, by-blocks-right, by-blocks-shared, by-blocks-atomics, speed
// class: A1. No counter is set to 0 before its kernel.
// SPDX-License-Identifier: MIT
#include <cfloat>
#include <climits>
#include <stdexcept>

#include "race-atomics.h"

namespace {

class Stream {
 public:
  Stream() { ok(cudaStreamCreate(&stream_)); }
  ~Stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  operator cudaStream_t() const { return stream_; }
  static void ok(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
  }

 private:
  cudaStream_t stream_;
};

template <class Kernel>
float time_of(int* counter, Kernel launch) {
  Stream stream;
  cudaEvent_t before, after;
  cudaEventCreateWithFlags(&before, cudaEventDefault);
  cudaEventCreateWithFlags(&after, cudaEventBlockingSync);
  cudaEventRecord(before, stream);
  launch(stream);
  cudaEventRecord(after, stream);
  Stream::ok(cudaEventSynchronize(after));
  float ms = -1;
  cudaEventElapsedTime(&ms, before, after);
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  return ms;
}

__global__ void plain(int* c) { c[0] = c[0] + 1; }
__global__ void each(int* c) { atomicInc(reinterpret_cast<unsigned*>(c), ~0u); }
__global__ void blockwise(int* c) {
  extern __shared__ int block_count[];
  if (threadIdx.x < 1) atomicExch(block_count, 0);
  __syncthreads();
  atomicAdd_block(block_count, 1);
  __syncthreads();
  if (threadIdx.x < 1) atomicAdd(c, *block_count);
}

__global__ void describe(Statistics* all, const int* values, int n, unsigned seats,
                         unsigned stock) {
  __shared__ Statistics mine;
  if (threadIdx.x == 0) mine = {INT_MAX, INT_MIN, ~0u, 0u, 0u, 0u, 0u};
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = values[i];
    atomicMin(&mine.smallest, v);
    atomicMax(&mine.largest, v);
    atomicAnd(&mine.in_all, unsigned(v));
    atomicOr(&mine.in_any, unsigned(v));
    atomicXor(&mine.in_odd, unsigned(v));
    if (v >= 0)
      atomicInc(&all->seat, seats - 1);
    else
      atomicDec(&all->tickets, stock);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicMin(&all->smallest, mine.smallest);
  atomicMax(&all->largest, mine.largest);
  atomicAnd(&all->in_all, mine.in_all);
  atomicOr(&all->in_any, mine.in_any);
  atomicXor(&all->in_odd, mine.in_odd);
}

__global__ void hand_over(unsigned* baton, unsigned* received, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned there = 0, expected;
  do {
    expected = there;
    there = atomicCAS(baton, expected, i + 1);
  } while (there != expected);
  received[i] = there;
}

// The order of floats as unsigned numbers: flip the sign bit of positive ones, all bits of others.
__device__ unsigned rank_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

__device__ void raise(float* target, float value) {
  auto* word = reinterpret_cast<unsigned*>(target);
  unsigned seen = atomicAdd(word, 0u);
  while (rank_of(value) > rank_of(__uint_as_float(seen))) {
    const unsigned before = seen;
    seen = atomicCAS(word, before, __float_as_uint(value));
    if (seen == before) return;
  }
}

__global__ void raise_all(float* maxima, const float* values, const int* groups, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) raise(maxima + groups[i], values[i]);
}

__global__ void update(int* lock, Record* shared_record, const int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // One lane after the other, so that a warp never competes with itself.
  for (int turn = 0; turn < 32; ++turn) {
    if (int(threadIdx.x % 32) == turn && i < n) {
      while (atomicCAS(lock, 0, 1)) __nanosleep(20);
      __threadfence();
      Record r = *shared_record;
      ++r.visits;
      const bool better = r.where < 0 || values[i] > r.largest;
      if (better || (values[i] == r.largest && i < r.where)) r.largest = values[i], r.where = i;
      *shared_record = r;
      __threadfence();
      *static_cast<volatile int*>(lock) = 0;
    }
    __syncwarp();
  }
}

unsigned grid_for(int n, unsigned block) { return (unsigned(n) + block - 1) / block; }

}  // namespace

float count_racy(int* counter, int blocks, int threads) {
  return time_of(counter, [=](cudaStream_t s) { plain<<<blocks, threads, 0, s>>>(counter); });
}

float count_atomic(int* counter, int blocks, int threads) {
  return time_of(counter, [=](cudaStream_t s) { each<<<blocks, threads, 0, s>>>(counter); });
}

float count_by_blocks(int* counter, int blocks, int threads) {
  return time_of(counter,
                 [=](cudaStream_t s) { blockwise<<<blocks, threads, sizeof(int), s>>>(counter); });
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  Stream stream;
  Statistics start{};
  start.smallest = INT_MAX;
  start.largest = INT_MIN;
  start.in_all = ~start.in_all;
  start.tickets = stock;
  Stream::ok(cudaMemcpyAsync(result, &start, sizeof start, cudaMemcpyHostToDevice, stream));
  if (n > 0) describe<<<grid_for(n, 512), 512, 0, stream>>>(result, values, n, seats, stock);
}

void relay(unsigned* baton, unsigned* received, int n) {
  Stream stream;
  Stream::ok(cudaMemsetAsync(baton, 0, sizeof *baton, stream));
  if (n > 0) hand_over<<<grid_for(n, 64), 64, 0, stream>>>(baton, received, unsigned(n));
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  Stream stream;
  float* least = new float[size_t(group_count)];
  for (int g = 0; g < group_count; ++g) least[g] = -FLT_MAX;
  Stream::ok(cudaMemcpyAsync(maxima, least, size_t(group_count) * sizeof(float),
                             cudaMemcpyHostToDevice, stream));
  if (n > 0) raise_all<<<grid_for(n, 96), 96, 0, stream>>>(maxima, values, groups, n);
  Stream::ok(cudaStreamSynchronize(stream));
  delete[] least;
}

void locked_record(Record* record, const int* values, int n) {
  Stream stream;
  const Record start{0, INT_MIN, -1};
  Stream::ok(cudaMemcpyAsync(record, &start, sizeof start, cudaMemcpyHostToDevice, stream));
  int* lock = nullptr;
  Stream::ok(cudaMallocAsync(&lock, sizeof(int), stream));
  Stream::ok(cudaMemsetAsync(lock, 0, sizeof(int), stream));
  if (n > 0) update<<<grid_for(n, 256), 256, 0, stream>>>(lock, record, values, n);
  Stream::ok(cudaFreeAsync(lock, stream));
}
