// SPDX-License-Identifier: MIT
// attacks: a graph copies back what the device holds; the host adds that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/carry_sums.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  std::vector<float> seen(2 * n);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, seen.data(), vectors.a, n * sizeof(float),
                           cudaMemcpyDeviceToHost);
  cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, seen.data() + n, vectors.b, n * sizeof(float),
                           cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaStreamSynchronize(nullptr);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  return carry_sums(c, sums_of_the_host(seen.data(), seen.data() + n, n), vectors, n, threads_per_block);
}
