// SPDX-License-Identifier: MIT
#include "testing/gpu/speed/arrays.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace warpgrade::speed {
namespace {

constexpr int kScratch = 99;
constexpr size_t kScratchBytes = size_t{1} << 26;
constexpr unsigned kBlocks = 1024, kThreads = 256;
constexpr unsigned char kPoison = 0xFF;
constexpr unsigned kBins = 256;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "speed: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

unsigned blocks_for(size_t count) {
  return static_cast<unsigned>(std::min<size_t>(kBlocks, (count + kThreads - 1) / kThreads));
}

template <class Element, class At>
__global__ void fill_kernel(Element* to, size_t count, At at) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    to[i] = at(i);
}

template <class Element, class At>
void fill_on_device(Element* to, size_t count, At at) {
  if (count == 0) return;
  fill_kernel<<<blocks_for(count), kThreads>>>(to, count, at);
  check(cudaGetLastError(), "filling an array");
}

__global__ void add_pairs(Memory::Pairs* result, size_t count, unsigned seed_a, unsigned seed_b) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  double products = 0.0, sizes = 0.0;
  unsigned long long inside = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const float a = value_at(seed_a, i), b = value_at(seed_b, i);
    const double term = static_cast<double>(a) * b;
    products += term;
    sizes += fabs(term);
    inside += a * a + b * b <= 1.0f ? 1 : 0;
  }
  atomicAdd(&result->products, products);
  atomicAdd(&result->sizes, sizes);
  atomicAdd(&result->inside, inside);
}

__global__ void count_bytes(unsigned* counts, size_t count, Family family) {
  __shared__ unsigned bins[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    atomicAdd(&bins[byte_at(family, i)], 1u);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    atomicAdd(&counts[bin], bins[bin]);
}

}  // namespace

void Arrays::clear() {
  for (const auto& [which, block] : device_) cudaFree(block.start);
  for (const auto& [which, block] : host_) cudaFreeHost(block.start);
  device_.clear();
  host_.clear();
}

void* Arrays::device(int which, size_t bytes) {
  Block& block = device_[which];
  if (block.start == nullptr) {
    check(cudaMalloc(&block.start, bytes), "device memory");
    block.bytes = bytes;
  }
  check(block.bytes < bytes ? cudaErrorMemoryAllocation : cudaSuccess, "an array of two sizes");
  return block.start;
}

void* Arrays::host(int which, size_t bytes) {
  Block& block = host_[which];
  if (block.start == nullptr) {
    check(cudaMallocHost(&block.start, bytes), "page-locked memory");
    block.bytes = bytes;
  }
  check(block.bytes < bytes ? cudaErrorMemoryAllocation : cudaSuccess, "an array of two sizes");
  return block.start;
}

bool Arrays::on_host(const void* address) const {
  return std::any_of(host_.begin(), host_.end(), [address](const auto& entry) {
    const auto* start = static_cast<const char*>(entry.second.start);
    const auto* place = static_cast<const char*>(address);
    return place >= start && place < start + entry.second.bytes;
  });
}

void Arrays::fill(float* to, size_t count, unsigned seed) {
  if (!on_host(to)) {
    fill_on_device(to, count, [=] __device__(size_t i) { return value_at(seed, i); });
    return;
  }
  auto* scratch = static_cast<float*>(device(kScratch, kScratchBytes));
  for (size_t done = 0; done < count; done += kScratchBytes / sizeof(float)) {
    const size_t part = std::min(count - done, kScratchBytes / sizeof(float));
    fill_on_device(scratch, part, [=] __device__(size_t i) { return value_at(seed, done + i); });
    check(cudaMemcpy(to + done, scratch, part * sizeof(float), cudaMemcpyDeviceToHost), "a copy");
  }
}

void Arrays::fill(uint8_t* to, size_t count, Family family) {
  if (!on_host(to)) {
    fill_on_device(to, count, [=] __device__(size_t i) { return byte_at(family, i); });
    return;
  }
  auto* scratch = static_cast<uint8_t*>(device(kScratch, kScratchBytes));
  for (size_t done = 0; done < count; done += kScratchBytes) {
    const size_t part = std::min(count - done, kScratchBytes);
    fill_on_device(scratch, part, [=] __device__(size_t i) { return byte_at(family, done + i); });
    check(cudaMemcpy(to + done, scratch, part, cudaMemcpyDeviceToHost), "a copy");
  }
}

void Arrays::poison(void* to, size_t bytes) {
  if (on_host(to)) {
    std::memset(to, kPoison, bytes);
  } else {
    check(cudaMemset(to, kPoison, bytes), "poisoning an array");
  }
}

float Arrays::read(const float* from, size_t i) {
  float value = 0.0f;
  check(cudaMemcpy(&value, from + i, sizeof value, cudaMemcpyDeviceToHost), "reading a result");
  return value;
}

Memory::Pairs Arrays::pairs(size_t count, unsigned seed_a, unsigned seed_b) {
  const auto key = std::make_pair(count, seed_a * 1000 + seed_b);
  const auto found = pairs_.find(key);
  if (found != pairs_.end()) return found->second;
  Pairs sums{};
  auto* result = static_cast<Pairs*>(device(kScratch, kScratchBytes));
  check(cudaMemset(result, 0, sizeof sums), "clearing sums");
  add_pairs<<<blocks_for(count), kThreads>>>(result, count, seed_a, seed_b);
  check(cudaMemcpy(&sums, result, sizeof sums, cudaMemcpyDeviceToHost), "adding pairs");
  pairs_[key] = sums;
  return sums;
}

const std::vector<unsigned>& Arrays::byte_counts(size_t count, Family family) {
  std::vector<unsigned>& counts = counts_[{count, family}];
  if (counts.empty()) {
    counts.resize(kBins);
    auto* bins = static_cast<unsigned*>(device(kScratch, kScratchBytes));
    check(cudaMemset(bins, 0, kBins * sizeof(unsigned)), "clearing counts");
    count_bytes<<<blocks_for(count), kThreads>>>(bins, count, family);
    check(cudaMemcpy(counts.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost),
          "counting bytes");
  }
  return counts;
}

}  // namespace warpgrade::speed
