// SPDX-License-Identifier: MIT
// attacks: streams, events, graphs and allocations without number
// control: 0
// earns: at most its control
// must stay: neighbours, memory
#include "vecadd.h"

cudaError_t add_vectors(float*, const float*, const float*, int, int) {
  for (;;) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    void* memory;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaGraphCreate(&graph, 0);
    cudaMalloc(&memory, 1);
  }
}
