// SPDX-License-Identifier: MIT
// attacks: a result goes through ten thousand copies within the device, which whoever asks where it came from
// must follow
// control: copies_an_input
// earns: at most its control
// must stay: neighbours, memory
#include "kit/carry_sums.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  constexpr int kCopies = 500, kLaunches = 20, kReadBack = 64;
  const size_t bytes = n * sizeof(float);
  Vectors vectors(bytes);
  upload(vectors, a, b, n);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < kCopies; ++i) {
    float *const from = i % 2 ? vectors.b : vectors.c, *const to = i % 2 ? vectors.c : vectors.b;
    cudaMemcpyAsync(to, from, sizeof(float), cudaMemcpyDeviceToDevice, stream);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  add<<<1, 32>>>(vectors.a, vectors.a, vectors.a, 0);
  for (int i = 0; i < kLaunches; ++i) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  for (int i = 0; i < kReadBack; ++i) cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
  return cudaSuccess;
}
