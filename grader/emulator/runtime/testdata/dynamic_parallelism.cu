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

__global__ void add_index(int* values) { values[threadIdx.x] += threadIdx.x; }

/// What a block launches, copies and fills happens in the order in which it asked for it.
__global__ void transfers(int* values, int* copy, int* rows) {
  cudaMemsetAsync(values, 1, 64 * sizeof(int), 0);
  add_index<<<1, 64>>>(values);
  cudaMemcpyAsync(copy, values, 64 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  add_index<<<1, 64>>>(values);
  cudaMemset2DAsync(rows, 8 * sizeof(int), 2, 4 * sizeof(int), 8, 0);
  cudaMemcpy2DAsync(rows + 4, 8 * sizeof(int), copy, 8 * sizeof(int), 4 * sizeof(int), 8,
                    cudaMemcpyDeviceToDevice, 0);
}

void copies_and_fills() {
  int *values = nullptr, *copy = nullptr, *rows = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&values, 64 * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&copy, 64 * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&rows, 64 * sizeof(int)));
  transfers<<<1, 1>>>(values, copy, rows);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    wrong += copy[i] != 0x01010101 + i || values[i] != 0x01010101 + 2 * i;
    wrong += rows[i] != (i % 8 < 4 ? 0x02020202 : copy[i - 4]);
  }
  EXPECT(wrong == 0);
  EXPECT_SUCCESS(cudaFree(values));
  EXPECT_SUCCESS(cudaFree(copy));
  EXPECT_SUCCESS(cudaFree(rows));
}

/// Memory of cudaMalloc goes back by cudaFree; texts of errors can be read.
__global__ void memory_and_texts(int* out) {
  int* memory = nullptr;
  out[0] = cudaMalloc(&memory, 16 * sizeof(int));
  memory[3] = 7;
  out[1] = memory[3];
  out[2] = cudaFree(memory);
  out[3] = cudaFree(memory + 1);
  cudaGetLastError();
  const char* const text = cudaGetErrorString(cudaErrorInvalidValue);
  out[4] = text[0] == 'i' && text[8] == 'a' && text[16] == 0;
  out[5] = cudaGetErrorName(cudaSuccess)[4];
  int count = 0;
  cudaGetDeviceCount(&count);
  out[6] = count;
}

void device_memory_and_texts() {
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 8 * sizeof(int)));
  memory_and_texts<<<1, 1>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == cudaSuccess && out[1] == 7 && out[2] == cudaSuccess);
  EXPECT(out[3] == cudaErrorInvalidValue);
  EXPECT(out[4] == 1 && out[5] == 'S' && out[6] == 1);
  EXPECT_SUCCESS(cudaFree(out));
}

/// Programs of the first dynamic parallelism set this before they launch.
void depth_of_synchronisation() {
  size_t depth = 0;
  EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
  EXPECT_SUCCESS(cudaDeviceGetLimit(&depth, cudaLimitDevRuntimeSyncDepth));
  EXPECT(depth == 4);
}

int main() {
  depth_of_synchronisation();
  copies_and_fills();
  device_memory_and_texts();
  errors_of_threads();
  order_and_arguments();
  nesting();
  many_blocks();
  return failures;
}
