// SPDX-License-Identifier: MIT
// attacks: takes its device code back from the device while graphs, captures and handles still name it
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "kit/attack.h"

#include <cuda_runtime.h>

extern "C" void __cudaUnregisterFatBinary(void**);
extern "C" void** __cudaRegisterFatBinary(void*);

__device__ int a_variable;
__global__ void work(int* out) { *out = ++a_variable; }

/// The ends of a program whose device has ended in an unforeseen way.
static constexpr int kDeviceLost = 98;

static struct {
  int magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* file_name = nullptr;
} no_code;

/// Handles lie in a row: those of this file and of the driver's come before the next one.
static void take_back_all() {
  void** const next = __cudaRegisterFatBinary(&no_code);
  for (int k = 1; k <= 2; ++k) __cudaUnregisterFatBinary(next - k);
}

static void use_code(int how) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaFunction_t function = nullptr;
  int* out = nullptr;
  void* variable = nullptr;
  cudaMalloc(&out, 4);
  cudaStreamCreate(&stream);
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(work));
  cudaGetSymbolAddress(&variable, a_variable);
  work<<<1, 32, 0, stream>>>(out);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  work<<<1, 32, 0, stream>>>(out);
  if (how == 0) take_back_all();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  if (how == 1) take_back_all();
  for (int k = 0; k < 100; ++k) {
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    void* arguments[] = {&out};
    cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(1), dim3(32), arguments, 0, stream);
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(function));
    cudaFuncSetAttribute(reinterpret_cast<const void*>(function), cudaFuncAttributeMaxDynamicSharedMemorySize, k);
    cudaMemset(variable, 1, 4);
    void* block = nullptr;
    cudaMalloc(&block, 100 * k + 1);
    if (how == 2 && k == 3) take_back_all();
    if (how == 3 && k == 3) cudaDeviceReset();
    if (how == 3 && k == 5) take_back_all();
  }
}

static void attack() {
  for (int how = 0; how < 4; ++how) {
    const pid_t child = fork();
    if (child == 0) {
      use_code(how);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    reach(WIFEXITED(status) && WEXITSTATUS(status) == kDeviceLost, "a crash of the device");
  }
}

#include "kit/attack_first.cu"
