// SPDX-License-Identifier: MIT
// malloc, free, new and delete in kernels.
#include "emulator/runtime/testdata/expect.h"

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};

struct Link {
  int value;
  Link* next;
};

__device__ Link* lists[64];

__global__ void build(int length) {
  Link* head = nullptr;
  for (int i = 0; i < length; ++i) head = new Link{i, head};
  lists[threadIdx.x] = head;
}
__global__ void add_up(int* sums) {
  int sum = 0;
  for (Link* link = lists[threadIdx.x]; link != nullptr;) {
    sum += link->value;
    Link* next = link->next;
    delete link;
    link = next;
  }
  sums[threadIdx.x] = sum;
}
__global__ void areas(int* out) {
  Shape* shape = new Square(threadIdx.x);
  out[threadIdx.x] = shape->area();
  delete shape;
  int* scratch = static_cast<int*>(malloc(100));
  scratch[24] = 1;
  out[threadIdx.x] += scratch[24];
  free(scratch);
  if (malloc(size_t{1} << 40) == nullptr) out[threadIdx.x] += 1;
}

__global__ void nothing() {}
__global__ void speaks() { printf("spoken\n"); }

int main() {
  int* out;
  nothing<<<1, 1>>>();
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  EXPECT_SUCCESS(cudaMallocManaged(&out, 64 * sizeof(int)));
  for (int turn = 0; turn < 50; ++turn) {
    build<<<1, 64>>>(20);
    add_up<<<1, 64>>>(out);
  }
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 190 && out[63] == 190);
  areas<<<1, 64>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 2 && out[63] == 63 * 63 + 2);
  // A device that a kernel took memory of, or printed on, keeps the sizes.
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20) == cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
  speaks<<<1, 1>>>();
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20) == cudaErrorInvalidValue);
  size_t bytes = 0;
  EXPECT_SUCCESS(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  EXPECT(bytes == 1 << 20);
  return failures;
}
