// SPDX-License-Identifier: MIT
// Caches that do not see what a kernel writes, and surfaces; see findings_test.py.
#include "emulator/checkers/testdata/one_of.cuh"

namespace {

constexpr int kCount = 96;

__global__ void read_through_ldg_and_written(int* data) {
  const int t = threadIdx.x;
  const int next = __ldg(data + (t + 1) % kCount);
  __syncthreads();
  data[t] = next;  // finds: race.constant_write(
}

__global__ void written_and_read_through_ldg(int* data) {
  const int t = threadIdx.x;
  data[t] = t;
  __syncthreads();
  const int other = __ldg(data + kCount - 1 - t);  // finds: race.constant_read(
  data[t + kCount] = other;
}

__global__ void restrict_in_place(const int* __restrict__ from, int* __restrict__ to) {
  to[threadIdx.x] = from[threadIdx.x] / 2;
}

__global__ void restrict_reversed_in_place(const int* __restrict__ from, int* __restrict__ to) {
  const int value = from[kCount - 1 - threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = value;  // finds: race.constant_write(
}

__global__ void restrict_read_again(const int* __restrict__ from, int* to) {
  to[threadIdx.x] = from[threadIdx.x] / 2;
  __syncthreads();
  to[threadIdx.x] += __ldg(from + threadIdx.x);  // finds: race.constant_read( & who=who.itself
}

__global__ void other_half(const int* __restrict__ from, int* __restrict__ to) {
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

__global__ void plain_in_place(int* data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  const int next = data[(threadIdx.x + 1) % kCount];
  __syncthreads();
  data[threadIdx.x] = next;
}

int* device_ints(int count) {
  int* ints = nullptr;
  cudaMalloc(&ints, count * sizeof(int));
  cudaMemset(ints, 0, count * sizeof(int));
  return ints;
}

void wait_and_free(int* ints) {
  if (cudaDeviceSynchronize() != cudaSuccess) cudaGetLastError();
  cudaFree(ints);
}

void in_place_through_restrict(int*) {
  int* const ints = device_ints(kCount);
  restrict_reversed_in_place<<<1, kCount>>>(ints, ints);
  wait_and_free(ints);
}

void own_value_through_ldg(int*) {
  int* const ints = device_ints(kCount);
  restrict_read_again<<<1, kCount>>>(ints, ints);
  wait_and_free(ints);
}

/// Two halves of one allocation, and one half in place; what one launch writes the next one may read.
void restrict_as_promised(int*) {
  int* const ints = device_ints(2 * kCount);
  other_half<<<1, kCount>>>(ints, ints + kCount);
  other_half<<<1, kCount>>>(ints + kCount, ints);
  restrict_in_place<<<1, kCount>>>(ints, ints);
  plain_in_place<<<1, kCount>>>(ints);
  wait_and_free(ints);
}

struct Image {
  cudaArray_t array = nullptr;
  cudaSurfaceObject_t surface = 0;
  cudaTextureObject_t texture = 0;

  Image() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 32, 8, cudaArraySurfaceLoadStore);
    const int zeros[8][32] = {};
    cudaMemcpy2DToArray(array, 0, 0, zeros, sizeof zeros[0], sizeof zeros[0], 8,
                        cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  }
  ~Image() {
    if (cudaDeviceSynchronize() != cudaSuccess) cudaGetLastError();
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
  }
};

__global__ void shift_surface(cudaSurfaceObject_t surface, bool waits) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int next = surf2Dread<int>(surface, (x + 1) % 32 * 4, y);
  if (waits) __syncthreads();
  surf2Dwrite(next + x, surface, x * 4, y);  // finds: race.between( & advice=advice.
}

__global__ void write_surface_by_two(cudaSurfaceObject_t surface, int threads) {
  const int t = threadIdx.y * 32 + threadIdx.x;
  if (t < threads) surf2Dwrite(t, surface, 0, 0);  // finds: advice=advice.one_writer
}

__global__ void fetch_what_is_written(cudaSurfaceObject_t surface, cudaTextureObject_t texture,
                                      int* out) {
  const int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(x, surface, x * 4, y);
  __syncthreads();
  const int next = tex2D<int>(texture, 31 - x, y);  // finds: race.constant_read(
  if (next == -1) *out = 1;
}

__global__ void fetch_and_write(cudaSurfaceObject_t surface, cudaTextureObject_t texture) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int here = tex2D<int>(texture, x, y);
  surf2Dwrite(here + 1, surface, x * 4, y);
}

void surface_shifted_without_a_barrier(int*) {
  const Image image;
  shift_surface<<<1, dim3(32, 8)>>>(image.surface, false);
}
void surface_shifted_with_a_barrier(int*) {
  const Image image;
  shift_surface<<<1, dim3(32, 8)>>>(image.surface, true);
}
void surface_element_of_many(int*) {
  const Image image;
  write_surface_by_two<<<1, dim3(32, 8)>>>(image.surface, 2);
}
void surface_element_of_one(int*) {
  const Image image;
  write_surface_by_two<<<1, dim3(32, 8)>>>(image.surface, 1);
}
void fetched_after_it_was_written(int*) {
  const Image image;
  fetch_what_is_written<<<1, dim3(32, 8)>>>(image.surface, image.texture, nullptr);
}
void fetched_before_it_is_written(int*) {
  const Image image;
  fetch_and_write<<<1, dim3(32, 8)>>>(image.surface, image.texture);
  fetch_and_write<<<1, dim3(32, 8)>>>(image.surface, image.texture);
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf cases[] = {
      ONE_OF(read_through_ldg_and_written),        ONE_OF(written_and_read_through_ldg),
      ONE_OF_HOST(in_place_through_restrict),      ONE_OF_HOST(own_value_through_ldg),
      ONE_OF_HOST(restrict_as_promised),           ONE_OF_HOST(surface_shifted_without_a_barrier),
      ONE_OF_HOST(surface_shifted_with_a_barrier), ONE_OF_HOST(surface_element_of_many),
      ONE_OF_HOST(surface_element_of_one),         ONE_OF_HOST(fetched_after_it_was_written),
      ONE_OF_HOST(fetched_before_it_is_written),
  };
  return run_one_of(cases, argc, argv);
}
