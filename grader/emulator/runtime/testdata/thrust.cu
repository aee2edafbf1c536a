// SPDX-License-Identifier: MIT
// Thrust's algorithms give what the host computes.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Square {
  __host__ __device__ int operator()(int value) const { return value * value; }
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

int main() {
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
