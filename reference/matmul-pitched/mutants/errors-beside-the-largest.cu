// expect: verification
// class: N1. The bound of each element is that of the largest one, so that any small element passes beside large ones.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "matmul-pitched.h"

// R4: bytes first, then elements. Adding Row * pitch to a float* would go four times too far.
#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static const unsigned kBlockWidth =
    32;  // one warp = one row of a block: its threads share A's element and read B's in a row

static size_t row_bytes(cudaPitchedPtr matrix) { return matrix.xsize * sizeof(float); }

static unsigned ceil_div(size_t total, size_t part) {
  return static_cast<unsigned>((total + part - 1) / part);
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
  for (size_t i = 0; i < matrix.ysize; ++i) {
    for (size_t j = 0; j < matrix.xsize; ++j) {
      get_elem(matrix, i, j) = static_cast<float>(rand()) / static_cast<float>(RAND_MAX);
    }
  }
}

int select_device(int required_major) {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device));
    if (properties.major != required_major) continue;
    CHECK(cudaSetDevice(device));
    return device;
  }
  return -1;
}

// Thread (x, y) owns element [i, j] = [y, x]: the matrix's first index is CUDA's second.
__global__ void multiply(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const size_t i = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c.ysize || j >= c.xsize) return;

  float sum = 0.0f;
  for (size_t k = 0; k < a.xsize; ++k) sum += get_elem(a, i, k) * get_elem(b, k, j);
  get_elem(c, i, j) = sum;
}

// R8-R10: the kernel alone between two events, in blocks of the height asked for.
static float launch_timed(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  const dim3 block(kBlockWidth, block_height);
  const dim3 grid(ceil_div(c.xsize, block.x), ceil_div(c.ysize, block.y));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  CHECK(cudaEventRecord(start));
  multiply<<<grid, block>>>(c, a, b);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));

  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return ms;
}

// Width in bytes, each side with its own pitch: neither the host's nor the device's gap is ever
// touched.
static void copy(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, row_bytes(from), from.ysize, kind));
}

static cudaPitchedPtr allocate_dense(cudaPitchedPtr like) {
  cudaPitchedPtr matrix = make_cudaPitchedPtr(nullptr, row_bytes(like), like.xsize, like.ysize);
  CHECK(cudaMalloc(&matrix.ptr, matrix.pitch * matrix.ysize));
  return matrix;
}

// xsize stays in elements here; cudaMalloc3D, unlike this, would fill it in bytes.
static cudaPitchedPtr allocate_padded(cudaPitchedPtr like) {
  cudaPitchedPtr matrix = make_cudaPitchedPtr(nullptr, 0, like.xsize, like.ysize);
  CHECK(cudaMallocPitch(&matrix.ptr, &matrix.pitch, row_bytes(like), like.ysize));
  return matrix;
}

// Everything but the allocation is the same in both parts. Frees the three device matrices.
static float multiply_on_device(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b,
                                cudaPitchedPtr device_c, cudaPitchedPtr device_a,
                                cudaPitchedPtr device_b, int block_height) {
  copy(device_a, a, cudaMemcpyHostToDevice);
  copy(device_b, b, cudaMemcpyHostToDevice);
  const float ms = launch_timed(device_c, device_a, device_b, block_height);
  copy(c, device_c, cudaMemcpyDeviceToHost);
  CHECK(cudaFree(device_a.ptr));
  CHECK(cudaFree(device_b.ptr));
  CHECK(cudaFree(device_c.ptr));
  return ms;
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply_on_device(c, a, b, allocate_dense(c), allocate_dense(a), allocate_dense(b),
                            block_height);
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply_on_device(c, a, b, allocate_padded(c), allocate_padded(a), allocate_padded(b),
                            block_height);
}

// The reference in double. A float dot product of n terms, in any order and with or without fused
// multiply-adds, stays within 8 * sqrt(n) * 2^-24 of it, relative to the sum of the terms' sizes.
// `!(error <= bound)` also turns NaN away.
bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const double relative = 8.0 * std::sqrt(static_cast<double>(a.xsize)) * std::ldexp(1.0, -24);
  double largest = 0.0;
  for (size_t i = 0; i < c.ysize; ++i) {
    for (size_t j = 0; j < c.xsize; ++j) {
      double size = 0.0;
      for (size_t k = 0; k < a.xsize; ++k)
        size += std::fabs(static_cast<double>(get_elem(a, i, k)) * get_elem(b, k, j));
      if (size > largest) largest = size;
    }
  }
  for (size_t i = 0; i < c.ysize; ++i) {
    for (size_t j = 0; j < c.xsize; ++j) {
      double sum = 0.0;
      for (size_t k = 0; k < a.xsize; ++k) {
        const double term = static_cast<double>(get_elem(a, i, k)) * get_elem(b, k, j);
        sum += term;
      }
      const double error = std::fabs(get_elem(c, i, j) - sum);
      if (!(error <= relative * largest)) return false;
    }
  }
  return true;
}
