// SPDX-License-Identifier: MIT
// Kernels that print, and what the program does then: its argument. printing_test.py reads what is shown.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void hello() { printf("hello %d\n", static_cast<int>(threadIdx.x)); }
__global__ void traps() {
  printf("last words");
  asm volatile("trap;");
}
__global__ void fails(int n) {
  assert(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) < n);
}

int main(int, char** words) {
  const std::string then = words[1];
  volatile bool never = false;
  int *memory = nullptr, value = 0;
  cudaEvent_t event;
  cudaMalloc(&memory, sizeof(int));
  cudaEventCreate(&event);
  if (then == "asserts") fails<<<2, 32>>>(62);
  if (then == "traps") traps<<<1, 1>>>();
  if (then != "asserts" && then != "traps") hello<<<1, 2>>>();
  cudaEventRecord(event);
  std::puts("host");
  if (then == "waits for the device") cudaDeviceSynchronize();
  if (then == "waits for the stream") cudaStreamSynchronize(nullptr);
  if (then == "waits for the event") cudaEventSynchronize(event);
  if (then == "copies") cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
  if (then == "resets") cudaDeviceReset();
  if (then == "is called back")
    cudaLaunchHostFunc(
        nullptr, [](void*) { std::puts("called"); }, nullptr);
  if (then == "launches") hello<<<1, 1>>>();
  if (then == "aborts") std::abort();
  while (then == "hangs" && !never) {
  }
  std::puts("end");
  // Memory would be freed by a call that waits.
  return then != "resets" && cudaEventDestroy(event) != cudaSuccess;
}
