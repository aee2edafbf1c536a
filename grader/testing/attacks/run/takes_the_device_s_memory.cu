// SPDX-License-Identifier: MIT
// attacks: device, pinned and managed memory, all of it written
// control: 0
// earns: at most its control
// must stay: neighbours, memory
#include "vecadd.h"

cudaError_t add_vectors(float*, const float*, const float*, int, int) {
  static const size_t kPart = size_t{1} << 30;
  for (int i = 0; i < 16; ++i) {
    void *device = nullptr, *pinned = nullptr, *managed = nullptr;
    if (cudaMalloc(&device, kPart) == cudaSuccess) cudaMemset(device, 1, kPart);
    if (cudaMallocHost(&pinned, kPart) == cudaSuccess) cudaMemset(pinned, 1, kPart);
    if (cudaMallocManaged(&managed, kPart) == cudaSuccess) cudaMemset(managed, 1, kPart);
  }
  return cudaErrorUnknown;
}
