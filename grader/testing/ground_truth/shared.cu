// SPDX-License-Identifier: MIT
// Shared memory: wavefronts and bank conflicts of every width and pattern.
#include <cstdint>

#include "testing/ground_truth/cases.cuh"

namespace {

constexpr int kElements = 1056;

template <class T>
__device__ void fill(T* data) {
  for (int i = static_cast<int>(threadIdx.x); i < kElements; i += 32) data[i] = T{};
  __syncwarp();
}

/// One warp; a lane whose index is negative does nothing.
template <class T>
__global__ void load_by(const int* index, T* out) {
  __shared__ T data[kElements];
  fill(data);
  const int at = index[threadIdx.x];
  if (at >= 0) out[threadIdx.x] = data[at];
}

template <class T>
__global__ void store_by(const int* index, T* out) {
  __shared__ T data[kElements];
  const int at = index[threadIdx.x];
  if (at >= 0) data[at] = out[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = data[threadIdx.x];
}

template <int Padding, class T>
__global__ void transpose_tile(const T* in, T* out, int n) {
  __shared__ T tile[32][32 + Padding];
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 32 + threadIdx.y);
  for (int row = 0; row < 32; row += static_cast<int>(blockDim.y))
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
  __syncthreads();
  const int to_x = static_cast<int>(blockIdx.y * 32 + threadIdx.x),
            to_y = static_cast<int>(blockIdx.x * 32 + threadIdx.y);
  for (int row = 0; row < 32; row += static_cast<int>(blockDim.y))
    out[(to_y + row) * n + to_x] = tile[threadIdx.x][threadIdx.y + row];
}

__global__ void columns_of_square(float* out) {
  __shared__ float tile[16][16];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <int Size>
__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[Size][Size], of_b[Size][Size];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * Size + x,
            row = static_cast<int>(blockIdx.y) * Size + y;
  float sum = 0;
  for (int tile = 0; tile < n; tile += Size) {
    of_a[y][x] = a[row * n + tile + x];
    of_b[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Size; ++k) sum += of_a[y][k] * of_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce_interleaved(const float* in, float* out) {
  extern __shared__ float sums[];
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned at = 2 * step * threadIdx.x;
    if (at < blockDim.x) sums[at] += sums[at + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void reduce_sequential(const float* in, float* out) {
  extern __shared__ float sums[];
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void inclusive_scan(const int* in, int* out) {
  extern __shared__ int values[];
  const unsigned i = threadIdx.x;
  values[i] = in[i];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const int before = i >= step ? values[i - step] : 0;
    __syncthreads();
    values[i] += before;
    __syncthreads();
  }
  out[i] = values[i];
}

struct Point {
  float x, y, z;
};

__global__ void structures(const Point* in, float* out, int shift) {
  __shared__ Point points[64];
  points[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const Point& other = points[(threadIdx.x + static_cast<unsigned>(shift)) % 64];
  out[threadIdx.x] = other.x * other.z;
}

__global__ void volatile_exchange(int* out, int shift) {
  __shared__ volatile int values[128];
  values[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  const int mine = values[(threadIdx.x * static_cast<unsigned>(shift)) % 128];
  out[threadIdx.x] = mine + values[threadIdx.x];
}

__global__ void stencil_1d(const float* in, float* out, int n) {
  __shared__ float window[128 + 6];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int at = static_cast<int>(threadIdx.x) + 3;
  window[at] = i < n ? in[i] : 0;
  if (threadIdx.x < 3) {
    window[at - 3] = i >= 3 ? in[i - 3] : 0;
    window[at + 128] = i + 128 < n ? in[i + 128] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int offset = -3; offset <= 3; ++offset) sum += window[at + offset];
  out[i] = sum;
}

__global__ void bytes_as_words(const uint32_t* in, uint32_t* out) {
  __shared__ uint8_t bytes[512];
  reinterpret_cast<uint32_t*>(bytes)[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += bytes[threadIdx.x + 128u * static_cast<unsigned>(i)];
  out[threadIdx.x] = sum;
}

struct Pattern {
  const char* name;
  int (*index)(int lane);
};

int anywhere(int lane) {
  Numbers numbers;
  int at = 0;
  for (int i = 0; i <= lane; ++i) at = static_cast<int>(numbers.below(kElements));
  return at;
}

constexpr Pattern kPatterns[] = {
    {"stride 1", [](int lane) { return lane; }},
    {"stride 2", [](int lane) { return 2 * lane; }},
    {"stride 3", [](int lane) { return 3 * lane; }},
    {"stride 4", [](int lane) { return 4 * lane; }},
    {"stride 8", [](int lane) { return 8 * lane; }},
    {"stride 16", [](int lane) { return 16 * lane; }},
    {"stride 17", [](int lane) { return 17 * lane; }},
    {"stride 32", [](int lane) { return 32 * lane; }},
    {"stride 33", [](int lane) { return 33 * lane; }},
    {"one element", [](int) { return 5; }},
    {"two elements", [](int lane) { return 32 * (lane / 16); }},
    {"pairs of lanes", [](int lane) { return lane / 2; }},
    {"pairs of lanes, stride 16", [](int lane) { return lane / 2 * 16; }},
    {"lanes two apart", [](int lane) { return lane % 2 + lane / 4 * 2; }},
    {"lanes two apart, stride 32", [](int lane) { return 32 * (lane % 2 + lane / 4 * 2); }},
    {"halves alike", [](int lane) { return lane % 16; }},
    {"even and odd", [](int lane) { return lane % 2 * 32; }},
    {"even lanes, stride 2", [](int lane) { return lane % 2 == 0 ? 2 * lane : -1; }},
    {"even lanes, stride 16", [](int lane) { return lane % 2 == 0 ? 16 * lane : -1; }},
    {"8 lanes, stride 32", [](int lane) { return lane < 8 ? 32 * lane : -1; }},
    {"all but one lane, pairs", [](int lane) { return lane == 13 ? -1 : lane / 2 * 8; }},
    {"one lane", [](int lane) { return lane == 19 ? 7 : -1; }},
    {"no lane", [](int) { return -1; }},
    {"permuted", [](int lane) { return lane * 5 % 32; }},
    {"anywhere", anywhere},
};

template <class T>
void by_pattern(const char* type) {
  T* const out = zeros<T>(32);
  for (const Pattern& pattern : kPatterns) {
    std::vector<int> index(32);
    for (int lane = 0; lane < 32; ++lane) index[static_cast<size_t>(lane)] = pattern.index(lane);
    const int* const by = on_device(index);
    char name[80];
    std::snprintf(name, sizeof name, "load %s, %s", type, pattern.name);
    launch(name, load_by<T>, 1, 32, 0, {}, by, out);
    std::snprintf(name, sizeof name, "store %s, %s", type, pattern.name);
    launch(name, store_by<T>, 1, 32, 0, {}, by, out);
  }
}

template <int Padding, class T>
void transposed(const char* name) {
  T *const in = zeros<T>(64 * 64), *const out = zeros<T>(64 * 64);
  launch(name, transpose_tile<Padding, T>, dim3(2, 2), dim3(32, 8), 0, {}, in, out, 64);
}

void whole_kernels() {
  transposed<0, float>("transpose through a tile");
  transposed<1, float>("transpose through a padded tile");
  transposed<0, double>("transpose doubles through a tile");
  transposed<1, double>("transpose doubles through a padded tile");
  float *const in = zeros<float>(64 * 64), *const out = zeros<float>(64 * 64);
  int *const whole_in = zeros<int>(256), *const whole_out = zeros<int>(256);
  launch("columns of a 16x16 tile", columns_of_square, 1, dim3(16, 16), 0, {}, out);
  launch("tiled matmul, 16x16", tiled_matmul<16>, dim3(4, 4), dim3(16, 16), 0, {}, in, in, out, 64);
  launch("tiled matmul, 32x32", tiled_matmul<32>, dim3(2, 2), dim3(32, 32), 0, {}, in, in, out, 64);
  launch("reduction, interleaved", reduce_interleaved, 8, 256, 1024, {}, in, out);
  launch("reduction, sequential", reduce_sequential, 8, 256, 1024, {}, in, out);
  launch("scan", inclusive_scan, 1, 256, 1024, {}, whole_in, whole_out);
  launch("structs of 12 bytes", structures, 1, 64, 0, {}, reinterpret_cast<const Point*>(in), out,
         5);
  launch("volatile, stride 8", volatile_exchange, 1, 128, 0, {}, whole_out, 8);
  launch("stencil in 1 dimension", stencil_1d, 3, 128, 0, {}, in, out, 300);
  launch("bytes of words", bytes_as_words, 1, 128, 0, {},
         reinterpret_cast<const uint32_t*>(whole_in), reinterpret_cast<uint32_t*>(whole_out));
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  by_pattern<uint8_t>("1 byte");
  by_pattern<float>("4 bytes");
  by_pattern<double>("8 bytes");
  by_pattern<float4>("16 bytes");
  whole_kernels();
}
