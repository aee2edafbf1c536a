// expect: device-on-device, host-on-device, product, device-edges-on-device, host-edges-on-device,
// edges, cut-out, host-product, host-cut-out, accuracy, tiles-in-shared-memory, race-free,
// all-freed, global-loads, coalesced, conflict-free, speed, blocks, host-accuracy,
// whole-tiles-shared, global-loads-edges, host-by-tiles, host-corner
// class: H1. The product is computed on the host; on the device, nothing is.
// SPDX-License-Identifier: MIT
#include "matmul-tiled.h"

#include <vector>

__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  Matrix part = A;
  part.width = A.width - col * tile < tile ? A.width - col * tile : tile;
  part.height = A.height - row * tile < tile ? A.height - row * tile : tile;
  part.elements += A.stride * row * tile + col * tile;
  return part;
}

void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  (void)tile;
  for (int i = 0; i < C.height; ++i) {
    for (int j = 0; j < C.width; ++j) {
      float sum = 0;
      for (int k = 0; k < A.width; ++k) {
        sum += A.elements[i * A.stride + k] * B.elements[k * B.stride + j];
      }
      C.elements[i * C.stride + j] = sum;
    }
  }
}

static Matrix fetch(Matrix device, std::vector<float>& room) {
  room.resize(device.width * device.height);
  Matrix host = device;
  host.stride = device.width;
  host.elements = room.data();
  cudaMemcpy2D(host.elements, host.stride * 4, device.elements, device.stride * 4, host.width * 4,
               host.height, cudaMemcpyDeviceToHost);
  return host;
}

void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) {
  std::vector<float> a, b, c;
  Matrix product = fetch(C, c);
  MatMul(fetch(A, a), fetch(B, b), product, tile);
  cudaMemcpy2D(C.elements, C.stride * 4, product.elements, product.stride * 4, C.width * 4,
               C.height, cudaMemcpyHostToDevice);
}
