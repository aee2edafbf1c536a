// SPDX-License-Identifier: MIT
// Faster matrix products. The statement is in assignments/matmul-opt/handout.md, the contract in
// matmul-opt.h. Work through the TODOs in order; test with:
// meson test -C build --suite matmul-opt
#include "matmul-opt.h"

#include <cstdio>
#include <cstdlib>

// As in the previous parts of the lab.
#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

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

// TODO 1: The smallest multiple of 32 that is not below size.
int padded(int size) {
  (void)size;
  return 0;
}

// TODO 2: Wrap padded numbers of columns and rows, allocate that with cudaMallocPitch, and set it
// to 0 (cudaMemset2D).
cudaPitchedPtr allocate_padded(int rows, int columns) {
  (void)rows, (void)columns;
  return make_cudaPitchedPtr(nullptr, 0, 0, 0);
}

// TODO 3: Both by one cudaMemcpy2D. Whose width and height is it that travels?
void upload(cudaPitchedPtr device, cudaPitchedPtr host) { (void)device, (void)host; }

void download(cudaPitchedPtr host, cudaPitchedPtr device) { (void)host, (void)device; }

// TODO 4: Blocks of 32 x 32, one element a thread. The two tiles share one dynamic array: the first
// 32 * 32 floats are A's, the next are B's.
__global__ void one_element(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float tiles[];
  (void)tiles, (void)c, (void)a, (void)b;
}

void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)one_element, (void)c, (void)a, (void)b;
  CHECK(cudaSuccess);  // goes when you launch: then ask cudaGetLastError() instead
}

// TODO 5: Blocks 32 wide and 16 high, the same tiles of 32 x 32. Each thread loads two elements of
// either tile and computes c[i,j] and c[i+16,j].
__global__ void two_elements(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)c, (void)a, (void)b;
}

void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)two_elements, (void)c, (void)a, (void)b;
}

// TODO 6: Your own kernel: four elements a thread, or more. Begin with four in a column, then try a
// square of them.
void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)c, (void)a, (void)b;
}
