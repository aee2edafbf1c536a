// expect: nothing
// SPDX-License-Identifier: MIT
// A class owns the memory, a stream orders the work, and the kernel walks the vectors in strides of
// the grid.
#include <algorithm>

#include "vecadd.h"

namespace {

class Stream {
 public:
  Stream() : error(cudaStreamCreate(&stream_)) {}
  ~Stream() {
    if (error == cudaSuccess) cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;

 public:
  const cudaError_t error;  // set after stream_, which it creates
};

class Vector {
 public:
  explicit Vector(size_t bytes) : bytes_(bytes), error(cudaMalloc(&data_, bytes)) {}
  ~Vector() { cudaFree(data_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  float* data() { return static_cast<float*>(data_); }
  cudaError_t load(const float* from, cudaStream_t stream) {
    return cudaMemcpyAsync(data_, from, bytes_, cudaMemcpyHostToDevice, stream);
  }
  cudaError_t store(float* to, cudaStream_t stream) {
    return cudaMemcpyAsync(to, data_, bytes_, cudaMemcpyDeviceToHost, stream);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_;

 public:
  const cudaError_t error;
};

__global__ void sum_kernel(float* result, const float* left, const float* right, unsigned count) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned k = threadIdx.x + blockIdx.x * blockDim.x; k < count; k += stride)
    result[k] = left[k] + right[k];
}

}  // namespace

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n <= 0) return cudaSuccess;
  const size_t bytes = sizeof(float) * static_cast<size_t>(n);
  cudaGetLastError();  // what an earlier call left is none of this one's
  Vector va(bytes), vb(bytes), vc(bytes);
  for (const Vector* vector : {&va, &vb, &vc})
    if (vector->error != cudaSuccess) return vector->error;
  Stream stream;
  if (stream.error != cudaSuccess) return stream.error;

  cudaError_t error = va.load(a, stream);
  if (error != cudaSuccess) return error;
  error = vb.load(b, stream);
  if (error != cudaSuccess) return error;
  const int blocks = std::min(4096, 1 + (n - 1) / threads_per_block);
  sum_kernel<<<blocks, threads_per_block, 0, stream>>>(vc.data(), va.data(), vb.data(),
                                                       static_cast<unsigned>(n));
  error = cudaGetLastError();
  if (error != cudaSuccess) return error;
  error = vc.store(c, stream);
  if (error != cudaSuccess) return error;
  return cudaStreamSynchronize(stream);
}
