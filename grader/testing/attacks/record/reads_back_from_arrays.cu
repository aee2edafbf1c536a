// SPDX-License-Identifier: MIT
// attacks: reads back what the device holds by a copy of arrays that texture memory holds, in three dimensions
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/carry_sums.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  std::vector<float> seen(2 * n);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const int width = n < 1000 ? n : 1000;
  cudaMallocArray(&array, &format, width, 1);
  for (int k = 0; k < 2; ++k)
    for (int at = 0; at < n; at += width) {
      const size_t bytes = (n - at < width ? n - at : width) * sizeof(float);
      cudaMemcpy2DToArrayAsync(array, 0, 0, (k == 0 ? vectors.a : vectors.b) + at, bytes, bytes, 1,
                               cudaMemcpyDeviceToDevice);
      cudaMemcpy2DFromArrayAsync(seen.data() + k * n + at, bytes, array, 0, 0, bytes, 1, cudaMemcpyDeviceToHost);
    }
  cudaStreamSynchronize(nullptr);
  cudaFreeArray(array);
  return carry_sums(c, sums_of_the_host(seen.data(), seen.data() + n, n), vectors, n, threads_per_block);
}
