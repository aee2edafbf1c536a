// SPDX-License-Identifier: MIT
// Kernels that launch kernels: arguments, shapes, shared memory, order, nesting, tail launches.
#include <vector>

#include "emulator/runtime/testdata/expect.h"

struct Mixed {
  char a;
  double b;
};

__global__ void child(int* out, Mixed mixed, short last) {
  extern __shared__ int scratch[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[threadIdx.x] = i + mixed.a + static_cast<int>(mixed.b) + last;
  __syncthreads();
  out[i] += scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void sum(const int* values, int count, int* out) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += values[i];
  *out = total;
}

/// Children see what their parent wrote, and one launched later sees what one launched earlier wrote.
__global__ void parent(int* values, int* out) {
  values[threadIdx.x] = 1000;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum<<<1, 1, 0, cudaStreamTailLaunch>>>(values, 64, out);
  child<<<2, 32, 32 * sizeof(int)>>>(values, Mixed{1, 2.5}, 3);
  child<<<2, 32, 32 * sizeof(int)>>>(values, Mixed{0, 0}, 1);
  *out = cudaGetLastError() == cudaSuccess ? 1 : 2;
}

void order_and_arguments() {
  int *values = nullptr, *out = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&values, 64 * sizeof(int)));
  EXPECT_SUCCESS(cudaMalloc(&out, sizeof(int)));
  parent<<<1, 64>>>(values, out);
  EXPECT_SUCCESS(cudaGetLastError());
  int total = 0;
  EXPECT_SUCCESS(cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost));
  EXPECT(total == 64 * 1000 + 64 * 63 + 64 * 7);
  EXPECT_SUCCESS(cudaFree(values));
  EXPECT_SUCCESS(cudaFree(out));
}

/// Each of its threads launches one more block, down to depth 0.
__global__ void tree(int depth, int* visited) {
  atomicAdd(&visited[depth], 1);
  if (depth == 0) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  tree<<<1, 2, 0, stream>>>(depth - 1, visited);
  cudaStreamDestroy(stream);
}

void nesting() {
  int* visited = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&visited, 5 * sizeof(int)));
  for (int i = 0; i < 5; ++i) visited[i] = 0;
  tree<<<1, 2>>>(4, visited);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (int depth = 0; depth < 5; ++depth) EXPECT(visited[depth] == 1 << (5 - depth));
  EXPECT_SUCCESS(cudaFree(visited));
}

/// Threads of many blocks launch at the same time.
__global__ void scatter(int* out) {
  if (threadIdx.x == 0) child<<<1, 4, 4 * sizeof(int)>>>(out + blockIdx.x * 4, Mixed{0, 0}, 0);
}

void many_blocks() {
  constexpr int kBlocks = 100;
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&out, kBlocks * 4 * sizeof(int)));
  EXPECT_SUCCESS(cudaMemset(out, 0, kBlocks * 4 * sizeof(int)));
  scatter<<<kBlocks, 32>>>(out);
  std::vector<int> got(kBlocks * 4);
  EXPECT_SUCCESS(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < kBlocks * 4; ++i) wrong += got[i] != 3 - i % 4;
  EXPECT(wrong == 0);
  EXPECT_SUCCESS(cudaFree(out));
}

/// Each thread has an error of its own.
__global__ void refused(int* errors) {
  const int t = threadIdx.x;
  if (t % 2 != 0) tree<<<1, 0>>>(0, errors);
  errors[t] = cudaPeekAtLastError();
  errors[t] += cudaGetLastError();
  errors[t] += cudaGetLastError();
}

void errors_of_threads() {
  int* errors = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&errors, 4 * sizeof(int)));
  refused<<<1, 4>>>(errors);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (int t = 0; t < 4; ++t)
    EXPECT(errors[t] == (t % 2 != 0 ? 2 * cudaErrorInvalidConfiguration : 0));
  EXPECT_SUCCESS(cudaFree(errors));
}

int main() {
  errors_of_threads();
  order_and_arguments();
  nesting();
  many_blocks();
  return failures;
}
