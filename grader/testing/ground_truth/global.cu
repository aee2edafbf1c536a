// SPDX-License-Identifier: MIT
// Global memory: requests and sectors of every width, alignment and pattern.
#include <algorithm>
#include <cstdint>

#include "testing/ground_truth/cases.cuh"

namespace {

constexpr int kCount = 10'000;
constexpr int kBlock = 256;
constexpr int kGrid = (kCount + kBlock - 1) / kBlock;

__device__ int thread_number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <class T>
__global__ void copy(const T* in, T* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i];
}

template <class T>
__global__ void load_strided(const T* in, T* out, int n, int stride) {
  const int i = thread_number();
  if (i < n) out[i] = in[i * stride];
}

template <class T>
__global__ void store_strided(const T* in, T* out, int n, int stride) {
  const int i = thread_number();
  if (i < n) out[i * stride] = in[i];
}

__global__ void copy_reversed(const float* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[n - 1 - i] = in[i];
}

__global__ void broadcast(const float* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[blockIdx.x];
}

__global__ void some_lanes(const float* in, float* out, int modulus, int rest) {
  const int i = thread_number();
  if (static_cast<int>(threadIdx.x) % modulus == rest) out[i] = in[i];
}

__global__ void flagged(const float* in, const int* flags, float* out, int n) {
  const int i = thread_number();
  if (i < n && flags[i] % 3 == 0) out[i] = in[i];
}

__global__ void select_without_branch(const float* in, float* out, int n) {
  const int i = thread_number();
  float value = 1;
  if (i < n) value = in[i];
  if (i < n / 2) out[i] = value;
}

__global__ void gather(const float* in, const int* index, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[index[i]];
}

__global__ void gather_wide(const float4* in, const int* index, float4* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(const float* in, const int* index, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[index[i]] = in[i];
}

/// One warp.
template <class T>
__global__ void load_by(const T* in, const int* index, T* out) {
  out[threadIdx.x] = in[index[threadIdx.x]];
}

template <class T>
__global__ void store_by(const T* in, const int* index, T* out) {
  out[index[threadIdx.x]] = in[threadIdx.x];
}

__global__ void copy_pitched(const float* in, float* out, size_t pitch, int width, int height) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const auto* from = reinterpret_cast<const char*>(in) + y * pitch;
  auto* to = reinterpret_cast<char*>(out) + y * pitch;
  reinterpret_cast<float*>(to)[x] = reinterpret_cast<const float*>(from)[x];
}

__global__ void copy_rows(const float* in, float* out, int width, int height) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) out[y * width + x] = in[y * width + x];
}

__global__ void transpose_reading_rows(const float* in, float* out, int width, int height) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void transpose_writing_rows(const double* in, double* out, int width, int height) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < height && y < width) out[y * height + x] = in[x * width + y];
}

__global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y),
            z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int at = (z * ny + y) * nx + x, row = nx, plane = nx * ny;
  out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] +
            in[at + plane];
}

__global__ void load_read_only(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i + 1];
}

__global__ void load_ldg(const double* in, double* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = __ldg(in + 2 * i);
}

__global__ void load_volatile(const volatile float* in, volatile float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[3 * i] + in[3 * i];
}

__global__ void load_with_cache_hints(const float* in, float* out, int n) {
  const int i = thread_number();
  if (i >= n) return;
  __stwt(out + i, __ldcg(in + i) + __ldcs(in + i + 1));
  __stcs(out + n + i, __ldcv(in + 2 * i) + __ldlu(in + i + n));
}

struct Point {
  float x, y, z;
};
struct alignas(16) Particle {
  float x, y, z, mass;
};
struct Record {
  float values[8];
  int key;
};

__global__ void points_one_member(const Point* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i].y;
}

__global__ void points_all_members(const Point* in, Point* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i];
}

__global__ void particles(const Particle* in, Particle* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i];
}

__global__ void particles_one_member(const Particle* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i].mass;
}

__global__ void records(const Record* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i].values[3] + static_cast<float>(in[i].key);
}

__global__ void arrays_instead(const float* x, const float* y, const float* z, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = x[i] * y[i] + z[i];
}

__constant__ float kFactors[64] = {1, 2, 3};
__device__ float table[kCount];

__global__ void constants(const float* in, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = in[i] * kFactors[blockIdx.x] + kFactors[threadIdx.x % 64];
}

__global__ void variables(float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = table[n - 1 - i];
}

__global__ void either_space(const float* in, float* out, int n, int from_shared) {
  __shared__ float tile[kBlock];
  const int i = thread_number();
  tile[threadIdx.x] = static_cast<float>(i);
  __syncthreads();
  const float* source = static_cast<int>(blockIdx.x) < from_shared ? tile : in;
  if (i < n) out[i] = source[kBlock - 1 - threadIdx.x];
}

__global__ void naive_matmul(const float* a, const float* b, float* c, int n) {
  const int column = thread_number(), row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void sum_rows(const float* in, float* out, int width, int height) {
  const int row = thread_number();
  if (row >= height) return;
  float sum = 0;
  for (int x = 0; x < width; ++x) sum += in[row * width + x];
  out[row] = sum;
}

__global__ void sum_columns(const float* in, float* out, int width, int height) {
  const int column = thread_number();
  if (column >= width) return;
  float sum = 0;
  for (int y = 0; y < height; ++y) sum += in[y * width + column];
  out[column] = sum;
}

__global__ void unaligned_words(const uint8_t* in, uint32_t* out, int n) {
  const int i = thread_number();
  if (i >= n) return;
  const uint8_t* const at = in + 5 * i + 1;
  out[i] = at[0] | at[1] << 8 | at[2] << 16 | static_cast<uint32_t>(at[3]) << 24;
}

__global__ void grid_stride(const float* in, float* out, int n) {
  for (int i = thread_number(); i < n; i += static_cast<int>(gridDim.x * blockDim.x))
    out[i] = 2 * in[i];
}

__global__ void fetch_linear(cudaTextureObject_t texture, float* out, int n) {
  const int i = thread_number();
  if (i < n) out[i] = tex1Dfetch<float>(texture, 2 * i);
}

__global__ void fetch_plane(cudaTextureObject_t texture, float* out, int width, int height) {
  const int x = thread_number(), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < width && y < height)
    out[y * width + x] =
        tex2D<float>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
}

template <class T>
void widths(const char* aligned, const char* off_by_one) {
  T *const in = zeros<T>(kCount + 32), *const out = zeros<T>(kCount + 32);
  launch(aligned, copy<T>, kGrid, kBlock, 0, {}, in, out, kCount);
  launch(off_by_one, copy<T>, kGrid, kBlock, 0, {}, in + 1, out + 1, kCount);
}

template <class T>
void strides(std::vector<int> loads, std::vector<int> stores) {
  constexpr int n = 2000;
  T *const small = zeros<T>(n), *const large = zeros<T>(n * 65);
  char name[80];
  for (const int stride : loads) {
    std::snprintf(name, sizeof name, "load %zu bytes with stride %d", sizeof(T), stride);
    launch(name, load_strided<T>, 8, kBlock, 0, {}, large, small, n, stride);
  }
  for (const int stride : stores) {
    std::snprintf(name, sizeof name, "store %zu bytes with stride %d", sizeof(T), stride);
    launch(name, store_strided<T>, 8, kBlock, 0, {}, small, large, n, stride);
  }
}

void alignments() {
  widths<uint8_t>("copy 1-byte elements", "copy 1-byte elements, off by one");
  widths<uint16_t>("copy 2-byte elements", "copy 2-byte elements, off by one");
  widths<float>("copy 4-byte elements", "copy 4-byte elements, off by one");
  widths<double>("copy 8-byte elements", "copy 8-byte elements, off by one");
  widths<float4>("copy 16-byte elements", "copy 16-byte elements, off by one");
  widths<uchar4>("copy uchar4", "copy uchar4, off by one");
  widths<short2>("copy short2", "copy short2, off by one");
  widths<float2>("copy float2", "copy float2, off by one");
  widths<int4>("copy int4", "copy int4, off by one");
  widths<double2>("copy double2", "copy double2, off by one");
  float *const in = zeros<float>(2 * kCount), *const out = zeros<float>(2 * kCount);
  launch("off by 3 into off by 5", copy<float>, kGrid, kBlock, 0, {}, in + 3, out + 5, kCount);
  launch("off by one sector", copy<float>, kGrid, kBlock, 0, {}, in + 8, out + 8, kCount);
  launch("off by 31", copy<float>, kGrid, kBlock, 0, {}, in + 31, out + 31, kCount);
  launch("blocks of 100 threads", copy<float>, 100, 100, 0, {}, in, out, kCount);
  launch("blocks of 33 threads, off by 7", copy<float>, 20, 33, 0, {}, in + 7, out, 650);
  launch("blocks of 1 thread", copy<float>, 40, 1, 0, {}, in, out, 40);
  launch("reversed", copy_reversed, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("all lanes read one element", broadcast, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("grid-stride loop", grid_stride, 5, 192, 0, {}, in, out, kCount);
}

void masks() {
  float *const in = zeros<float>(kCount), *const out = zeros<float>(kCount);
  std::vector<int> flags(kCount);
  Numbers numbers;
  for (int& flag : flags) flag = static_cast<int>(numbers.below(7));
  launch("even lanes", some_lanes, 16, kBlock, 0, {}, in, out, 2, 0);
  launch("every fifth thread", some_lanes, 16, kBlock, 0, {}, in, out, 5, 3);
  launch("one lane of each warp", some_lanes, 16, kBlock, 0, {}, in, out, 32, 31);
  launch("one thread of each block", some_lanes, 16, kBlock, 0, {}, in, out, kBlock, 77);
  launch("no thread at all", some_lanes, 16, kBlock, 0, {}, in, out, 32, 40);
  launch("lanes chosen by data", flagged, kGrid, kBlock, 0, {}, in, on_device(flags), out, kCount);
  launch("bounds in the middle of a warp", select_without_branch, kGrid, kBlock, 0, {}, in, out,
         kCount - 9);
}

void planes() {
  float *in = nullptr, *out = nullptr;
  size_t pitch = 0;
  constexpr int width = 100, height = 37;
  cudaMallocPitch(&in, &pitch, width * sizeof(float), height);
  cudaMallocPitch(&out, &pitch, width * sizeof(float), height);
  const auto grid = [&](dim3 block) {
    return dim3((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  };
  for (const dim3 block : {dim3(16, 16), dim3(32, 8), dim3(8, 32), dim3(5, 7)}) {
    char name[80];
    std::snprintf(name, sizeof name, "pitched rows, blocks of %ux%u", block.x, block.y);
    launch(name, copy_pitched, grid(block), block, 0, {}, in, out, pitch, width, height);
  }
  double *const wide_in = zeros<double>(width * height), *const wide_out =
                                                             zeros<double>(width * height);
  float *const a = zeros<float>(kCount), *const b = zeros<float>(kCount);
  launch("rows of 33 floats", copy_rows, dim3(3, 5), dim3(16, 16), 0, {}, a, b, 33, 70);
  launch("transpose, reading rows", transpose_reading_rows, grid(dim3(16, 16)), dim3(16, 16), 0, {},
         a, b, width, height);
  launch("transpose, reading rows, 32x8", transpose_reading_rows, grid(dim3(32, 8)), dim3(32, 8), 0,
         {}, a, b, width, height);
  launch("transpose, writing rows", transpose_writing_rows, dim3(2, 13), dim3(32, 8), 0, {},
         wide_in, wide_out, width, height);
  launch("stencil in 3 dimensions", stencil_3d, dim3(4, 5, 3), dim3(8, 4, 4), 0, {}, a, b, 30, 20,
         10);
  launch("naive matmul, 16x16", naive_matmul, dim3(5, 5), dim3(16, 16), 0, {}, a, a, b, 70);
  launch("naive matmul, 32x4", naive_matmul, dim3(3, 18), dim3(32, 4), 0, {}, a, a, b, 70);
  launch("a row for each thread", sum_rows, 1, 128, 0, {}, a, b, 90, 100);
  launch("a column for each thread", sum_columns, 1, 128, 0, {}, a, b, 90, 100);
}

void patterns() {
  std::vector<int> far(kCount), near(kCount);
  Numbers numbers;
  for (int i = 0; i < kCount; ++i) {
    far[i] = static_cast<int>(numbers.below(kCount));
    near[i] = std::min(i / 64 * 64 + static_cast<int>(numbers.below(64)), kCount - 1);
  }
  const int *const anywhere = on_device(far), *const nearby = on_device(near);
  float *const in = zeros<float>(2 * kCount + 64), *const out = zeros<float>(2 * kCount);
  float4 *const wide_in = zeros<float4>(kCount), *const wide_out = zeros<float4>(kCount);
  launch("gather from anywhere", gather, kGrid, kBlock, 0, {}, in, anywhere, out, kCount);
  launch("gather from nearby", gather, kGrid, kBlock, 0, {}, in, nearby, out, kCount);
  launch("gather 16 bytes from anywhere", gather_wide, kGrid, kBlock, 0, {}, wide_in, anywhere,
         wide_out, kCount);
  launch("gather 16 bytes from nearby", gather_wide, kGrid, kBlock, 0, {}, wide_in, nearby,
         wide_out, kCount);
  launch("scatter anywhere", scatter, kGrid, kBlock, 0, {}, in, anywhere, out, kCount);
  launch("scatter nearby", scatter, kGrid, kBlock, 0, {}, in, nearby, out, kCount);
}

template <class T>
void duplicates() {
  T *const in = zeros<T>(256), *const out = zeros<T>(256);
  const struct {
    const char* name;
    int (*index)(int lane);
  } kinds[] = {{"one element", [](int) { return 3; }},
               {"pairs of lanes", [](int lane) { return lane / 2; }},
               {"pairs of lanes, stride 8", [](int lane) { return lane / 2 * 8; }},
               {"halves alike", [](int lane) { return lane % 16 * 3; }},
               {"fours", [](int lane) { return lane / 4 * 5; }}};
  for (const auto& [name, index] : kinds) {
    std::vector<int> of_lanes;
    for (int lane = 0; lane < 32; ++lane) of_lanes.push_back(index(lane));
    char text[80];
    std::snprintf(text, sizeof text, "load %zu bytes, %s", sizeof(T), name);
    launch(text, load_by<T>, 1, 32, 0, {}, in, on_device(of_lanes), out);
    std::snprintf(text, sizeof text, "store %zu bytes, %s", sizeof(T), name);
    launch(text, store_by<T>, 1, 32, 0, {}, in, on_device(of_lanes), out);
  }
}

void flavours() {
  float *const in = zeros<float>(3 * kCount), *const out = zeros<float>(3 * kCount);
  double *const wide_in = zeros<double>(2 * kCount), *const wide_out = zeros<double>(kCount);
  launch("const __restrict__", load_read_only, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("__ldg", load_ldg, kGrid, kBlock, 0, {}, wide_in, wide_out, kCount);
  launch("volatile", load_volatile, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("cache hints", load_with_cache_hints, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("constant memory", constants, kGrid, kBlock, 0, {}, in, out, kCount);
  launch("__device__ array", variables, kGrid, kBlock, 0, {}, out, kCount);
  launch("generic pointer to global memory", either_space, 16, kBlock, 0, {}, in, out, 4000, 0);
  launch("generic pointer to shared memory", either_space, 16, kBlock, 0, {}, in, out, 4000, 16);
  launch("generic pointer to either", either_space, 16, kBlock, 0,
         {"bytes", "ncu counts the bytes of every generic access as global"}, in, out, 4000, 5);
  launch("words at unaligned addresses", unaligned_words, kGrid, kBlock, 0, {},
         reinterpret_cast<const uint8_t*>(zeros<float>(2 * kCount)),
         reinterpret_cast<uint32_t*>(out), kCount);
}

void structures() {
  float *const in = zeros<float>(9 * kCount), *const out = zeros<float>(4 * kCount);
  launch("struct of 12 bytes, one member", points_one_member, kGrid, kBlock, 0, {},
         reinterpret_cast<const Point*>(in), out, kCount);
  launch("struct of 12 bytes, whole", points_all_members, kGrid, kBlock, 0, {},
         reinterpret_cast<const Point*>(in), reinterpret_cast<Point*>(out), kCount);
  launch("struct of 16 bytes, whole", particles, kGrid, kBlock, 0, {},
         reinterpret_cast<const Particle*>(in), reinterpret_cast<Particle*>(out), kCount);
  launch("struct of 16 bytes, one member", particles_one_member, kGrid, kBlock, 0, {},
         reinterpret_cast<const Particle*>(in), out, kCount);
  launch("struct of 36 bytes, two members", records, kGrid, kBlock, 0, {},
         reinterpret_cast<const Record*>(in), out, kCount);
  launch("three arrays", arrays_instead, kGrid, kBlock, 0, {}, in, in + kCount, in + 2 * kCount + 1,
         out, kCount);
}

void textures() {
  constexpr int width = 90, height = 40;
  float* const out = zeros<float>(kCount);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = zeros<float>(2 * kCount);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 2 * kCount * sizeof(float);
  cudaTextureDesc description = {};
  cudaTextureObject_t line = 0, plane = 0;
  expect_success(cudaCreateTextureObject(&line, &resource, &description, nullptr), "texture");
  launch("texture of linear memory", fetch_linear, 8, kBlock, 0, {}, line, out, 2000);
  resource.resType = cudaResourceTypePitch2D;
  void* memory = nullptr;
  size_t pitch = 0;
  expect_success(cudaMallocPitch(&memory, &pitch, width * sizeof(float), height), "texture");
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  expect_success(cudaCreateTextureObject(&plane, &resource, &description, nullptr), "texture");
  launch("texture of pitched memory", fetch_plane, dim3(6, 3), dim3(16, 16), 0, {}, plane, out,
         width, height);
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  alignments();
  strides<uint8_t>({2, 4, 32}, {3});
  strides<float>({2, 3, 4, 7, 8, 16, 32, 33, 64}, {2, 8, 33});
  strides<double>({2, 3, 5, 16}, {3});
  strides<float4>({2, 3, 9}, {2});
  masks();
  planes();
  patterns();
  duplicates<uint8_t>();
  duplicates<float>();
  duplicates<double>();
  duplicates<float4>();
  flavours();
  structures();
  textures();
}
