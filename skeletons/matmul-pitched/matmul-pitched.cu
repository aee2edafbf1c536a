// SPDX-License-Identifier: MIT
// Matrix product with and without padding. The statement is in
// assignments/matmul-pitched/handout.md, the contract in matmul-pitched.h. Work through the TODOs
// in order; test with: meson test -C build --suite matmul-pitched
#include <cstdio>
#include <cstdlib>

#include "matmul-pitched.h"

// TODO 1: The element of a matrix in row Row and column Column: start at ptr, go Row times pitch
// BYTES further, and take float number Column from there. Use it for every access to a matrix, on
// the host and on the device.
#define get_elem(array, Row, Column) (((float*)(array).ptr)[0])

// TODO 2: Say what lies at `elements`: pitch in bytes, then columns and rows in elements (see
// make_cudaPitchedPtr).
cudaPitchedPtr wrap_dense(float* elements, int rows, int columns) {
  (void)elements, (void)rows, (void)columns;
  return make_cudaPitchedPtr(nullptr, 0, 0, 0);
}

// TODO 3: Give each element a random number from 0 to 1; rand() and RAND_MAX are both int, so mind
// the division.
void fill_random(cudaPitchedPtr matrix) { (void)matrix; }

// TODO 4: Ask each device for its properties, make the first one of the required major capability
// current, return its number.
int select_device(int required_major) {
  (void)required_major;
  return -1;
}

// TODO 5: Let each thread find its row i (from y) and its column j (from x), stay idle outside C,
// and otherwise store the dot product of row i of A and column j of B.
__global__ void multiply(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)c, (void)a, (void)b;
}

// TODO 6: Allocate A, B and C without padding (cudaMalloc) and wrap them, copy A and B there,
// record an event before and one after the launch, copy C back, free everything, and return the
// milliseconds between the events.
float multiply_dense(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  (void)c, (void)a, (void)b, (void)block_height;
  (void)multiply;  // goes when you launch it
  return 0.0f;
}

// TODO 7: The same with cudaMallocPitch and cudaMemcpy2D, which both take the width of a row in
// bytes.
float multiply_padded(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b, int block_height) {
  (void)c, (void)a, (void)b, (void)block_height;
  return 0.0f;
}

// TODO 8: Compute A * B here on the host and compare with c, allowing for rounding; a NaN in c is
// never right.
bool product_is_right(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  (void)c, (void)a, (void)b;
  return false;
}
