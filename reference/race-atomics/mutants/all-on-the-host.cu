// expect: atomic-on-device, racy-on-device, by-blocks-on-device, statistics-on-device,
// relay-on-device, maxima-on-device, record-on-device, record-loaded, record-stored, racy-loses,
// racy-reported, atomic-right, atomic-race-free, atomic-each-thread, by-blocks-right,
// by-blocks-race-free, by-blocks-shared, by-blocks-atomics, racy-timed, atomic-timed,
// by-blocks-timed, speed, statistics-atomics, statistics-right, statistics-race-free,
// relay-atomics, relay-right, relay-race-free, maxima-atomics, maxima-right, maxima-race-free,
// record-threads, record-right, lock-each-value, lock-orders, counters-freed, record-freed,
// statistics-freed, relay-freed, maxima-freed, each-visited, by-blocks-threads, counters-shape,
// by-blocks-meet, statistics-by-atomics, maxima-by-atomics, atomic-threads, atomic-writers,
// racy-threads, relay-at-once, relay-threads, relay-by-atomics, lock-at-once, record-extremes
// class: H1. Everything is computed on the host and copied to where a kernel should have left it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cfloat>
#include <climits>
#include <vector>

#include "race-atomics.h"

template <class T>
static std::vector<T> fetch(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

template <class T>
static void put(T* device, const T& value) {
  cudaMemcpy(device, &value, sizeof(T), cudaMemcpyHostToDevice);
}

__global__ void nothing() {}

static float count(int* counter, int value) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start);
  nothing<<<1, 1>>>();
  cudaEventRecord(stop);
  put(counter, value);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return ms;
}

float count_racy(int* counter, int blocks, int threads) {
  return count(counter, blocks * threads / 2);
}
float count_atomic(int* counter, int blocks, int threads) {
  return count(counter, blocks * threads);
}
float count_by_blocks(int* counter, int blocks, int threads) {
  return count(counter, blocks * threads);
}

void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  Statistics s = {INT_MAX, INT_MIN, ~0u, 0, 0, 0, stock};
  for (int v : fetch(values, n)) {
    s.smallest = std::min(s.smallest, v);
    s.largest = std::max(s.largest, v);
    s.in_all &= v;
    s.in_any |= v;
    s.in_odd ^= v;
    if (v >= 0) {
      s.seat = (s.seat + 1) % seats;
    } else {
      s.tickets = s.tickets == 0 ? stock : s.tickets - 1;
    }
  }
  put(result, s);
}

void relay(unsigned* baton, unsigned* received, int n) {
  std::vector<unsigned> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  cudaMemcpy(received, order.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  put(baton, static_cast<unsigned>(n));
}

void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  std::vector<float> found(group_count, -FLT_MAX);
  const std::vector<float> v = fetch(values, n);
  const std::vector<int> g = fetch(groups, n);
  for (int i = 0; i < n; ++i) found[g[i]] = std::max(found[g[i]], v[i]);
  cudaMemcpy(maxima, found.data(), group_count * sizeof(float), cudaMemcpyHostToDevice);
}

void locked_record(Record* record, const int* values, int n) {
  Record r = {0, INT_MIN, -1};
  for (int v : fetch(values, n)) {
    if (r.where < 0 || v > r.largest) r = {r.visits, v, r.visits};
    ++r.visits;
  }
  put(record, r);
}
