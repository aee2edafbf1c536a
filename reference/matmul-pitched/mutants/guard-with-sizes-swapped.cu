// expect: dense-edges, dense-product, padded-product, padded-edges-on-device, padded-edges,
// dense-gaps, padded-gaps, dense-accuracy, padded-accuracy, coalesced
// class: G4. The guard holds rows against columns and columns against rows.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "matmul-pitched.h"

#define get_elem(array, Row, Column) at<float>(array, Row, Column)

template <typename T>
__host__ __device__ T& at(const cudaPitchedPtr& matrix, size_t row, size_t column) {
  return reinterpret_cast<T*>(static_cast<char*>(matrix.ptr) + row * matrix.pitch)[column];
}

inline void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::cerr << cudaGetErrorName(status) << ": " << cudaGetErrorString(status) << std::endl;
  std::exit(3);
}

template <typename T, unsigned Width, unsigned Height>
__global__ void __launch_bounds__(Width* Height)
    product(const cudaPitchedPtr c, const cudaPitchedPtr a, const cudaPitchedPtr b) {
  const size_t i = size_t{blockIdx.y} * Height + threadIdx.y;
  const size_t j = size_t{blockIdx.x} * Width + threadIdx.x;
  if (i < c.xsize && j < c.ysize) {
    T sum{};
    for (size_t k = 0; k != a.xsize; ++k) sum += at<T>(a, i, k) * at<T>(b, k, j);
    at<T>(c, i, j) = sum;
  }
}

struct Dense {
  template <typename T>
  static cudaPitchedPtr allocate(size_t rows, size_t columns) {
    T* elements = nullptr;
    must(cudaMalloc(&elements, rows * columns * sizeof(T)));
    return make_cudaPitchedPtr(elements, columns * sizeof(T), columns, rows);
  }
};

struct Padded {
  template <typename T>
  static cudaPitchedPtr allocate(size_t rows, size_t columns) {
    void* start = nullptr;
    size_t pitch = 0;
    must(cudaMallocPitch(&start, &pitch, columns * sizeof(T), rows));
    return make_cudaPitchedPtr(start, pitch, columns, rows);
  }
};

template <typename T>
void transfer(const cudaPitchedPtr& to, const cudaPitchedPtr& from) {
  must(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, to.xsize * sizeof(T), to.ysize,
                    cudaMemcpyDefault));
}

template <typename T, unsigned Height>
void launch(const cudaPitchedPtr& c, const cudaPitchedPtr& a, const cudaPitchedPtr& b) {
  constexpr unsigned kWidth = 32;
  const dim3 grid((c.xsize + kWidth - 1) / kWidth, (c.ysize + Height - 1) / Height);
  product<T, kWidth, Height><<<grid, dim3(kWidth, Height)>>>(c, a, b);
}

template <typename T, typename Memory>
float multiply(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  const cudaPitchedPtr device_a = Memory::template allocate<T>(a.ysize, a.xsize);
  const cudaPitchedPtr device_b = Memory::template allocate<T>(b.ysize, b.xsize);
  const cudaPitchedPtr device_c = Memory::template allocate<T>(c.ysize, c.xsize);
  transfer<T>(device_a, a);
  transfer<T>(device_b, b);

  cudaEvent_t before, after;
  must(cudaEventCreate(&before));
  must(cudaEventCreate(&after));
  must(cudaEventRecord(before));
  switch (block_height) {
    case 16:
      launch<T, 16>(device_c, device_a, device_b);
      break;
    case 32:
      launch<T, 32>(device_c, device_a, device_b);
      break;
    default:
      std::cerr << "block height must be 16 or 32" << std::endl;
      std::exit(3);
  }
  must(cudaGetLastError());
  must(cudaEventRecord(after));
  must(cudaEventSynchronize(after));
  float ms = 0;
  must(cudaEventElapsedTime(&ms, before, after));
  must(cudaEventDestroy(before));
  must(cudaEventDestroy(after));

  transfer<T>(c, device_c);
  for (const cudaPitchedPtr& matrix : {device_a, device_b, device_c}) must(cudaFree(matrix.ptr));
  return ms;
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
  static std::mt19937 engine(std::random_device{}());
  std::uniform_real_distribution<float> distribution(0.0f, 1.0f);
  for (size_t i = 0; i < matrix.ysize; ++i)
    for (size_t j = 0; j < matrix.xsize; ++j) get_elem(matrix, i, j) = distribution(engine);
}

int select_device(int required_major) {
  int count = 0;
  must(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    must(cudaGetDeviceProperties(&properties, device));
    if (properties.major == required_major) {
      must(cudaSetDevice(device));
      return device;
    }
  }
  return -1;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply<float, Dense>(c, a, b, block_height);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply<float, Padded>(c, a, b, block_height);
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  double worst = 0;
  for (size_t i = 0; i < c.ysize; ++i) {
    for (size_t j = 0; j < c.xsize; ++j) {
      double expected = 0;
      for (size_t k = 0; k < a.xsize; ++k)
        expected += double(get_elem(a, i, k)) * double(get_elem(b, k, j));
      const double error =
          std::abs(expected - get_elem(c, i, j)) / std::max(1.0, std::abs(expected));
      if (std::isnan(error)) return false;
      worst = std::max(worst, error);
    }
  }
  return worst < 1e-5;
}
