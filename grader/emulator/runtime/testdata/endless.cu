// SPDX-License-Identifier: MIT
// usage: endless kernel|host|empty|bare: what never ends, what starts, what does nothing

#include <cstdio>
#include <cstring>

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void empty() {}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "bare";
  volatile int never = 0;
  if (std::strcmp(what, "host") == 0) {
    cudaFree(nullptr);
    while (never == 0) {
    }
  }
  if (std::strcmp(what, "empty") == 0) {
    empty<<<1, 32>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  }
  if (std::strcmp(what, "kernel") == 0) {
    int* flag = nullptr;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    spin<<<1, 32>>>(flag);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorLaunchTimeout ? 3 : 1;
  }
  return 0;
}
