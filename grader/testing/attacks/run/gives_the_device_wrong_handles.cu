// SPDX-License-Identifier: MIT
// attacks: handles and addresses that the device never gave
// control: honest
// earns: at most its control
// must stay: neighbours, processes

#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  for (const size_t number : {size_t{0x41414141}, size_t{1}, ~size_t{0}, size_t{0x7fffffff0000}}) {
    void* const wrong = reinterpret_cast<void*>(number);
    cudaMemcpy(wrong, wrong, size_t{1} << 40, cudaMemcpyDeviceToDevice);
    cudaMemset(wrong, 1, ~size_t{0});
    cudaFree(wrong);
    cudaDestroyTextureObject(number);
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, wrong);
    cudaSetDevice(static_cast<int>(number));
  }
  cudaSetDevice(0);
  while (cudaGetLastError() != cudaSuccess) {
  }
  return honest_add_vectors(c, a, b, n, threads_per_block);
}
