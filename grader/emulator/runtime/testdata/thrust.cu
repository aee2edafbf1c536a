// SPDX-License-Identifier: MIT
// Thrust's algorithms give what the host computes.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Square {
  __host__ __device__ int operator()(int value) const { return value * value; }
};

struct IsOdd {
  __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

static int failures = 0;

static void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("%s is wrong\n", what);
}

static std::vector<int> to_host(const thrust::device_vector<int>& device) {
  std::vector<int> host(device.size());
  thrust::copy(device.begin(), device.end(), host.begin());
  return host;
}

/// Several blocks of it change the array in place: each waits until those before it have loaded.
static void test_in_place() {
  std::vector<int> values(20'011);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i / 3 % 1000);
  thrust::device_vector<int> device(values.begin(), values.end());
  device.erase(thrust::unique(device.begin(), device.end()), device.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  expect(to_host(device) == values, "thrust::unique");
  device.erase(thrust::remove_if(device.begin(), device.end(), IsOdd{}), device.end());
  std::erase_if(values, IsOdd{});
  expect(to_host(device) == values, "thrust::remove_if");
}

int main() {
  test_in_place();
  constexpr int kCount = 5'003;
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = (i * 7919) % 1009 - 500;
  thrust::device_vector<int> device(values.begin(), values.end());

  expect(thrust::reduce(device.begin(), device.end()) ==
             std::accumulate(values.begin(), values.end(), 0),
         "thrust::reduce");

  thrust::device_vector<int> other(kCount);
  thrust::transform(device.begin(), device.end(), other.begin(), Square{});
  std::vector<int> squares(kCount);
  std::transform(values.begin(), values.end(), squares.begin(), Square{});
  expect(to_host(other) == squares, "thrust::transform");

  thrust::exclusive_scan(device.begin(), device.end(), other.begin());
  std::vector<int> sums(kCount);
  std::exclusive_scan(values.begin(), values.end(), sums.begin(), 0);
  expect(to_host(other) == sums, "thrust::exclusive_scan");

  thrust::sort(device.begin(), device.end(), thrust::greater<int>());
  std::sort(values.begin(), values.end(), std::greater<int>());
  expect(to_host(device) == values, "thrust::sort");
  return failures;
}
