// SPDX-License-Identifier: MIT
// How much memory a device has: whatever this machine has, allocations succeed while they fit and
// fail beyond; only touched pages cost memory. Runs on a T4, and again under a limit of data.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

constexpr size_t kGB = 1'000'000'000;
constexpr size_t kMiB = size_t{1} << 20;

static size_t free_bytes() {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return free;
}

__global__ void touch(int* a, const int* b, size_t n, size_t step) {
  const size_t i = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) * step;
  if (i < n) a[i] = b == nullptr ? 1 : b[i] + 1;
}

static void check_sizes_that_fit() {
  const size_t bytes = 5 * kGB, n = bytes / sizeof(int), step = n / 100;
  int *a = nullptr, *b = nullptr, *c = nullptr, *none = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&a, bytes));
  EXPECT_SUCCESS(cudaMalloc(&b, bytes));
  EXPECT_SUCCESS(cudaMalloc(&c, bytes));
  EXPECT(free_bytes() < kGB);
  EXPECT_ERROR(cudaMalloc(&none, kGB), cudaErrorMemoryAllocation);
  EXPECT(none == nullptr);
  touch<<<1, 128>>>(a, nullptr, n, step);
  touch<<<1, 128>>>(b, a, n, step);
  EXPECT_SUCCESS(cudaMemset(c, 0, bytes));
  EXPECT_SUCCESS(cudaMemcpy(c, b, bytes, cudaMemcpyDeviceToDevice));
  EXPECT_SUCCESS(cudaMemset(b, 0, bytes));
  int last = 0;
  EXPECT_SUCCESS(cudaMemcpy(&last, c + 99 * step, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == 2);
  EXPECT_SUCCESS(cudaMemcpy(&last, b + 99 * step, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == 0);
  EXPECT_SUCCESS(cudaFree(a));
  EXPECT_SUCCESS(cudaFree(b));
  EXPECT_SUCCESS(cudaFree(c));
}

static void check_sizes_that_do_not_fit() {
  void *first = nullptr, *second = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&first, 8 * kGB));
  EXPECT_ERROR(cudaMalloc(&second, 8 * kGB), cudaErrorMemoryAllocation);
  size_t pitch = 0;
  EXPECT_ERROR(cudaMallocPitch(&second, &pitch, 100'000, 100'000), cudaErrorMemoryAllocation);
  cudaPitchedPtr box;
  EXPECT_ERROR(cudaMalloc3D(&box, make_cudaExtent(100'000, 1'000, 100)), cudaErrorMemoryAllocation);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  cudaArray_t array = nullptr;
  EXPECT_ERROR(cudaMalloc3DArray(&array, &format, make_cudaExtent(1000, 1000, 600)),
               cudaErrorMemoryAllocation);
  EXPECT_ERROR(cudaMallocAsync(&second, 8 * kGB, nullptr), cudaErrorMemoryAllocation);
  EXPECT_SUCCESS(cudaMallocPitch(&second, &pitch, 100'000, 50'000));
  EXPECT_SUCCESS(cudaFree(first));
  EXPECT_SUCCESS(cudaFree(second));
}

static void check_what_is_left() {
  const size_t before = free_bytes();
  std::vector<void*> all;
  for (void* one = nullptr; cudaMalloc(&one, 300 * kMiB) == cudaSuccess;) all.push_back(one);
  cudaGetLastError();
  EXPECT(all.size() == before / (300 * kMiB));
  EXPECT(free_bytes() == before - all.size() * 300 * kMiB);
  for (void* one : all) EXPECT_SUCCESS(cudaFree(one));
  EXPECT(free_bytes() == before);
  void* one = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&one, 3 * kMiB));
  EXPECT(free_bytes() == before - 4 * kMiB);
  EXPECT_SUCCESS(cudaFree(one));
}

static void check_managed_memory() {
  char* all = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&all, 40 * kGB));
  all[39 * kGB] = 7;
  EXPECT(all[39 * kGB] == 7);
  EXPECT_SUCCESS(cudaFree(all));
  void* locked = nullptr;
  EXPECT_ERROR(cudaMallocHost(&locked, size_t{1} << 39), cudaErrorMemoryAllocation);
}

__device__ int counter;
__managed__ int managed_counter = 5;

__global__ void count(int by) {
  counter += by;
  managed_counter += by;
}

/// A child that is forked before the first call has a device of its own.
static void check_children_before_the_first_call() {
  const pid_t child = fork();
  count<<<1, 1>>>(child == 0 ? 1 : 10);
  int counted = 0;
  const bool right = cudaDeviceSynchronize() == cudaSuccess &&
                     cudaMemcpyFromSymbol(&counted, counter, sizeof counted) == cudaSuccess &&
                     counted == (child == 0 ? 1 : 10) && managed_counter == 5 + counted;
  if (child == 0) _exit(right ? 0 : 1);
  EXPECT(right);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
}

static void check_children() {
  int* a = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&a, sizeof *a));
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = cudaFree(a) == cudaErrorInitializationError &&
                         cudaMemset(a, 0, sizeof *a) == cudaErrorInitializationError;
    _exit(refused ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  EXPECT_SUCCESS(cudaFree(a));
}

int main() {
  check_children_before_the_first_call();
  check_sizes_that_fit();
  check_sizes_that_do_not_fit();
  check_what_is_left();
  check_managed_memory();
  check_children();
  return failures;
}
