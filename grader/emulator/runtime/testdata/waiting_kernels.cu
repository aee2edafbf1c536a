// SPDX-License-Identifier: MIT
// Kernels that wait for what the host, or a kernel in another stream or on another device, writes; with an argument, for what
// a copy writes, which the race checker takes for a race.
#include <chrono>
#include <thread>

#include "emulator/runtime/testdata/expect.h"

// Plain accesses: where the host has no atomic operations over its bus, one of two devices may undo what the other wrote.
__device__ void set(volatile int* flag, int value) {
  __threadfence_system();
  *flag = value;
}

__device__ void wait_for(volatile int* flag, int value) {
  while (*flag != value) {
  }
  __threadfence_system();
}

__global__ void wait_then_set(int* awaited, int* answer) {
  if (threadIdx.x == 0) wait_for(awaited, 1);
  __syncthreads();
  if (threadIdx.x == 0) set(answer, 2);
}

__global__ void set_one(int* flag) { set(flag, 1); }

/// Passes a number to and fro; `mine` says whose turn it is at first.
__global__ void exchange(int* ball, int mine, int rounds, int* sum) {
  for (int round = 0; round < rounds; ++round) {
    wait_for(ball, 2 * round + mine);
    *sum += 2 * round + mine;
    set(ball, 2 * round + mine + 1);
  }
}

/// Each block waits for the one before it, and the first for a flag.
__global__ void chain(int* flags) {
  wait_for(flags + blockIdx.x, 1), set(flags + blockIdx.x + 1, 1);
}

/// A barrier of all blocks, as programs had it before cooperative launches: each waits for one value of the counter, which
/// the first one that goes on changes again. Blocks that are resident all see it on a GPU.
__global__ void meet_often(int* met, int* sums, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    atomicAdd(sums + round % 2, 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(met, 1);
      while (*static_cast<volatile int*>(met) != round * static_cast<int>(gridDim.x)) {
      }
    }
    __syncthreads();
  }
}

static int* mapped(int count) {
  int* memory = nullptr;
  EXPECT_SUCCESS(
      cudaHostAlloc(&memory, count * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  for (int i = 0; i < count; ++i) memory[i] = 0;
  return memory;
}

static void check_host_sets_a_flag() {
  volatile int* const flags = mapped(2);
  int* const device = const_cast<int*>(flags);
  wait_then_set<<<1, 64>>>(device, device + 1);
  EXPECT_SUCCESS(cudaGetLastError());
  flags[0] = 1;
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(flags[1] == 2);
  EXPECT_SUCCESS(cudaFreeHost(device));
}

static void check_host_waits_without_a_call() {
  volatile int* const flags = mapped(2);
  int* const device = const_cast<int*>(flags);
  wait_then_set<<<1, 32>>>(device, device + 1);
  flags[0] = 1;
  while (flags[1] == 0) {
  }
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(flags[1] == 2);
  EXPECT_SUCCESS(cudaFreeHost(device));
}

static void check_streams() {
  int *flags = nullptr, answer = 0;
  EXPECT_SUCCESS(cudaMalloc(&flags, 2 * sizeof(int)));
  set_one<<<1, 1>>>(flags);  // CUDA loads it now, for which it would wait until kernels have ended.
  EXPECT_SUCCESS(cudaMemset(flags, 0, 2 * sizeof(int)));
  cudaStream_t one, two;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  wait_then_set<<<1, 32, 0, one>>>(flags, flags + 1);
  EXPECT_ERROR(cudaStreamQuery(one), cudaErrorNotReady);
  EXPECT_SUCCESS(cudaStreamQuery(two));
  set_one<<<1, 1, 0, two>>>(flags);
  EXPECT_SUCCESS(cudaStreamSynchronize(one));
  EXPECT_SUCCESS(cudaStreamQuery(one));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaMemcpy(&answer, flags + 1, sizeof answer, cudaMemcpyDeviceToHost));
  EXPECT(answer == 2);
  EXPECT_SUCCESS(cudaStreamDestroy(one));
  EXPECT_SUCCESS(cudaStreamDestroy(two));
  EXPECT_SUCCESS(cudaFree(flags));
}

static void check_later_copy() {
  int *flags = nullptr, answer = 0;
  int* const one = mapped(1);
  *one = 1;
  EXPECT_SUCCESS(cudaMalloc(&flags, 2 * sizeof(int)));
  EXPECT_SUCCESS(cudaMemset(flags, 0, 2 * sizeof(int)));
  cudaStream_t kernels, copies;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  wait_then_set<<<1, 32, 0, kernels>>>(flags, flags + 1);
  EXPECT_SUCCESS(cudaMemcpyAsync(flags, one, sizeof *one, cudaMemcpyHostToDevice, copies));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaMemcpy(&answer, flags + 1, sizeof answer, cudaMemcpyDeviceToHost));
  EXPECT(answer == 2);
  EXPECT_SUCCESS(cudaStreamDestroy(kernels));
  EXPECT_SUCCESS(cudaStreamDestroy(copies));
  EXPECT_SUCCESS(cudaFreeHost(one));
  EXPECT_SUCCESS(cudaFree(flags));
}

static void check_chain_of_blocks() {
  constexpr int kBlocks = 50;
  volatile int* const flags = mapped(kBlocks + 1);
  int* const device = const_cast<int*>(flags);
  chain<<<kBlocks, 1>>>(device);
  flags[0] = 1;
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(flags[kBlocks] == 1);
  EXPECT_SUCCESS(cudaFreeHost(device));
}

static void check_two_devices() {
  constexpr int kRounds = 100;
  int* const memory = mapped(3);
  for (int device = 0; device < 2; ++device) {
    EXPECT_SUCCESS(cudaSetDevice(device));
    exchange<<<1, 1>>>(memory, device, kRounds, memory + 1 + device);
    EXPECT_SUCCESS(cudaGetLastError());
  }
  for (int device = 0; device < 2; ++device) {
    EXPECT_SUCCESS(cudaSetDevice(device));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
  }
  EXPECT(memory[0] == 2 * kRounds);
  EXPECT(memory[1] == kRounds * (kRounds - 1) && memory[2] == kRounds * kRounds);
  EXPECT_SUCCESS(cudaSetDevice(0));
  EXPECT_SUCCESS(cudaFreeHost(memory));
}

static void check_peer_memory() {
  int *flags = nullptr, answer = 0;
  EXPECT_SUCCESS(cudaSetDevice(1));
  EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_SUCCESS(cudaSetDevice(0));
  EXPECT_SUCCESS(cudaMalloc(&flags, 2 * sizeof(int)));
  EXPECT_SUCCESS(cudaMemset(flags, 0, 2 * sizeof(int)));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  wait_then_set<<<1, 32>>>(flags, flags + 1);
  EXPECT_SUCCESS(cudaSetDevice(1));
  set_one<<<1, 1>>>(flags);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaDeviceDisablePeerAccess(0));
  EXPECT_SUCCESS(cudaSetDevice(0));
  EXPECT_SUCCESS(cudaMemcpy(&answer, flags + 1, sizeof answer, cudaMemcpyDeviceToHost));
  EXPECT(answer == 2);
  EXPECT_SUCCESS(cudaFree(flags));
}

/// A thread that waits leaves the device to others.
static void check_threads(unsigned flags_of_streams) {
  int *flags = nullptr, answer = 0;
  EXPECT_SUCCESS(cudaMalloc(&flags, 2 * sizeof(int)));
  EXPECT_SUCCESS(cudaMemset(flags, 0, 2 * sizeof(int)));
  cudaStream_t one, two;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&one, flags_of_streams));
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&two, flags_of_streams));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  wait_then_set<<<1, 32, 0, one>>>(flags, flags + 1);
  std::thread other([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    set_one<<<1, 1, 0, two>>>(flags);
    EXPECT_SUCCESS(cudaStreamSynchronize(two));
  });
  EXPECT_SUCCESS(cudaStreamSynchronize(one));
  other.join();
  EXPECT_SUCCESS(cudaMemcpy(&answer, flags + 1, sizeof answer, cudaMemcpyDeviceToHost));
  EXPECT(answer == 2);
  EXPECT_SUCCESS(cudaStreamDestroy(one));
  EXPECT_SUCCESS(cudaStreamDestroy(two));
  EXPECT_SUCCESS(cudaFree(flags));
}

static void check_barrier_of_all_blocks() {
  constexpr int kBlocks = 16, kThreads = 64, kRounds = 20;
  int *memory = nullptr, counts[3] = {};
  EXPECT_SUCCESS(cudaMalloc(&memory, sizeof counts));
  EXPECT_SUCCESS(cudaMemset(memory, 0, sizeof counts));
  meet_often<<<kBlocks, kThreads>>>(memory, memory + 1, kRounds);
  EXPECT_SUCCESS(cudaMemcpy(counts, memory, sizeof counts, cudaMemcpyDeviceToHost));
  EXPECT(counts[0] == kBlocks * kRounds);
  EXPECT(counts[1] + counts[2] == kBlocks * kThreads * kRounds);
  EXPECT_SUCCESS(cudaFree(memory));
}

int main(int count, char**) {
  if (count > 1) {
    check_later_copy();
    return failures;
  }
  check_host_sets_a_flag();
  check_host_waits_without_a_call();
  check_streams();
  check_threads(cudaStreamNonBlocking);
  check_threads(cudaStreamDefault);
  check_chain_of_blocks();
  check_barrier_of_all_blocks();
  check_two_devices();
  check_peer_memory();
  return failures;
}
