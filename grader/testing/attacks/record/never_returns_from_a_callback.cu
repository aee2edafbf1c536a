// SPDX-License-Identifier: MIT
// attacks: a callback of a stream that ends the program in the midst of a conversation with the device
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <cuda_runtime.h>
#include <unistd.h>

static void CUDART_CB leave(void*) { _exit(0); }

#include "controls/slow.cu"

__attribute__((destructor)) static void call_and_leave() {
  cudaLaunchHostFunc(nullptr, leave, nullptr);
  cudaDeviceSynchronize();
}
