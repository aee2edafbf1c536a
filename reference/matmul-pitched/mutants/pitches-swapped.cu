// expect: padded-on-device, dense-on-device, dense-race-free?, dense-product, dense-edges,
// dense-memory, dense-parameters, dense-timed, padded-race-free, padded-product,
// padded-edges-on-device, padded-edges, pitched-memory, pitched-copies, pitched-parameters,
// padding-untouched, padded-timed, dense-block, padded-block, dense-gaps, padded-gaps,
// dense-accuracy, padded-accuracy, coalesced, dense-freed, padded-freed, device-used?, verification, verification-gaps, verification-on-host,
// verification-too-large
// class: P3. cudaMemcpy2D gets the pitch of the source for the destination, and the other way round.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "matmul-pitched.h"

#define get_elem(array, Row, Column) \
  (*((float*)((char*)(array).ptr + (size_t)(Row) * (array).pitch) + (Column)))

namespace {

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

enum class Padding { none, pitch };

class DeviceMatrix {
 public:
  DeviceMatrix(const cudaPitchedPtr& shape, Padding padding)
      : matrix_(
            make_cudaPitchedPtr(nullptr, shape.xsize * sizeof(float), shape.xsize, shape.ysize)) {
    const size_t width = matrix_.pitch;
    if (padding == Padding::pitch) {
      check(cudaMallocPitch(&matrix_.ptr, &matrix_.pitch, width, matrix_.ysize), "cudaMallocPitch");
    } else {
      check(cudaMalloc(&matrix_.ptr, width * matrix_.ysize), "cudaMalloc");
    }
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() { cudaFree(matrix_.ptr); }

  const cudaPitchedPtr& view() const { return matrix_; }

  void upload(const cudaPitchedPtr& host) {
    check(cudaMemcpy2D(matrix_.ptr, host.pitch, host.ptr, matrix_.pitch, host.xsize * sizeof(float),
                       host.ysize, cudaMemcpyHostToDevice),
          "upload");
  }
  void download(const cudaPitchedPtr& host) const {
    check(cudaMemcpy2D(host.ptr, matrix_.pitch, matrix_.ptr, host.pitch, host.xsize * sizeof(float),
                       host.ysize, cudaMemcpyDeviceToHost),
          "download");
  }

 private:
  cudaPitchedPtr matrix_;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record() { check(cudaEventRecord(event_), "cudaEventRecord"); }
  void wait() { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  float since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, earlier.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaEvent_t event_{};
};

__global__ void multiply_kernel(cudaPitchedPtr a, cudaPitchedPtr b, cudaPitchedPtr c) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= c.ysize || column >= c.xsize) return;
  float sum = 0.f;
  for (unsigned k = 0; k < a.xsize; ++k)
    sum = fmaf(get_elem(a, row, k), get_elem(b, k, column), sum);
  get_elem(c, row, column) = sum;
}

float multiply(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int height, Padding padding) {
  DeviceMatrix device_a(a, padding), device_b(b, padding), device_c(c, padding);
  device_a.upload(a);
  device_b.upload(b);

  const dim3 block(32, height);
  const dim3 grid((c.xsize - 1) / block.x + 1, (c.ysize - 1) / block.y + 1);
  Event start, stop;
  start.record();
  multiply_kernel<<<grid, block>>>(device_a.view(), device_b.view(), device_c.view());
  stop.record();
  check(cudaGetLastError(), "launch");
  stop.wait();

  device_c.download(c);
  return stop.since(start);
}

}  // namespace

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  cudaPitchedPtr matrix{};
  matrix.ptr = elements;
  matrix.pitch = columns * sizeof *elements;
  matrix.xsize = columns;
  matrix.ysize = rows;
  return matrix;
}

void fill_random(cudaPitchedPtr matrix) {
  for (size_t row = 0; row < matrix.ysize; ++row)
    for (size_t column = 0; column < matrix.xsize; ++column)
      get_elem(matrix, row, column) = float(double(rand()) / RAND_MAX);
}

int select_device(int required_major) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int device = count - 1; device >= 0; --device) {
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "attribute");
    if (major == required_major) {
      check(cudaSetDevice(device), "cudaSetDevice");
      return device;
    }
  }
  return -1;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply(c, a, b, block_height, Padding::none);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply(c, a, b, block_height, Padding::pitch);
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  for (size_t row = 0; row < c.ysize; ++row) {
    for (size_t column = 0; column < c.xsize; ++column) {
      double sum = 0, bound = 0;
      for (size_t k = 0; k < a.xsize; ++k) {
        const double term = double(get_elem(a, row, k)) * get_elem(b, k, column);
        sum += term;
        bound += std::fabs(term);
      }
      const bool close = std::fabs(sum - get_elem(c, row, column)) <= 1e-6 * (bound + 1);
      if (!close) return false;
    }
  }
  return true;
}
