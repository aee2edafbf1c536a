// expect: nothing
// SPDX-License-Identifier: MIT
// The copies and the kernel are captured once and launched as a graph.
#include "vecadd.h"

static __global__ void kern(float* c, float const* a, float const* b, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = __fadd_rn(__ldg(a + i), __ldg(b + i));
}
cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaStream_t s = nullptr;
  cudaGraph_t g = nullptr;
  cudaGraphExec_t ge = nullptr;
  cudaError_t first = cudaSuccess;
  auto ok = [&](cudaError_t e) {
    if (first == cudaSuccess) first = e;
    return first == cudaSuccess;
  };
  const size_t bytes = size_t(n) * sizeof *c;
  if (ok(cudaMalloc(&x, bytes)) && ok(cudaMalloc(&y, bytes)) && ok(cudaMalloc(&z, bytes)) &&
      ok(cudaStreamCreate(&s))) {
    ok(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ok(cudaMemcpyAsync(x, a, bytes, cudaMemcpyHostToDevice, s));
    ok(cudaMemcpyAsync(y, b, bytes, cudaMemcpyHostToDevice, s));
    kern<<<unsigned((n + (long long)threads_per_block - 1) / threads_per_block), threads_per_block,
           0, s>>>(z, x, y, n);
    ok(cudaGetLastError());
    ok(cudaMemcpyAsync(c, z, bytes, cudaMemcpyDeviceToHost, s));
    cudaError_t e = cudaStreamEndCapture(s, &g);
    ok(e);
    if (first == cudaSuccess && ok(cudaGraphInstantiate(&ge, g, 0)) && ok(cudaGraphLaunch(ge, s)))
      ok(cudaStreamSynchronize(s));
  }
  if (ge) cudaGraphExecDestroy(ge);
  if (g) cudaGraphDestroy(g);
  if (s) cudaStreamDestroy(s);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  // A refused launch breaks the capture, and each call on it leaves its error.
  if (first != cudaSuccess) cudaGetLastError();
  return first;
}
