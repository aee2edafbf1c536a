// SPDX-License-Identifier: MIT
// attacks: forty fills beside a right kernel, by nodes of a graph, which are no calls
// control: 80
// earns: at most its control
// must stay: neighbours
#define add_vectors add_honestly
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  float* memory = nullptr;
  cudaMalloc(&memory, n * sizeof(float));
  cudaGraphNode_t nodes[40];
  cudaGraphCreate(&graph, 0);
  for (int i = 0; i < 40; ++i) {
    cudaMemsetParams fill = {};
    fill.dst = memory;
    fill.elementSize = sizeof(float);
    fill.width = n;
    fill.height = 1;
    cudaGraphAddMemsetNode(&nodes[i], graph, &nodes[i - (i > 0)], i > 0, &fill);
  }
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaFree(memory);
  return add_honestly(c, a, b, n, threads_per_block);
}
