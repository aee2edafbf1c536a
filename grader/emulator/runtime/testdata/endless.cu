// SPDX-License-Identifier: MIT
// usage: endless kernel|pair|host|empty|bare: what never ends (two kernels that wait for each other), what starts, what
// does nothing

#include <cstdio>
#include <cstring>

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void wait_first(volatile int* mine, volatile int* others) {
  while (*others == 0) {
  }
  *mine = 1;
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
  if (std::strcmp(what, "pair") == 0) {
    int* flags = nullptr;
    cudaHostAlloc(&flags, 2 * sizeof *flags, cudaHostAllocPortable);
    flags[0] = flags[1] = 0;
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      wait_first<<<1, 32>>>(flags + device, flags + 1 - device);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(error));
    return error == cudaErrorLaunchTimeout ? 3 : 1;
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
