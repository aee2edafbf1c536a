// SPDX-License-Identifier: MIT
// What a program finds of a machine of two devices under CUDA_VISIBLE_DEVICES: the arguments are the error of its first call,
// and the bus numbers of the devices in its order. Errors were read off an H200 with driver 580.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulator/runtime/testdata/expect.h"

static void expect_all_refuse(cudaError_t error) {
  int value = 0;
  void* memory = nullptr;
  cudaDeviceProp properties;
  EXPECT(cudaGetLastError() == error);
  EXPECT(cudaGetDevice(&value) == error);
  EXPECT(cudaSetDevice(0) == error);
  EXPECT(cudaFree(nullptr) == error);
  EXPECT(cudaMalloc(&memory, 4) == error);
  EXPECT(cudaMallocHost(&memory, 4) == error);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == error);
  EXPECT(cudaDeviceSynchronize() == error);
  EXPECT(cudaPeekAtLastError() == error);
  EXPECT(cudaRuntimeGetVersion(&value) == cudaSuccess);
  EXPECT(cudaDriverGetVersion(&value) == cudaSuccess);
}

int main(int arguments, char** words) {
  int count = -9;
  const cudaError_t error = cudaGetDeviceCount(&count);
  EXPECT(std::strcmp(cudaGetErrorName(error), words[1]) == 0);
  EXPECT(count == (arguments > 2 ? arguments - 2 : -9));
  if (error != cudaSuccess) expect_all_refuse(error);
  for (int device = 0; device < arguments - 2; ++device) {
    const int bus = std::atoi(words[device + 2]);
    cudaDeviceProp properties;
    char id[20] = {};
    int found = -1;
    EXPECT(cudaGetDeviceProperties(&properties, device) == cudaSuccess);
    EXPECT(properties.pciBusID == bus && properties.uuid.bytes[0] == bus);
    EXPECT(std::strcmp(properties.name, bus == 1 ? "NVIDIA H100 80GB HBM3" : "Tesla T4") == 0);
    EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, device) == cudaSuccess);
    EXPECT(cudaDeviceGetByPCIBusId(&found, id) == cudaSuccess && found == device);
    EXPECT(cudaSetDevice(device) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
    EXPECT(cudaDeviceGetAttribute(&found, cudaDevAttrPciBusId, device) == cudaSuccess);
    EXPECT(found == bus);
  }
  EXPECT(cudaSetDevice(arguments - 2) != cudaSuccess);
  return failures;
}
