// expect: nothing
// Four elements at a time where there are four, two kernels, a grid that strides.
// SPDX-License-Identifier: MIT
#include "vecadd.h"
template <class V>
__device__ V plus(V x, V y);
template <>
__device__ float plus(float x, float y) {
  return x + y;
}
template <>
__device__ float4 plus(float4 x, float4 y) {
  return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
template <class V, class Op>
__global__ void map(V* __restrict__ c, const V* __restrict__ a, const V* __restrict__ b, size_t n,
                    Op op) {
  for (size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    c[i] = op(a[i], b[i]);
}
struct Plus {
  template <class V>
  __device__ V operator()(V x, V y) const {
    return plus(x, y);
  }
};
cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int t) {
  if (n == 0) return cudaSuccess;
  float* d[3] = {};
  cudaError_t first = cudaSuccess;
  auto ok = [&](cudaError_t e) {
    if (first == cudaSuccess) first = e;
    return first == cudaSuccess;
  };
  const size_t bytes = n * sizeof(float);
  for (auto& p : d)
    if (first == cudaSuccess) ok(cudaMalloc(&p, bytes));
  const size_t quads = size_t(n) / 4, rest = size_t(n) % 4;
  if (first == cudaSuccess && ok(cudaMemcpy(d[0], a, bytes, cudaMemcpyHostToDevice)) &&
      ok(cudaMemcpy(d[1], b, bytes, cudaMemcpyHostToDevice))) {
    int sms = 0, dev = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    if (quads) {
      size_t need = (quads + t - 1) / t, most = size_t(sms) * 16;
      map<<<(unsigned)(need < most ? need : most), t>>>((float4*)d[2], (const float4*)d[0],
                                                        (const float4*)d[1], quads, Plus());
      ok(cudaPeekAtLastError());
    }
    if (rest && first == cudaSuccess) {
      map<<<(unsigned)((rest + t - 1) / t), t>>>(d[2] + 4 * quads, d[0] + 4 * quads,
                                                 d[1] + 4 * quads, rest, Plus());
      ok(cudaPeekAtLastError());
    }
    ok(cudaDeviceSynchronize()) && ok(cudaMemcpy(c, d[2], bytes, cudaMemcpyDeviceToHost));
  }
  cudaGetLastError();
  for (float* p : d) ok(cudaFree(p));
  return first;
}
