// expect: dense-on-device, dense-product, dense-edges-on-device, dense-edges, dense-memory, dense-parameters,
// dense-timed, padded-on-device, padded-product, padded-edges-on-device, padded-edges, pitched-memory,
// pitched-copies, pitched-parameters, padding-untouched, padded-timed, dense-block, padded-block, dense-gaps,
// padded-gaps, dense-accuracy, padded-accuracy, coalesced, dense-freed, padded-freed, device-used?
// class: H4. The product is copied to the device instead of from it.
// SPDX-License-Identifier: MIT
#include "matmul-pitched.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (Row) * (array).pitch))[Column])

static void ok(cudaError_t e) {
  if (e != cudaSuccess) {
    std::cerr << "CUDA: " << cudaGetErrorString(e) << '\n';
    std::exit(EXIT_FAILURE);
  }
}

static __global__ void matmul(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  for (size_t i = blockIdx.y * blockDim.y + threadIdx.y; i < c.ysize; i += gridDim.y * blockDim.y) {
    for (size_t j = blockIdx.x * blockDim.x + threadIdx.x; j < c.xsize;
         j += gridDim.x * blockDim.x) {
      float dot = 0.0f;
      for (size_t k = 0; k < a.xsize; k++) dot += get_elem(a, i, k) * get_elem(b, k, j);
      get_elem(c, i, j) = dot;
    }
  }
}

template <class Launch>
static float timed(Launch launch) {
  std::array<cudaEvent_t, 2> events;
  for (auto& e : events) ok(cudaEventCreate(&e));
  ok(cudaEventRecord(events[0]));
  launch();
  ok(cudaEventRecord(events[1]));
  ok(cudaEventSynchronize(events[1]));
  float ms;
  ok(cudaEventElapsedTime(&ms, events[0], events[1]));
  for (auto& e : events) ok(cudaEventDestroy(e));
  return ms;
}

// at most 2 x 2 blocks: the loops in the kernel do the rest
static dim3 grid_for(cudaPitchedPtr c, dim3 block) {
  auto blocks = [](size_t n, unsigned b) { return (unsigned)std::min<size_t>((n + b - 1) / b, 2); };
  return dim3(blocks(c.xsize, block.x), blocks(c.ysize, block.y));
}

float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  std::vector<void*> to_free;
  auto allocate = [&](cudaPitchedPtr host) {
    auto d = make_cudaPitchedPtr(nullptr, host.xsize * sizeof(float), host.xsize, host.ysize);
    ok(cudaMalloc(&d.ptr, d.pitch * d.ysize));
    to_free.push_back(d.ptr);
    return d;
  };
  auto copy_rows = [](cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
    for (size_t i = 0; i < from.ysize; i++)
      ok(cudaMemcpy(&get_elem(to, i, 0), &get_elem(from, i, 0), from.xsize * sizeof(float), kind));
  };

  auto da = allocate(a), db = allocate(b), dc = allocate(c);
  copy_rows(da, a, cudaMemcpyHostToDevice);
  copy_rows(db, b, cudaMemcpyHostToDevice);
  dim3 block(32, block_height);
  float ms = timed([&] { matmul<<<grid_for(c, block), block>>>(dc, da, db); });
  ok(cudaGetLastError());
  copy_rows(dc, c, cudaMemcpyHostToDevice);
  for (void* p : to_free) ok(cudaFree(p));
  return ms;
}

float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  std::vector<void*> to_free;
  auto allocate = [&](cudaPitchedPtr host) {
    auto d = make_cudaPitchedPtr(nullptr, 0, host.xsize, host.ysize);
    ok(cudaMallocPitch(&d.ptr, &d.pitch, host.xsize * sizeof(float), host.ysize));
    to_free.push_back(d.ptr);
    return d;
  };
  auto copy = [](cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
    ok(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, from.xsize * sizeof(float), from.ysize,
                    kind));
  };

  auto da = allocate(a), db = allocate(b), dc = allocate(c);
  copy(da, a, cudaMemcpyHostToDevice);
  copy(db, b, cudaMemcpyHostToDevice);
  dim3 block(32, block_height);
  float ms = timed([&] { matmul<<<grid_for(c, block), block>>>(dc, da, db); });
  ok(cudaGetLastError());
  copy(dc, c, cudaMemcpyHostToDevice);
  for (void* p : to_free) ok(cudaFree(p));
  return ms;
}

cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  return make_cudaPitchedPtr(elements, sizeof(float) * columns, columns, rows);
}

void fill_random(cudaPitchedPtr matrix) {
  auto random = [] { return static_cast<float>(rand() / (RAND_MAX + 1.0)); };
  for (size_t i = 0; i < matrix.ysize; i++)
    std::generate_n(&get_elem(matrix, i, 0), matrix.xsize, random);
}

int select_device(int required_major) {
  int count = 0;
  ok(cudaGetDeviceCount(&count));
  std::vector<cudaDeviceProp> devices(count);
  for (int d = 0; d < count; d++) ok(cudaGetDeviceProperties(&devices[d], d));
  auto found = std::find_if(devices.begin(), devices.end(),
                            [&](const cudaDeviceProp& p) { return p.major == required_major; });
  if (found == devices.end()) return -1;
  int d = (int)(found - devices.begin());
  ok(cudaSetDevice(d));
  return d;
}

bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  std::vector<double> row(c.xsize);
  for (size_t i = 0; i < c.ysize; i++) {
    std::fill(row.begin(), row.end(), 0.0);
    for (size_t k = 0; k < a.xsize; k++)
      for (size_t j = 0; j < c.xsize; j++) row[j] += double(get_elem(a, i, k)) * get_elem(b, k, j);
    for (size_t j = 0; j < c.xsize; j++)
      if (!(std::abs(row[j] - get_elem(c, i, j)) <= 1e-4 + 1e-4 * std::abs(row[j]))) return false;
  }
  return true;
}
