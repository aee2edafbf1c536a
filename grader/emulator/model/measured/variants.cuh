// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

// Times kernel variants by CUDA events: medians of many cold and warm launches on a GPU, one launch
// on the emulated device.
// usage: PROGRAM [REPETITIONS [VARIANT]]

constexpr int kMegabyte = 1 << 20;
constexpr int kLargeFloats = 32 * kMegabyte, kFloats = 16 * kMegabyte, kInts = 4 * kMegabyte;
constexpr size_t kFlushBytes = size_t{256} << 20;  // several times any L2 cache

/// Memory that all variants share. Their results do not matter.
struct Buffers {
  float* large = nullptr;            ///< kLargeFloats
  float *a = nullptr, *b = nullptr;  ///< kFloats each
  int* random = nullptr;             ///< kInts numbers of 31 bits
  int* ring = nullptr;               ///< kInts, each the index of the next, in one random cycle
  int* keys = nullptr;               ///< kMegabyte even numbers from 0 on
  int* sums = nullptr;               ///< kMegabyte
};

struct Variant {
  const char* ladder;  ///< Variants of a ladder do the same work, slowest idea first.
  const char* name;
  void (*launch)(const Buffers&);
};

inline void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
T* allocate(size_t count) {
  T* memory = nullptr;
  must(cudaMalloc(&memory, count * sizeof(T)));
  must(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

inline int* upload(const std::vector<int>& values) {
  int* memory = allocate<int>(values.size());
  must(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  return memory;
}

inline Buffers make_buffers() {
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 1; };
  std::vector<int> random(kInts), order(kInts), ring(kInts), keys(kMegabyte);
  for (int& value : random) value = static_cast<int>(next());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[next() % i]);
  for (size_t i = 0; i < order.size(); ++i) ring[order[i]] = order[(i + 1) % order.size()];
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(2 * i);
  Buffers buffers;
  buffers.large = allocate<float>(kLargeFloats);
  buffers.a = allocate<float>(kFloats);
  buffers.b = allocate<float>(kFloats);
  buffers.random = upload(random);
  buffers.ring = upload(ring);
  buffers.keys = upload(keys);
  buffers.sums = allocate<int>(kMegabyte);
  return buffers;
}

/// Reads more than the L2 cache holds, so that what the variant needs is not in it; writing would
/// leave dirty lines behind, which the variant would have to write back.
void read_all(float* memory, size_t count);

#ifdef __CUDACC__
static __global__ void read_fours(const float4* memory, size_t count, float* out) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x)
    sum += memory[i].x;
  if (sum == 1) *out = sum;
}
void read_all(float* memory, size_t count) {
  read_fours<<<1024, 256>>>(reinterpret_cast<float4*>(memory), count / 4, memory);
}
#endif

class Timer {
 public:
  Timer(const Buffers& buffers, int repetitions) : buffers_(buffers), repetitions_(repetitions) {
    must(cudaEventCreate(&start_));
    must(cudaEventCreate(&end_));
    if (repetitions > 1) flush_ = allocate<float>(kFlushBytes / sizeof(float));
  }

  float median_ms(const Variant& variant, bool cold) {
    std::vector<float> times;
    for (int repetition = 0; repetition < repetitions_; ++repetition)
      times.push_back(once_ms(variant, cold));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  float once_ms(const Variant& variant, bool cold) {
    if (flush_ != nullptr) {
      // Warm: a little earlier work, so that the launch does not wait for the host either.
      const size_t count = cold ? kFlushBytes / sizeof(float) : 16384;
      for (int round = 0; round < (cold ? 1 : 20); ++round) read_all(flush_, count);
    }
    float ms = 0;
    must(cudaEventRecord(start_));
    variant.launch(buffers_);
    must(cudaEventRecord(end_));
    must(cudaDeviceSynchronize());
    must(cudaEventElapsedTime(&ms, start_, end_));
    return ms;
  }

  const Buffers& buffers_;
  int repetitions_;
  float* flush_ = nullptr;
  cudaEvent_t start_{}, end_{};
};

/// Prints "group,ladder,variant,cold_ms,warm_ms" for each variant.
inline int run_variants(const char* group, const std::vector<Variant>& variants, int argc,
                        char** argv) {
  const int repetitions = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1;
  const Buffers buffers = make_buffers();
  Timer timer(buffers, repetitions);
  // The clocks of a GPU rise only under load.
  if (repetitions > 1) timer.median_ms(variants[0], true);
  std::puts("group,ladder,variant,cold_ms,warm_ms");
  for (const Variant& variant : variants) {
    if (argc > 2 && std::strcmp(argv[2], variant.name) != 0) continue;
    const float cold = timer.median_ms(variant, true);
    const float warm = repetitions > 1 ? timer.median_ms(variant, false) : cold;
    std::printf("%s,%s,%s,%.6f,%.6f\n", group, variant.ladder, variant.name, cold, warm);
    std::fflush(stdout);
  }
  return 0;
}
