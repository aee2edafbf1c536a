// SPDX-License-Identifier: MIT
// Texture references, which CUDA 12 dropped: bound to linear memory, to pitched memory and to an array.
#include "emulator/runtime/testdata/expect.h"

constexpr int kSide = 8, kCount = kSide * kSide;

texture<float, 1, cudaReadModeElementType> row;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> image;
texture<float, 2, cudaReadModeElementType> grid;

__global__ void read_row(float* to) {
  to[threadIdx.x] = tex1Dfetch(row, static_cast<int>(threadIdx.x));
}
__global__ void read_image(float* to) {
  to[threadIdx.x] = tex2D(image, threadIdx.x % kSide + 0.5f, threadIdx.x / kSide + 0.5f);
}
__global__ void read_grid(float* to) {
  to[threadIdx.x] = tex2D(grid, threadIdx.x % kSide + 0.5f, threadIdx.x / kSide + 0.5f);
}

struct Memory {
  float values[kCount];
  float *there = nullptr, *out = nullptr;

  Memory() {
    for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
    EXPECT_SUCCESS(cudaMalloc(&there, sizeof values));
    EXPECT_SUCCESS(cudaMalloc(&out, sizeof values));
    EXPECT_SUCCESS(cudaMemcpy(there, values, sizeof values, cudaMemcpyHostToDevice));
  }
  ~Memory() {
    cudaFree(there);
    cudaFree(out);
  }
  /// Element `index` of what the last kernel wrote.
  float result(int index) {
    EXPECT_SUCCESS(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    return values[index];
  }
};

void test_linear_memory() {
  Memory memory;
  size_t offset = 1;
  EXPECT_SUCCESS(cudaBindTexture(&offset, row, memory.there, sizeof memory.values));
  EXPECT(offset == 0);
  read_row<<<1, kCount>>>(memory.out);
  EXPECT(memory.result(63) == 63);
  // The default of the template in the headers means all of the allocation from there on.
  EXPECT_SUCCESS(cudaBindTexture(nullptr, row, memory.there + 16));
  read_row<<<1, kCount - 16>>>(memory.out);
  EXPECT(memory.result(0) == 16);
  EXPECT_SUCCESS(cudaGetTextureAlignmentOffset(&offset, row));
  EXPECT_SUCCESS(cudaUnbindTexture(row));
  EXPECT_ERROR(cudaGetTextureAlignmentOffset(&offset, row), cudaErrorInvalidTextureBinding);
}

void test_pitched_memory() {
  Memory memory;
  unsigned char pixels[kCount], *there = nullptr;
  for (int i = 0; i < kCount; ++i) pixels[i] = static_cast<unsigned char>(4 * i);
  size_t pitch = 0;
  EXPECT_SUCCESS(cudaMallocPitch(&there, &pitch, kSide, kSide));
  EXPECT_SUCCESS(cudaMemcpy2D(there, pitch, pixels, kSide, kSide, kSide, cudaMemcpyHostToDevice));
  EXPECT_SUCCESS(cudaBindTexture2D(nullptr, image, there, kSide, kSide, pitch));
  read_image<<<1, kCount>>>(memory.out);
  EXPECT(memory.result(51) == 204 / 255.0f);
  cudaFree(there);
}

void test_array() {
  Memory memory;
  cudaArray* array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_SUCCESS(cudaMallocArray(&array, &format, kSide, kSide));
  EXPECT_SUCCESS(
      cudaMemcpyToArray(array, 0, 0, memory.values, sizeof memory.values, cudaMemcpyHostToDevice));
  grid.addressMode[0] = cudaAddressModeClamp;
  grid.filterMode = cudaFilterModePoint;
  EXPECT_SUCCESS(cudaBindTextureToArray(grid, array, format));
  read_grid<<<1, kCount>>>(memory.out);
  EXPECT(memory.result(42) == 42);
  cudaFreeArray(array);
}

int main() {
  test_linear_memory();
  test_pitched_memory();
  test_array();
  return failures == 0 ? 0 : 1;
}
