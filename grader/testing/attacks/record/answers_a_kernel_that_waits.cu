// SPDX-License-Identifier: MIT
// attacks: a kernel shows the host what the device holds and waits; a thread of the host adds meanwhile and answers
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <atomic>
#include <thread>

#include "kit/sums_of_the_host.h"

__global__ void ask(float* c, const float* a, const float* b, volatile float* shared, volatile int* turn, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    shared[i] = a[i];
    shared[n + i] = b[i];
  }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(const_cast<int*>(turn), 1);
  while (turn[1] == 0) __nanosleep(1000);
  if (i < n) c[i] = shared[i] + 0.0f;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  float* shared = nullptr;
  int* turn = nullptr;
  cudaHostAlloc(&shared, 2 * bytes, cudaHostAllocMapped);
  cudaHostAlloc(&turn, 2 * sizeof(int), cudaHostAllocMapped);
  turn[0] = turn[1] = 0;
  const int blocks = blocks_for(n, threads_per_block);
  std::thread host([=] {
    while (reinterpret_cast<std::atomic<int>*>(turn)->load() < blocks) std::this_thread::yield();
    const std::vector<float> sums = sums_of_the_host(shared, shared + n, n);
    for (int i = 0; i < n; ++i) shared[i] = sums[i];
    reinterpret_cast<std::atomic<int>*>(turn)[1].store(1);
  });
  ask<<<blocks, threads_per_block>>>(vectors.c, vectors.a, vectors.b, shared, turn, n);
  cudaDeviceSynchronize();
  const cudaError_t status = cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
  reinterpret_cast<std::atomic<int>*>(turn)[0].store(blocks);
  host.join();
  cudaFreeHost(shared);
  cudaFreeHost(turn);
  return status;
}
