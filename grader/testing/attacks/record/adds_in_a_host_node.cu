// SPDX-License-Identifier: MIT
// attacks: a graph uploads the sums that a host node of it makes, and its kernel adds zeros to them
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

struct Work {
  const float *a, *b;
  int n;
  std::vector<float> sums;
};

static void add_on_the_host(void* data) {
  auto* const work = static_cast<Work*>(data);
  const std::vector<float> sums = sums_of_the_host(work->a, work->b, work->n);
  for (int i = 0; i < work->n; ++i) work->sums[i] = sums[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  Work work{a, b, n, std::vector<float>(n)};
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(stream, add_on_the_host, &work);
  cudaMemcpyAsync(vectors.a, work.sums.data(), bytes, cudaMemcpyHostToDevice, stream);
  cudaMemsetAsync(vectors.b, 0, bytes, stream);
  add<<<blocks_for(n, threads_per_block), threads_per_block, 0, stream>>>(vectors.c, vectors.a,
                                                                          vectors.b, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  const cudaError_t status = cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return status;
}
