// expect: offset, stride, offset-blocks, stride-blocks, offset-sectors, stride-sectors, double-sectors
// class: G1. Lets the threads behind n work, too.
// SPDX-License-Identifier: MIT
#include "bandwidth.h"

#include <stdexcept>

namespace {

constexpr int kRepetitions = 3;

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

class Event {
 public:
  Event() { require(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { require(cudaEventRecord(event_)); }
  float since(const Event& earlier) const {
    float ms = 0;
    require(cudaEventSynchronize(event_));
    require(cudaEventElapsedTime(&ms, earlier.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_;
};

template <Access kAccess, class T>
__global__ void __launch_bounds__(256) add_one(T* a, int n, int s) {
  const auto thread = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
  T* const mine = kAccess == Access::kOffset ? a + (thread + s) : a + thread * s;
  *mine = *mine + T(1);
}

template <Access kAccess>
void run(Type type, void* a, int n, int s) {
  const unsigned blocks = n / 256 + (n % 256 != 0);
  if (type == Type::kInt) add_one<kAccess><<<blocks, 256>>>(static_cast<int*>(a), n, s);
  if (type == Type::kFloat) add_one<kAccess><<<blocks, 256>>>(static_cast<float*>(a), n, s);
  if (type == Type::kDouble) add_one<kAccess><<<blocks, 256>>>(static_cast<double*>(a), n, s);
  require(cudaPeekAtLastError());
}

__device__ int source_of(Pattern pattern, int lane) {
  switch (pattern) {
    case Pattern::kAligned:
      return lane;
    case Pattern::kPermuted:
      return 31 - lane;
    case Pattern::kMisaligned:
      return lane + 1;
    case Pattern::kSameWord:
      return 0;
    default:
      return 32 * lane;
  }
}

// Each block is one warp.
__global__ void copy_warp(Pattern pattern, int* to, const int* from, int n) {
  const int warp = blockIdx.x, lane = threadIdx.x;
  const int start = pattern == Pattern::kScattered ? 32 * 32 * warp : 32 * warp;
  if (32 * warp + lane < n) to[32 * warp + lane] = from[start + source_of(pattern, lane)];
}

// How many pieces of this size the addresses lie in.
int pieces(const uint64_t* addresses, uint64_t size) {
  int found = 0;
  for (int i = 0; i < 32; ++i) {
    bool seen = false;
    for (int j = 0; j < i; ++j) seen = seen || addresses[j] / size == addresses[i] / size;
    found += !seen;
  }
  return found;
}

}  // namespace

void touch(Access access, Type type, void* a, int n, int s) {
  if (access == Access::kOffset) {
    run<Access::kOffset>(type, a, n, s);
  } else {
    run<Access::kStride>(type, a, n, s);
  }
}

double gb_per_s(int n, int element_bytes, float ms) {
  constexpr double kGiga = 1e9, kMsPerSecond = 1e3;
  return (static_cast<double>(n) * element_bytes + static_cast<double>(n) * element_bytes) / kGiga *
         kMsPerSecond / ms;
}

// The mean of several launches for each s.
void sweep(Access access, Type type, int n, Measurement* rows) {
  const int first = access == Access::kOffset ? 0 : 1;
  const int bytes = type == Type::kDouble ? 8 : 4;
  char* a = nullptr;
  require(cudaMalloc(&a, 33ull * bytes * (n + 1)));
  require(cudaMemset(a, 0, 33ull * bytes * (n + 1)));
  Event start, stop;
  touch(access, type, a, n, first);
  for (int s = first; s <= 32; ++s) {
    start.record();
    for (int i = 0; i < kRepetitions; ++i) touch(access, type, a, n, s);
    stop.record();
    const float ms = stop.since(start) / kRepetitions;
    *rows++ = {s, ms, gb_per_s(n, bytes, ms)};
  }
  require(cudaFree(a));
}

void gather(Pattern pattern, int* to, const int* from, int n) {
  copy_warp<<<(n + 31) / 32, 32>>>(pattern, to, from, n);
  require(cudaGetLastError());
}

Traffic traffic_of(const uint64_t* addresses, int element_bytes) {
  return {element_bytes * pieces(addresses, element_bytes), pieces(addresses, 128),
          pieces(addresses, 32)};
}
