// SPDX-License-Identifier: MIT
// attacks: forty copies through an array beside a right kernel, by calls that do not say how much they copy
// control: 80
// earns: at most its control
// must stay: neighbours
#define add_vectors add_honestly
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const size_t width = 1000, height = n / width, row_bytes = width * sizeof(float);
  cudaArray_t array = nullptr;
  float* linear = nullptr;
  cudaMalloc(&linear, height * row_bytes);
  cudaMallocArray(&array, &format, width, height);
  for (int i = 0; i < 20 && height > 0; ++i) {
    cudaMemcpy2DToArray(array, 0, 0, linear, row_bytes, row_bytes, height,
                        cudaMemcpyDeviceToDevice);
    cudaMemcpy2DFromArray(linear, row_bytes, array, 0, 0, row_bytes, height,
                          cudaMemcpyDeviceToDevice);
  }
  cudaFreeArray(array);
  cudaFree(linear);
  return add_honestly(c, a, b, n, threads_per_block);
}
