// SPDX-License-Identifier: MIT
// Textures and surfaces of memory that is written in part: found where an element counts that nothing wrote; see
// findings_test.py.
#include "emulator/checkers/testdata/one_of.cuh"

namespace {

constexpr int kWidth = 64, kHeight = 4, kWritten = 48;

/// An array whose columns from kWritten on nothing has written, as a texture and a surface.
class PartOfAnArray {
 public:
  explicit PartOfAnArray(cudaTextureFilterMode filter = cudaFilterModePoint) {
    static float ones[kWidth * kHeight];
    for (float& one : ones) one = 1;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array_, &format, kWidth, kHeight, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array_, 0, 0, ones, kWidth * sizeof(float), kWritten * sizeof(float),
                        kHeight, cudaMemcpyHostToDevice);
    cudaMalloc(&sums, kWidth * sizeof(float));
    cudaMemset(sums, 0, kWidth * sizeof(float));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = filter;
    description.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    cudaCreateSurfaceObject(&surface, &resource);
  }
  ~PartOfAnArray() {
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array_);
    cudaFree(sums);
  }
  PartOfAnArray(const PartOfAnArray&) = delete;
  PartOfAnArray& operator=(const PartOfAnArray&) = delete;

  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  float* sums = nullptr;

 private:
  cudaArray_t array_ = nullptr;
};

__global__ void sum_columns(cudaTextureObject_t texture, float* sums, int columns) {
  const int x = threadIdx.x;
  float sum = 0;
  for (float y = 0.5f; y < kHeight; ++y)
    sum += tex2D<float>(texture, x + 0.5f, y);  // finds: init.unwritten( & index=48
  if (x < columns) sums[x] = sum;
}

void elements_summed_that_nothing_wrote(int*) {
  const PartOfAnArray part;
  sum_columns<<<1, kWidth>>>(part.texture, part.sums, kWidth);
}

void elements_fetched_and_dropped(int*) {
  const PartOfAnArray part;
  sum_columns<<<1, kWidth>>>(part.texture, part.sums, kWritten);
}

__global__ void between_columns(cudaTextureObject_t texture, float* sums, float shift) {
  const int x = threadIdx.x;
  sums[x] = tex2D<float>(texture, x + shift, 0);  // finds: init.unwritten( & index=48
}

void elements_that_a_filter_mixes_in(int*) {
  const PartOfAnArray part(cudaFilterModeLinear);
  between_columns<<<1, kWritten>>>(part.texture, part.sums, 1.0f);
}

/// At its middle an element alone counts.
void elements_that_a_filter_leaves_out(int*) {
  const PartOfAnArray part(cudaFilterModeLinear);
  between_columns<<<1, kWritten>>>(part.texture, part.sums, 0.5f);
}

__global__ void gathered(cudaTextureObject_t texture, float* sums) {
  const int x = threadIdx.x;
  const float4 four = tex2Dgather<float4>(texture, x + 1.0f, 1.0f);  // finds: init.unwritten(
  sums[x] = four.x + four.y + four.z + four.w;
}

void elements_gathered_that_nothing_wrote(int*) {
  const PartOfAnArray part;
  gathered<<<1, kWritten>>>(part.texture, part.sums);
}

void elements_gathered_that_were_written(int*) {
  const PartOfAnArray part;
  gathered<<<1, kWritten - 1>>>(part.texture, part.sums);
}

__global__ void add_one_to(cudaSurfaceObject_t surface, int columns) {
  const int x = threadIdx.x;
  if (x >= columns) return;
  const int at = x * static_cast<int>(sizeof(float));
  const float value = surf2Dread<float>(surface, at, 1);  // finds: init.unwritten( & index=112
  surf2Dwrite(value + 1, surface, at, 1);
}

void surface_read_where_nothing_wrote(int*) {
  const PartOfAnArray part;
  add_one_to<<<1, kWidth>>>(part.surface, kWidth);
}

__global__ void fill(cudaSurfaceObject_t surface, float value) {
  for (int y = 0; y < kHeight; ++y)
    surf2Dwrite(value, surface, static_cast<int>(threadIdx.x * sizeof(float)), y);
}

void surface_read_where_a_kernel_wrote(int*) {
  const PartOfAnArray part;
  fill<<<1, kWidth>>>(part.surface, 2);
  add_one_to<<<1, kWidth>>>(part.surface, kWidth);
  sum_columns<<<1, kWidth>>>(part.texture, part.sums, kWidth);
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf cases[] = {
      ONE_OF_HOST(elements_summed_that_nothing_wrote),
      ONE_OF_HOST(elements_fetched_and_dropped),
      ONE_OF_HOST(elements_that_a_filter_mixes_in),
      ONE_OF_HOST(elements_that_a_filter_leaves_out),
      ONE_OF_HOST(elements_gathered_that_nothing_wrote),
      ONE_OF_HOST(elements_gathered_that_were_written),
      ONE_OF_HOST(surface_read_where_nothing_wrote),
      ONE_OF_HOST(surface_read_where_a_kernel_wrote),
  };
  return run_one_of(cases, argc, argv);
}
