// expect: dense-product, dense-edges, padded-product, padded-edges, dense-gaps, padded-gaps,
// dense-accuracy, padded-accuracy, coalesced
// class: A1. The kernel adds to what C's memory happens to hold.
// SPDX-License-Identifier: MIT
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "matmul-pitched.h"

using Matrix = cudaPitchedPtr;

template <class T = float>
__host__ __device__ T& at(const Matrix& m, size_t i, size_t j) {
  return reinterpret_cast<T*>(static_cast<char*>(m.ptr) + i * m.pitch)[j];
}
#define get_elem(array, Row, Column) at(array, Row, Column)

static void must(cudaError_t e) {
  if (e != cudaSuccess) std::abort();
}

__global__ void product(Matrix c, Matrix a, Matrix b) {
  const unsigned i = threadIdx.y + blockIdx.y * blockDim.y;
  const unsigned j = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < c.ysize && j < c.xsize) {
    for (unsigned k = 0; k < b.ysize; ++k)
      get_elem(c, i, j) += get_elem(a, i, k) * get_elem(b, k, j);
  }
}

struct OnDevice {
  Matrix matrix;
  OnDevice(const Matrix& host, bool padded) : matrix(host) {
    matrix.pitch = host.xsize * sizeof(float);
    must(padded ? cudaMallocPitch(&matrix.ptr, &matrix.pitch, matrix.pitch, host.ysize)
                : cudaMalloc(&matrix.ptr, matrix.pitch * host.ysize));
  }
  ~OnDevice() { cudaFree(matrix.ptr); }
  void move(const Matrix& to, const Matrix& from, cudaMemcpyKind kind) const {
    must(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, matrix.xsize * sizeof(float),
                      matrix.ysize, kind));
  }
  void fill(const Matrix& host) const { move(matrix, host, cudaMemcpyHostToDevice); }
  void drain(const Matrix& host) const { move(host, matrix, cudaMemcpyDeviceToHost); }
};

static float multiply(const Matrix& c, const Matrix& a, const Matrix& b, int height, bool padded) {
  OnDevice dc(c, padded), da(a, padded), db(b, padded);
  da.fill(a);
  db.fill(b);
  cudaEvent_t e[2];
  for (cudaEvent_t& each : e) must(cudaEventCreate(&each));
  const dim3 block(16, height), grid((c.xsize + 15) / 16, (c.ysize + height - 1) / height);
  must(cudaEventRecord(e[0]));
  product<<<grid, block>>>(dc.matrix, da.matrix, db.matrix);
  must(cudaGetLastError());
  must(cudaEventRecord(e[1]));
  must(cudaEventSynchronize(e[1]));
  float ms = 0;
  must(cudaEventElapsedTime(&ms, e[0], e[1]));
  for (cudaEvent_t each : e) must(cudaEventDestroy(each));
  dc.drain(c);
  return ms;
}

float multiply_dense(Matrix c, Matrix a, Matrix b, int height) {
  return multiply(c, a, b, height, false);
}
float multiply_padded(Matrix c, Matrix a, Matrix b, int height) {
  return multiply(c, a, b, height, true);
}

Matrix wrap_dense(float* elements, int rows, int columns) {
  return {elements, columns * sizeof(float), size_t(columns), size_t(rows)};
}

void fill_random(Matrix m) {
  for (size_t n = 0; n < m.xsize * m.ysize; ++n)
    get_elem(m, n / m.xsize, n % m.xsize) = float(rand()) / float(RAND_MAX);
}

int select_device(int major) {
  int devices = 0;
  must(cudaGetDeviceCount(&devices));
  while (devices-- > 0) {
    int found = 0;
    must(cudaDeviceGetAttribute(&found, cudaDevAttrComputeCapabilityMajor, devices));
    if (found == major) {
      must(cudaSetDevice(devices));
      return devices;
    }
  }
  return -1;
}

bool product_is_right(Matrix c, Matrix a, Matrix b) {
  for (size_t i = 0; i < c.ysize; ++i) {
    std::vector<double> row(c.xsize);
    for (size_t k = 0; k < b.ysize; ++k)
      for (size_t j = 0; j < c.xsize; ++j) row[j] += double(get_elem(a, i, k)) * get_elem(b, k, j);
    for (size_t j = 0; j < c.xsize; ++j)
      if (!(std::fabs(row[j] - get_elem(c, i, j)) <= 1e-5 * (1 + std::fabs(row[j])))) return false;
  }
  return true;
}
