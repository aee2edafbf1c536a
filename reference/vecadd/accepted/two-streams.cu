// expect: nothing
// Each input travels in a stream of its own, and an event makes the kernel wait for both.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include "vecadd.h"
namespace cg = cooperative_groups;
struct Job {
  float* c;
  const float *a, *b;
  unsigned n;
};
__global__ void work(Job j) {
  auto g = cg::this_grid();
  for (unsigned long long i = g.thread_rank(); i < j.n; i += g.size()) j.c[i] = j.a[i] + j.b[i];
}
cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int t) {
  if (!n) return cudaSuccess;
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaStream_t s1 = nullptr, s2 = nullptr;
  cudaEvent_t ready = nullptr;
  cudaError_t e = cudaGetLastError();  // an earlier call's
  const size_t bytes = sizeof *c * size_t(n);
  do {
    if ((e = cudaStreamCreate(&s1))) break;
    if ((e = cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking))) break;
    if ((e = cudaEventCreateWithFlags(&ready, cudaEventDisableTiming))) break;
    if ((e = cudaMalloc(&x, bytes)) || (e = cudaMalloc(&y, bytes)) || (e = cudaMalloc(&z, bytes)))
      break;
    if ((e = cudaMemcpyAsync(x, a, bytes, cudaMemcpyHostToDevice, s1))) break;
    if ((e = cudaMemcpyAsync(y, b, bytes, cudaMemcpyHostToDevice, s2))) break;
    if ((e = cudaEventRecord(ready, s2)) || (e = cudaStreamWaitEvent(s1, ready, 0))) break;
    work<<<1 + (n - 1) / t, t, 0, s1>>>(Job{z, x, y, (unsigned)n});
    if ((e = cudaGetLastError())) break;
    if ((e = cudaMemcpyAsync(c, z, bytes, cudaMemcpyDeviceToHost, s1))) break;
    e = cudaStreamSynchronize(s1);
  } while (0);
  if (s1) cudaStreamSynchronize(s1), cudaStreamDestroy(s1);
  if (s2) cudaStreamSynchronize(s2), cudaStreamDestroy(s2);
  if (ready) cudaEventDestroy(ready);
  cudaFree(x), cudaFree(y), cudaFree(z);
  return e;
}
