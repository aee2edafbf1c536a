// expect: speed
// Kernels that hand each byte to a visitor, destructors that free memory and events, exceptions for errors.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "histogram.h"

namespace {

void ok(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(size_t count) : bytes_(count * sizeof(T)) { ok(cudaMalloc(&data_, bytes_)); }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* get() { return data_; }
  void clear() { ok(cudaMemset(data_, 0, bytes_)); }
  void fill(const T* from) { ok(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice)); }
  void read(T* to) const { ok(cudaMemcpy(to, data_, bytes_, cudaMemcpyDeviceToHost)); }

 private:
  T* data_ = nullptr;
  size_t bytes_;
};

struct Event {
  cudaEvent_t handle;
  Event() { ok(cudaEventCreate(&handle)); }
  ~Event() { cudaEventDestroy(handle); }
  void record() { ok(cudaEventRecord(handle)); }
};

// Calls visit(byte) for each byte that is this thread's.
template <class Visit>
__device__ void for_each_byte(const unsigned char* data, size_t size, Visit visit) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step)
    visit(data[i]);
}

__global__ void count_globally(unsigned* bins, const unsigned char* data, size_t size) {
  for_each_byte(data, size, [=](unsigned char value) { atomicAdd(bins + value, 1); });
}

__global__ void count_by_block(unsigned* bins, const unsigned char* data, size_t size) {
  __shared__ unsigned mine[kBins];
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for_each_byte(data, size, [](unsigned char value) { atomicAdd(mine + value, 1); });
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) {
    if (mine[i] != 0) atomicAdd(bins + i, mine[i]);
  }
}

int blocks() {
  int device = 0, multiprocessors = 0;
  ok(cudaGetDevice(&device));
  ok(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return 2 * multiprocessors;
}

template <class Kernel>
float run(Kernel kernel, unsigned* counts, const unsigned char* data, size_t size, int threads) {
  OnDevice<unsigned> bins(kBins);
  OnDevice<unsigned char> bytes(size);
  bins.clear();
  bytes.fill(data);
  Event before, after;
  const int grid = blocks();
  before.record();
  kernel<<<grid, threads>>>(bins.get(), bytes.get(), size);
  after.record();
  ok(cudaGetLastError());
  bins.read(counts);
  float ms = 0;
  ok(cudaEventElapsedTime(&ms, before.handle, after.handle));
  return ms;
}

}  // namespace

float histogram_global(unsigned* counts, const unsigned char* data, size_t size, int threads) {
  return run(count_globally, counts, data, size, threads);
}

float histogram_shared(unsigned* counts, const unsigned char* data, size_t size, int threads) {
  return run(count_by_block, counts, data, size, threads);
}

bool histogram_is_right(const unsigned* counts, const unsigned char* data, size_t size) {
  std::array<unsigned, kBins> found{};
  for (size_t i = 0; i < size; ++i) found[data[i]] += 1;
  return std::equal(found.begin(), found.end(), counts);
}
