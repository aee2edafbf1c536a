// SPDX-License-Identifier: MIT
// CUB's device-wide algorithms give what the host computes.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static int failures = 0;

static void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("%s is wrong (%s)\n", what, cudaGetErrorString(cudaGetLastError()));
}

template <class T>
static T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
static std::vector<T> to_host(const T* device, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

// CUB's algorithms are called twice: for the size of their scratch memory, then to run.
template <class Algorithm>
static cudaError_t run(Algorithm algorithm) {
  void* scratch = nullptr;
  size_t bytes = 0;
  cudaError_t error = algorithm(scratch, bytes);
  if (error == cudaSuccess) error = cudaMalloc(&scratch, bytes);
  if (error == cudaSuccess) error = algorithm(scratch, bytes);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  cudaFree(scratch);
  return error;
}

struct Less {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

/// Sorts the first `count` of a tile in each block. The last thread merges up to the tile's end.
template <int Threads, int Items>
__global__ void sort_tile(int* keys, int count) {
  using Sort = cub::BlockMergeSort<int, Threads, Items>;
  __shared__ typename Sort::TempStorage storage;
  int mine[Items];
  const int first = threadIdx.x * Items;
  for (int i = 0; i < Items; ++i) mine[i] = first + i < count ? keys[first + i] : 0;
  Sort(storage).Sort(mine, Less{}, count, 1 << 30);
  for (int i = 0; i < Items; ++i) {
    if (first + i < count) keys[first + i] = mine[i];
  }
}

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value & 1; }
};

int main() {
  constexpr int kCount = 10'007;
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<int>(1103515245u * i + 12345u) >> 12;
  int* in = to_device(values);
  int* out = to_device(std::vector<int>(kCount));

  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, in, out, kCount);
  });
  expect(to_host(out, 1)[0] == std::accumulate(values.begin(), values.end(), 0),
         "DeviceReduce::Sum");
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceReduce::Max(scratch, bytes, in, out, kCount);
  });
  expect(to_host(out, 1)[0] == *std::max_element(values.begin(), values.end()),
         "DeviceReduce::Max");

  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, kCount);
  });
  std::vector<int> sums(kCount);
  std::partial_sum(values.begin(), values.end(), sums.begin());
  expect(to_host(out, kCount) == sums, "DeviceScan::InclusiveSum");

  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, kCount);
  });
  std::vector<int> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  expect(to_host(out, kCount) == sorted, "DeviceRadixSort::SortKeys");

  int* selected = to_device(std::vector<int>(1));
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, in, out, selected, kCount, IsOdd{});
  });
  std::vector<int> odd;
  std::copy_if(values.begin(), values.end(), std::back_inserter(odd), IsOdd{});
  expect(to_host(selected, 1)[0] == static_cast<int>(odd.size()), "the count of DeviceSelect::If");
  expect(to_host(out, odd.size()) == odd, "DeviceSelect::If");

  std::vector<float> samples(kCount);
  for (int i = 0; i < kCount; ++i) samples[i] = static_cast<float>(i % 100);
  float* sampled = to_device(samples);
  int* bins = to_device(std::vector<int>(10));
  run([&](void* scratch, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, sampled, bins, 11, 0.0f, 100.0f,
                                               kCount);
  });
  std::vector<int> wanted(10);
  for (float sample : samples) ++wanted[static_cast<int>(sample) / 10];
  expect(to_host(bins, 10) == wanted, "DeviceHistogram::HistogramEven");

  for (const int count : {kCount, 1000, 257}) {
    std::vector<int> sorted(values.begin(), values.begin() + count);
    int* keys = to_device(sorted);
    run([&](void* scratch, size_t& bytes) {
      return cub::DeviceMergeSort::SortKeys(scratch, bytes, keys, count, Less{});
    });
    std::sort(sorted.begin(), sorted.end());
    expect(to_host(keys, count) == sorted, "DeviceMergeSort::SortKeys");
  }
  for (const int count : {512, 511, 100}) {
    std::vector<int> sorted(values.begin(), values.begin() + count);
    int* keys = to_device(sorted);
    sort_tile<128, 4><<<1, 128>>>(keys, count);
    std::sort(sorted.begin(), sorted.end());
    expect(to_host(keys, count) == sorted, "BlockMergeSort");
  }
  return failures;
}
