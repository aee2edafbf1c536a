// Wassim: first make it right
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "matmul-pitched.h"

#define get_elem(array, Row, Column) (((float*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, columns * sizeof(float), columns, rows);
}

void fill_random(cudaPitchedPtr m) {
  for (size_t i = 0; i < m.ysize; i++)
    for (size_t j = 0; j < m.xsize; j++) get_elem(m, i, j) = drand48();
}

int select_device(int required_major) {
  int n = 0;
  if (cudaGetDeviceCount(&n) != cudaSuccess) return -1;
  for (int d = 0; d < n; d++) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, d) == cudaSuccess && p.major == required_major)
      return cudaSetDevice(d) == cudaSuccess ? d : -1;
  }
  return -1;
}

static void host_product(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  for (size_t i = 0; i < c.ysize; i++)
    for (size_t j = 0; j < c.xsize; j++) {
      double sum = 0;
      for (size_t k = 0; k < a.xsize; k++) sum += (double)get_elem(a, i, k) * get_elem(b, k, j);
      get_elem(c, i, j) = (float)sum;
    }
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int) {
  auto start = std::chrono::steady_clock::now();
  host_product(c, a, b);
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  return multiply_dense(c, a, b, block_height);
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  float* elements = new float[c.xsize * c.ysize];
  cudaPitchedPtr right = wrap_dense(elements, c.ysize, c.xsize);
  host_product(right, a, b);
  bool same = true;
  for (size_t i = 0; i < c.ysize; i++)
    for (size_t j = 0; j < c.xsize; j++)
      same = same && std::isfinite(get_elem(right, i, j)) && std::fabs(get_elem(c, i, j) - get_elem(right, i, j)) <= 1e-4f * (1 + std::fabs(get_elem(right, i, j)));
  delete[] elements;
  return same;
}
