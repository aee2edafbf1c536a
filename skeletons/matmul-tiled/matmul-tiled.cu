// SPDX-License-Identifier: MIT
// Matrix product in tiles of shared memory. The statement is in assignments/matmul-tiled/handout.md,
// the contract in matmul-tiled.h. Work through the TODOs in order; test with:
// meson test -C build --suite matmul-tiled
#include "matmul-tiled.h"

#include <cstdio>
#include <cstdlib>

// Ends the program with the place and the reason where a call fails. Put it around each one.
#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

// TODO 1: The part of A that starts at element (row * tile, col * tile). Which of A's four members
// does it share? How wide and high is it where less than a whole tile is left of A?
__host__ __device__ Matrix GetSubMatrix(Matrix A, int row, int col, int tile) {
  (void)A, (void)row, (void)col, (void)tile;
  return Matrix{0, 0, 0, nullptr};
}

// TODO 2: Element (row, col) of A, and 0 where A has no such element.
static __device__ float GetElement(Matrix A, int row, int col) {
  (void)A, (void)row, (void)col;
  return 0.0f;
}

// TODO 3: Stores value as element (row, col) of A; nothing happens where A has no such element.
static __device__ void SetElement(Matrix A, int row, int col, float value) {
  (void)A, (void)row, (void)col, (void)value;
}

// TODO 4: The block computes one tile of C, each thread one element. For each pair of tiles on the
// way: load one element of either tile into shared memory, wait, add up one row times one column,
// and wait again before the next pair overwrites them.
template <int kTile>
__global__ void multiply(Matrix A, Matrix B, Matrix C) {
  __shared__ float As[kTile][kTile];
  __shared__ float Bs[kTile][kTile];
  As[threadIdx.y][threadIdx.x] = GetElement(A, 0, 0);
  Bs[threadIdx.y][threadIdx.x] = GetElement(B, 0, 0);
  SetElement(C, 0, 0, 0.0f);
}

// TODO 5: Launch multiply<16> or multiply<32> in blocks of tile x tile threads, with enough blocks
// for all of C.
void MatMulOnDevice(Matrix A, Matrix B, Matrix C, int tile) {
  (void)A, (void)B, (void)C, (void)tile;
  (void)multiply<16>, (void)multiply<32>;  // goes when you launch them
}

// TODO 6: Allocate three matrices on the device, copy A and B there, call MatMulOnDevice, copy C
// back and free everything. The host's rows may be further apart than they are long (stride), and
// what lies between them belongs to somebody else.
void MatMul(Matrix A, Matrix B, Matrix C, int tile) {
  (void)A, (void)B, (void)C, (void)tile;
  CHECK(cudaSuccess);  // goes, too
}
