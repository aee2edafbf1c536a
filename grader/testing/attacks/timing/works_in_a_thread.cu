// SPDX-License-Identifier: MIT
// attacks: a second thread works slowly between the graded calls, on what the last call left
// control: slow
// earns: at most its control
// must stay: neighbours
#include <unistd.h>

#include <thread>

#include "controls/slow.cu"

__global__ void work(float* c) {
  for (int k = 0; k < 1000; ++k) reinterpret_cast<volatile float*>(c)[threadIdx.x] = k + 1.0f;
}

__attribute__((constructor)) static void start() {
  std::thread([] {
    float* c = nullptr;
    usleep(20000);
    cudaMalloc(&c, 1024);
    for (int i = 0; i < 100; ++i) work<<<8, 256>>>(c);
  }).detach();
}
