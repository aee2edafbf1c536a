// SPDX-License-Identifier: MIT
// Arrays, texture objects and surface objects. The expected values follow the CUDA C++ Programming Guide's appendix
// "Texture Fetching".
#include <algorithm>
#include <cmath>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

constexpr int kWidth = 8, kHeight = 4;

__global__ void fetch_1d(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x) - 2);
}
__global__ void read_2d(cudaTextureObject_t texture, const float2* at, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void read_bytes(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_layers(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex2DLayered<int>(texture, 1.5f, 2.5f, threadIdx.x);
}
__global__ void read_3d(cudaTextureObject_t texture, float* out) {
  *out = tex3D<float>(texture, 1.0f, 1.0f, 1.0f);
}
__global__ void read_cube(cudaTextureObject_t texture, float* out) {
  const float directions[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  const float* d = directions[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(texture, d[0], d[1], d[2]);
}
__global__ void gather(cudaTextureObject_t texture, float4* out) {
  *out = tex2Dgather<float4>(texture, 2.0f, 2.0f);
}
__global__ void use_surface(cudaSurfaceObject_t surface, float* out) {
  const int x = threadIdx.x;
  surf2Dwrite(surf2Dread<float>(surface, x * 4, 1) * 2, surface, x * 4, 2);
  out[x] = surf2Dread<float>(surface, x * 4 + 4 * kWidth, 0, cudaBoundaryModeZero) +
           surf2Dread<float>(surface, -4, 3, cudaBoundaryModeClamp);
}
__global__ void leave_surface(cudaSurfaceObject_t surface) {
  surf2Dwrite(1.0f, surface, 4 * kWidth, 0);
}

template <class T>
static T* shared(size_t count) {
  T* memory = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&memory, count * sizeof(T)));
  return memory;
}

static cudaTextureDesc reading(cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                               bool normalised) {
  cudaTextureDesc texture = {};
  texture.filterMode = filter;
  for (auto& each : texture.addressMode) each = mode;
  texture.normalizedCoords = normalised;
  return texture;
}

static cudaTextureObject_t bind(cudaArray_t array, const cudaTextureDesc& texture) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

static float value_at(int x, int y) { return x + 10 * y; }

static cudaArray_t make_grid(unsigned flags) {
  float host[kHeight][kWidth];
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) host[y][x] = value_at(x, y);
  }
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  EXPECT_SUCCESS(cudaMallocArray(&array, &format, kWidth, kHeight, flags));
  const size_t row = kWidth * sizeof(float);
  EXPECT_SUCCESS(cudaMemcpy2DToArray(array, 0, 0, host, row, row, kHeight, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaMemcpy2DToArray(array, 4, 0, host, row, row, kHeight, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  return array;
}

static float read_once(cudaTextureObject_t texture, float x, float y) {
  static float2* at = shared<float2>(1);
  static float* out = shared<float>(1);
  *at = {x, y};
  read_2d<<<1, 1>>>(texture, at, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  return *out;
}

static void check_addressing(cudaArray_t grid) {
  const auto clamp = bind(grid, reading(cudaFilterModePoint, cudaAddressModeClamp, false));
  EXPECT(read_once(clamp, 2.9f, 1.0f) == value_at(2, 1));
  EXPECT(read_once(clamp, -5.0f, 99.0f) == value_at(0, 3));
  const auto border = bind(grid, reading(cudaFilterModePoint, cudaAddressModeBorder, false));
  EXPECT(read_once(border, 8.0f, 0.0f) == 0 && read_once(border, 7.9f, 0.0f) == 7);
  const auto wrap = bind(grid, reading(cudaFilterModePoint, cudaAddressModeWrap, true));
  EXPECT(read_once(wrap, 1.0f + 0.25f, 0.0f) == 2 && read_once(wrap, -0.25f, 0.0f) == 6);
  const auto mirror = bind(grid, reading(cudaFilterModePoint, cudaAddressModeMirror, true));
  EXPECT(read_once(mirror, 1.0f + 0.25f, 0.0f) == 5 && read_once(mirror, -0.1875f, 0.0f) == 1);
  // Without normalised coordinates wrapping is clamping.
  const auto unwrapped = bind(grid, reading(cudaFilterModePoint, cudaAddressModeWrap, false));
  EXPECT(read_once(unwrapped, 9.0f, 0.0f) == 7);
  cudaTextureDesc description;
  EXPECT_SUCCESS(cudaGetTextureObjectTextureDesc(&description, wrap));
  EXPECT(description.addressMode[0] == cudaAddressModeWrap);
  EXPECT_SUCCESS(cudaDestroyTextureObject(wrap));
}

static void check_filtering(cudaArray_t grid) {
  const auto linear = bind(grid, reading(cudaFilterModeLinear, cudaAddressModeClamp, false));
  EXPECT(read_once(linear, 1.5f, 1.5f) == value_at(1, 1));
  EXPECT(read_once(linear, 2.0f, 1.5f) == 11.5f && read_once(linear, 1.5f, 2.0f) == 16.0f);
  EXPECT(read_once(linear, 2.25f, 2.75f) == 1.75f + 10 * 2.25f);
  // Weights have 8 bits of fraction.
  EXPECT(read_once(linear, 1.5f + 1.0f / 1024, 0.5f) == 1.0f);
  EXPECT(read_once(linear, 1.5f + 1.0f / 256, 0.5f) == 1.0f + 1.0f / 256);
}

/// Makes a texture of 8 x 4 floats that begin at `memory`, as one row or as four.
static cudaError_t create_at(float* memory, cudaResourceType type) {
  cudaResourceDesc resource = {};
  resource.resType = type;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  if (type == cudaResourceTypeLinear)
    resource.res.linear = {memory, format, 32 * sizeof(float)};
  else
    resource.res.pitch2D = {memory, format, 8, 4, 8 * sizeof(float)};
  const cudaTextureDesc texture = {};
  cudaTextureObject_t object = 0;
  return cudaCreateTextureObject(&object, &resource, &texture, nullptr);
}

static void check_linear_and_pitched() {
  float* values = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&values, 256 * sizeof(float)));
  const float host[4] = {1, 2, 3, 4};
  EXPECT_SUCCESS(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {values, cudaCreateChannelDesc<float>(), sizeof host};
  cudaTextureDesc texture = {};
  cudaTextureObject_t object = 0;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  float* out = shared<float>(8);
  fetch_1d<<<1, 8>>>(object, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[1] == 0 && out[2] == 1 && out[5] == 4 && out[6] == 0);

  // An H100 refuses every offset below textureAlignment.
  for (const size_t offset : {1, 64, 127})
    EXPECT(create_at(values + offset, cudaResourceTypeLinear) == cudaErrorInvalidValue &&
           create_at(values + offset, cudaResourceTypePitch2D) == cudaErrorInvalidValue);
  EXPECT_SUCCESS(create_at(values + 128, cudaResourceTypeLinear));
  EXPECT_SUCCESS(create_at(values + 128, cudaResourceTypePitch2D));

  uchar4* pixels = nullptr;
  size_t pitch = 0;
  EXPECT_SUCCESS(cudaMallocPitch(&pixels, &pitch, 3 * sizeof(uchar4), 2));
  const uchar4 row[3] = {{0, 51, 102, 255}, {255, 0, 0, 0}, {1, 2, 3, 4}};
  EXPECT_SUCCESS(cudaMemcpy(pixels, row, sizeof row, cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {pixels, cudaCreateChannelDesc<uchar4>(), 3, 2, pitch};
  texture.readMode = cudaReadModeNormalizedFloat;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  float4* colours = shared<float4>(3);
  read_bytes<<<1, 3>>>(object, colours);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(colours[0].y == 0.2f && colours[0].w == 1.0f && colours[1].x == 1.0f &&
         colours[2].x == 1 / 255.0f);
}

static cudaArray_t make_volume(const cudaChannelFormatDesc& format, void* host, cudaExtent extent,
                               size_t row, unsigned flags) {
  cudaArray_t array = nullptr;
  EXPECT_SUCCESS(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, row, extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT_SUCCESS(cudaMemcpy3D(&copy));
  return array;
}

static void check_layers_volumes_and_cubes() {
  std::vector<int> layers(3 * 4 * 4);
  for (int i = 0; i < 48; ++i) layers[i] = i;
  const auto layered =
      make_volume(cudaCreateChannelDesc<int>(), layers.data(), {4, 4, 3}, 16, cudaArrayLayered);
  int* ints = shared<int>(4);
  read_layers<<<1, 4>>>(bind(layered, reading(cudaFilterModePoint, cudaAddressModeClamp, false)),
                        ints);
  float* out = shared<float>(6);
  std::vector<float> cells(2 * 2 * 2), faces(6 * 4);
  for (int i = 0; i < 8; ++i) cells[i] = i;
  for (int i = 0; i < 24; ++i) faces[i] = i / 4;
  const auto volume =
      make_volume(cudaCreateChannelDesc<float>(), cells.data(), {2, 2, 2}, 8, cudaArrayDefault);
  read_3d<<<1, 1>>>(bind(volume, reading(cudaFilterModeLinear, cudaAddressModeClamp, false)), out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(ints[0] == 9 && ints[2] == 41 && ints[3] == 41 && out[0] == 3.5f);
  const auto cube =
      make_volume(cudaCreateChannelDesc<float>(), faces.data(), {2, 2, 6}, 8, cudaArrayCubemap);
  read_cube<<<1, 6>>>(bind(cube, reading(cudaFilterModePoint, cudaAddressModeClamp, true)), out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (int i = 0; i < 6; ++i) EXPECT(out[i] == i);
}

static void check_gather() {
  const cudaArray_t grid = make_grid(cudaArrayTextureGather);
  float4* four = shared<float4>(1);
  gather<<<1, 1>>>(bind(grid, reading(cudaFilterModePoint, cudaAddressModeClamp, false)), four);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(four->x == value_at(1, 2) && four->y == value_at(2, 2));
  EXPECT(four->z == value_at(2, 1) && four->w == value_at(1, 1));
  EXPECT_SUCCESS(cudaFreeArray(grid));
}

static void check_surfaces(cudaArray_t grid) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = grid;
  cudaSurfaceObject_t surface = 0;
  EXPECT_SUCCESS(cudaCreateSurfaceObject(&surface, &resource));
  float* out = shared<float>(kWidth);
  use_surface<<<1, kWidth>>>(surface, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == value_at(0, 3));
  float row[kWidth];
  EXPECT_SUCCESS(
      cudaMemcpy2DFromArray(row, sizeof row, grid, 0, 2, sizeof row, 1, cudaMemcpyDeviceToHost));
  EXPECT(row[3] == 2 * value_at(3, 1));
  const cudaArray_t unmarked = make_grid(0);
  resource.res.array.array = unmarked;
  cudaSurfaceObject_t other = 0;
  EXPECT_SUCCESS(cudaCreateSurfaceObject(&other, &resource));
  EXPECT_SUCCESS(cudaDestroySurfaceObject(other));
  EXPECT_SUCCESS(cudaFreeArray(unmarked));
  leave_surface<<<1, 1>>>(surface);
  EXPECT(cudaDeviceSynchronize() != cudaSuccess);
}

__global__ void read_levels(cudaTextureObject_t texture, float* out) {
  const float2 none = make_float2(0, 0);
  out[0] = tex2DLod<float>(texture, 0.5f, 0.5f, 0);
  out[1] = tex2DLod<float>(texture, 0.5f, 0.5f, 1);
  out[2] = tex2DLod<float>(texture, 0.5f, 0.5f, 0.25f);
  out[3] = tex2DLod<float>(texture, 0.5f, 0.5f, 9);
  // Neighbours lie two elements apart, so the level is 1.
  out[4] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(2.0f / kWidth, 0), none);
  out[5] = tex2DGrad<float>(texture, 0.5f, 0.5f, none, make_float2(0, 0.5f / kHeight));
  out[6] = tex2D<float>(texture, 0.5f, 0.5f);
}

/// Every element of level n is 10 n + 1.
static cudaMipmappedArray_t make_levels(unsigned levels) {
  cudaMipmappedArray_t array = nullptr;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  EXPECT_SUCCESS(
      cudaMallocMipmappedArray(&array, &floats, make_cudaExtent(kWidth, kHeight, 0), levels));
  for (unsigned n = 0; n < levels; ++n) {
    cudaArray_t level = nullptr;
    EXPECT_SUCCESS(cudaGetMipmappedArrayLevel(&level, array, n));
    cudaExtent extent = {};
    EXPECT_SUCCESS(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    EXPECT(extent.width == kWidth >> n && extent.height == std::max(kHeight >> n, 1));
    const std::vector<float> values(extent.width * extent.height, 10.0f * n + 1);
    const size_t pitch = extent.width * sizeof(float);
    EXPECT_SUCCESS(cudaMemcpy2DToArray(level, 0, 0, values.data(), pitch, pitch, extent.height,
                                       cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaFreeArray(level), cudaErrorInvalidResourceHandle);
  }
  return array;
}

static void expect_levels(cudaTextureDesc texture, const cudaResourceViewDesc* view,
                          cudaMipmappedArray_t array, const std::vector<float>& wanted) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureObject_t object = 0;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, view));
  float* out = shared<float>(8);
  read_levels<<<1, 1>>>(object, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT(out[i] == wanted[i]);
  EXPECT_SUCCESS(cudaFree(out));
  EXPECT_SUCCESS(cudaDestroyTextureObject(object));
}

static void check_levels() {
  const cudaMipmappedArray_t array = make_levels(4);
  cudaArray_t none = nullptr;
  EXPECT_ERROR(cudaGetMipmappedArrayLevel(&none, array, 4), cudaErrorInvalidValue);
  cudaTextureDesc texture = reading(cudaFilterModePoint, cudaAddressModeClamp, true);
  texture.mipmapFilterMode = cudaFilterModeLinear;
  texture.maxMipmapLevelClamp = 3;
  expect_levels(texture, nullptr, array, {1, 11, 3.5f, 31, 11, 1, 1});
  texture.mipmapLevelBias = 1;
  texture.maxMipmapLevelClamp = 2;
  expect_levels(texture, nullptr, array, {11, 21, 13.5f, 21, 21, 1, 11});
  texture.mipmapFilterMode = cudaFilterModePoint;
  texture.mipmapLevelBias = 0.5f;
  expect_levels(texture, nullptr, array, {11, 21, 11, 21, 21, 1});
  texture.mipmapLevelBias = 0;
  texture.maxMipmapLevelClamp = 3;
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = kWidth;
  view.height = kHeight;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  expect_levels(texture, &view, array, {11, 21, 11, 21});
  EXPECT_SUCCESS(cudaFreeMipmappedArray(array));
  EXPECT_ERROR(cudaFreeMipmappedArray(array), cudaErrorInvalidResourceHandle);
}

/// IEC 61966-2-1; alpha stays as it is.
static __global__ void read_pair(cudaTextureObject_t texture, uint2* out) {
  *out = tex2D<uint2>(texture, 1.5f, 0.5f);
}

/// Four shorts seen as two ints.
static void check_view_formats() {
  const cudaChannelFormatDesc shorts = cudaCreateChannelDesc<ushort4>();
  cudaArray_t array = nullptr;
  EXPECT_SUCCESS(cudaMallocArray(&array, &shorts, 2, 1));
  const ushort4 values[] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  EXPECT_SUCCESS(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1,
                                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc texture = reading(cudaFilterModePoint, cudaAddressModeClamp, false);
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatUnsignedInt2;
  view.width = 2;
  view.height = 1;
  cudaTextureObject_t object = 0;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, &view));
  uint2* out = shared<uint2>(1);
  read_pair<<<1, 1>>>(object, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out->x == 0x60005 && out->y == 0x80007);
  EXPECT_SUCCESS(cudaDestroyTextureObject(object));
  view.format = cudaResViewFormatUnsignedInt1;
  EXPECT_ERROR(cudaCreateTextureObject(&object, &resource, &texture, &view), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaFree(out));
  EXPECT_SUCCESS(cudaFreeArray(array));
}

static void check_srgb() {
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array = nullptr;
  EXPECT_SUCCESS(cudaMallocArray(&array, &bytes, 2, 1));
  const uchar4 values[] = {{0, 10, 128, 128}, {255, 188, 64, 255}};
  EXPECT_SUCCESS(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1,
                                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = reading(cudaFilterModePoint, cudaAddressModeClamp, false);
  texture.readMode = cudaReadModeNormalizedFloat;
  texture.sRGB = 1;
  cudaTextureObject_t object = 0;
  EXPECT_SUCCESS(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  float4* out = shared<float4>(2);
  read_bytes<<<1, 2>>>(object, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  const auto near = [](float got, float wanted) { return std::fabs(got - wanted) < 1e-4f; };
  EXPECT(out[0].x == 0 && near(out[0].y, 0.0030353f) && near(out[0].z, 0.2158605f));
  EXPECT(near(out[0].w, 128 / 255.0f) && out[1].x == 1 && out[1].w == 1);
  EXPECT(near(out[1].y, 0.5028865f) && near(out[1].z, 0.0512695f));
  EXPECT_SUCCESS(cudaFree(out));
  EXPECT_SUCCESS(cudaDestroyTextureObject(object));
  EXPECT_SUCCESS(cudaFreeArray(array));
}

int main() {
  check_levels();
  check_srgb();
  check_view_formats();
  const cudaArray_t grid = make_grid(cudaArraySurfaceLoadStore);
  check_addressing(grid);
  check_filtering(grid);
  check_linear_and_pitched();
  check_layers_volumes_and_cubes();
  check_gather();
  check_surfaces(grid);
  return failures;
}
