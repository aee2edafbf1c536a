// SPDX-License-Identifier: MIT
// The validation set of the time model: ladders of kernels as a course has them. Nothing here is
// used to fit the model.
#include "emulator/model/measured/variants.cuh"

namespace {

constexpr int kBlock = 256;

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Copies of 32 MB.
constexpr int kCopied = 8 * kMegabyte;

__global__ void copy_each(const float* from, float* to) {
  const int i = global_index();
  to[i] = from[i];
}
__global__ void copy_grid_stride(const float* from, float* to, int n) {
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}
__global__ void copy_vector(const float4* from, float4* to) {
  const int i = global_index();
  to[i] = from[i];
}
/// Each thread copies neighbours, so that the lanes of a warp lie far apart.
__global__ void copy_chunks(const float* from, float* to, int chunk) {
  const int first = global_index() * chunk;
  for (int i = first; i < first + chunk; ++i) to[i] = from[i];
}
__global__ void copy_bytes(const unsigned char* from, unsigned char* to) {
  const int i = global_index();
  to[i] = from[i];
}
__global__ void add_strided(float* data, int stride) {
  const int i = global_index() * stride;
  data[i] += 1;
}
__global__ void add_offset(float* data, int offset) {
  const int i = global_index() + offset;
  data[i] += 1;
}

// Transposes and sums of matrices of 2048 x 2048.
constexpr int kSide = 2048;

__global__ void transpose_naive(const float* from, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  to[x * kSide + y] = from[y * kSide + x];
}
__global__ void transpose_strided_reads(const float* from, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  to[y * kSide + x] = from[x * kSide + y];
}
template <int kPad, int kRows>
__global__ void transpose_tiled(const float* from, float* to) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += kRows)
    tile[threadIdx.y + row][threadIdx.x] = from[(y + row) * kSide + x];
  __syncthreads();
  const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += kRows)
    to[(to_y + row) * kSide + to_x] = tile[threadIdx.x][threadIdx.y + row];
}
__global__ void matrix_add_by_column(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x,
            column = blockIdx.y * blockDim.y + threadIdx.y;
  c[row * kSide + column] = a[row * kSide + column] + b[row * kSide + column];
}
__global__ void matrix_add_by_row(const float* a, const float* b, float* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y;
  c[row * kSide + column] = a[row * kSide + column] + b[row * kSide + column];
}

// Reductions of 4 Mi floats.
constexpr int kReduced = 4 * kMegabyte;

__global__ void reduce_atomic(const float* from, float* sum) {
  atomicAdd(sum, from[global_index()]);
}
__global__ void reduce_interleaved(const float* from, float* sum) {
  __shared__ float part[kBlock];
  const int thread = threadIdx.x;
  part[thread] = from[global_index()];
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (thread % (2 * step) == 0) part[thread] += part[thread + step];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(sum, part[0]);
}
__global__ void reduce_conflicting(const float* from, float* sum) {
  __shared__ float part[kBlock];
  const int thread = threadIdx.x;
  part[thread] = from[global_index()];
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    const int index = 2 * step * thread;
    if (index < blockDim.x) part[index] += part[index + step];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(sum, part[0]);
}
__device__ void sum_block(float* part, float* sum) {
  const int thread = threadIdx.x;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (thread < step) part[thread] += part[thread + step];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(sum, part[0]);
}
__global__ void reduce_sequential(const float* from, float* sum) {
  __shared__ float part[kBlock];
  part[threadIdx.x] = from[global_index()];
  sum_block(part, sum);
}
__global__ void reduce_first_add(const float* from, float* sum) {
  __shared__ float part[kBlock];
  const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  part[threadIdx.x] = from[i] + from[i + blockDim.x];
  sum_block(part, sum);
}
__global__ void reduce_shuffle(const float4* from, float* sum, int n) {
  __shared__ float part[32];
  float own = 0;
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) {
    const float4 four = from[i];
    own += four.x + four.y + four.z + four.w;
  }
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  own = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x == 0) atomicAdd(sum, own);
}

// Histograms of 256 bins.
__global__ void histogram_global(const int* data, int* bins, int mask) {
  atomicAdd(bins + (data[global_index()] & mask), 1);
}
__global__ void histogram_shared(const int* data, int* bins, int mask, int n) {
  __shared__ int own[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(own + (data[i] & mask), 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(bins + bin, own[bin]);
}

// Products of 512 x 512 matrices.
constexpr int kOrder = 512;

__global__ void matmul_by_column(const float* a, const float* b, float* c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x,
            column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kOrder; ++k) sum += a[row * kOrder + k] * b[k * kOrder + column];
  c[row * kOrder + column] = sum;
}
__global__ void matmul_naive(const float* a, const float* b, float* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kOrder; ++k) sum += a[row * kOrder + k] * b[k * kOrder + column];
  c[row * kOrder + column] = sum;
}
template <class T, int kTile>
__global__ void matmul_tiled(const T* a, const T* b, T* c) {
  __shared__ T a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  T sum = 0;
  for (int first = 0; first < kOrder; first += kTile) {
    a_tile[y][x] = a[row * kOrder + first + x];
    b_tile[y][x] = b[(first + y) * kOrder + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  c[row * kOrder + column] = sum;
}
/// 32 x 32 results a block, each of 256 threads makes four of a column.
__global__ void matmul_registers(const float* a, const float* b, float* c) {
  __shared__ float a_tile[32][32], b_tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sums[4] = {};
  for (int first = 0; first < kOrder; first += 32) {
    for (int part = 0; part < 4; ++part) {
      a_tile[y + 8 * part][x] = a[(row + 8 * part) * kOrder + first + x];
      b_tile[y + 8 * part][x] = b[(first + y + 8 * part) * kOrder + column];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float right = b_tile[k][x];
      for (int part = 0; part < 4; ++part) sums[part] += a_tile[y + 8 * part][k] * right;
    }
    __syncthreads();
  }
  for (int part = 0; part < 4; ++part) c[(row + 8 * part) * kOrder + column] = sums[part];
}

// Arithmetic on 1 Mi numbers.
constexpr int kNumbers = kMegabyte;

__global__ void polynomial_pow(const float* from, float* to) {
  const float x = from[global_index()];
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += 0.5f * powf(x, static_cast<float>(k));
  to[global_index()] = sum;
}
__global__ void polynomial_products(const float* from, float* to) {
  const float x = from[global_index()];
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    float power = 0.5f;
    for (int factor = 0; factor < k; ++factor) power *= x;
    sum += power;
  }
  to[global_index()] = sum;
}
template <class T>
__global__ void horner(const T* from, T* to, T coefficient) {
  const T x = from[global_index()];
  T sum = 0;
  for (int k = 0; k < 128; ++k) sum = sum * x + coefficient;
  to[global_index()] = sum;
}
__global__ void scale_by_division(const float* from, float* to, float by) {
  float x = from[global_index()] + 1;
  for (int i = 0; i < 16; ++i) x = x / by + 1;
  to[global_index()] = x;
}
__global__ void scale_by_product(const float* from, float* to, float by) {
  float x = from[global_index()] + 1;
  const float inverse = 1 / by;
  for (int i = 0; i < 16; ++i) x = x * inverse + 1;
  to[global_index()] = x;
}
__global__ void sines(const float* from, float* to) {
  float x = from[global_index()];
  for (int i = 0; i < 16; ++i) x = sinf(x) + 1;
  to[global_index()] = x;
}
__global__ void fast_sines(const float* from, float* to) {
  float x = from[global_index()];
  for (int i = 0; i < 16; ++i) x = __sinf(x) + 1;
  to[global_index()] = x;
}
__global__ void remainders(const int* from, int* to, int by) {
  int x = from[global_index()];
  for (int i = 0; i < 16; ++i) x = (x ^ i) % by + 0x1234567;
  to[global_index()] = x;
}
__global__ void masked_remainders(const int* from, int* to, int mask) {
  int x = from[global_index()];
  for (int i = 0; i < 16; ++i) x = ((x ^ i) & mask) + 0x1234567;
  to[global_index()] = x;
}

// Divergence.
__device__ float fading(float x) {
  for (int i = 0; i < 64; ++i) x = x * 0.9f + 0.1f;
  return x;
}
__device__ float growing(float x) {
  for (int i = 0; i < 64; ++i) x = x * x - 0.7f;
  return x;
}
__global__ void branch_by(float* data, int width) {
  const int i = global_index();
  data[i] = i / width % 2 == 0 ? fading(data[i]) : growing(data[i]);
}
__global__ void mandelbrot(int* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float re = 3.0f * x / side - 2, im = 2.0f * y / side - 1;
  float a = 0, b = 0;
  int step = 0;
  for (; step < 128 && a * a + b * b < 4; ++step) {
    const float next = a * a - b * b + re;
    b = 2 * a * b + im;
    a = next;
  }
  out[y * side + x] = step;
}

// Occupancy and latency.
__global__ void sum_pairs_with_shared(const float* a, const float* b, float* to, int n) {
  extern __shared__ float unused[];
  if (n < 0) unused[threadIdx.x] = a[0];
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) to[i] = a[i] + b[i];
}
template <int kChains>
__global__ void chase(const int* ring, int* out, int steps) {
  int at[kChains];
  for (int chain = 0; chain < kChains; ++chain)
    at[chain] = (global_index() * kChains + chain) * 61 % kInts;
  for (int step = 0; step < steps; ++step)
    for (int& place : at) place = ring[place];
  int sum = 0;
  for (const int place : at) sum += place;
  out[global_index()] = sum;
}
__global__ void search(const int* keys, int n, const int* wanted, int* found) {
  const int key = wanted == nullptr ? global_index() * 2 : wanted[global_index()] % (2 * n);
  int low = 0, high = n;
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    if (keys[middle] <= key)
      low = middle;
    else
      high = middle;
  }
  found[global_index()] = low;
}

// Stencils.
__global__ void stencil_naive(const float* from, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == kSide - 1 || y == kSide - 1) return;
  const int i = y * kSide + x;
  to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - kSide] + from[i + kSide]);
}
__global__ void stencil_shared(const float* from, float* to) {
  __shared__ float tile[18][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int row = threadIdx.y; row < 18; row += 16) {
    for (int column = threadIdx.x; column < 34; column += 32) {
      const int from_x = min(max(x - static_cast<int>(threadIdx.x) + column - 1, 0), kSide - 1);
      const int from_y = min(max(y - static_cast<int>(threadIdx.y) + row - 1, 0), kSide - 1);
      tile[row][column] = from[from_y * kSide + from_x];
    }
  }
  __syncthreads();
  const int column = threadIdx.x + 1, row = threadIdx.y + 1;
  to[y * kSide + x] = 0.2f * (tile[row][column] + tile[row][column - 1] + tile[row][column + 1] +
                              tile[row - 1][column] + tile[row + 1][column]);
}
__global__ void stencil_marching(const float* from, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 16;
  if (x == 0 || x == kSide - 1) return;
  float above = from[max(first - 1, 0) * kSide + x], here = from[first * kSide + x];
  for (int y = first; y < first + 16; ++y) {
    const int i = y * kSide + x;
    const float below = from[min(y + 1, kSide - 1) * kSide + x];
    to[i] = 0.2f * (here + from[i - 1] + from[i + 1] + above + below);
    above = here;
    here = below;
  }
}
constexpr int kImage = 1024, kRadius = 2, kWidth = 2 * kRadius + 1;
__constant__ float blur_weights[kWidth * kWidth];

template <bool kConstant>
__global__ void blur(const float* from, const float* weights, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      const int at_x = min(max(x + dx, 0), kImage - 1), at_y = min(max(y + dy, 0), kImage - 1);
      const int weight = (dy + kRadius) * kWidth + dx + kRadius;
      sum += from[at_y * kImage + at_x] * (kConstant ? blur_weights[weight] : weights[weight]);
    }
  }
  to[y * kImage + x] = sum;
}
__global__ void blur_shared(const float* from, float* to) {
  constexpr int kTile = 16 + 2 * kRadius;
  __shared__ float tile[kTile][kTile];
  const int left = blockIdx.x * 16 - kRadius, top = blockIdx.y * 16 - kRadius;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < kTile * kTile; i += 256) {
    const int x = min(max(left + i % kTile, 0), kImage - 1),
              y = min(max(top + i / kTile, 0), kImage - 1);
    tile[i / kTile][i % kTile] = from[y * kImage + x];
  }
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < kWidth; ++dy)
    for (int dx = 0; dx < kWidth; ++dx)
      sum += tile[threadIdx.y + dy][threadIdx.x + dx] * blur_weights[dy * kWidth + dx];
  to[(blockIdx.y * 16 + threadIdx.y) * kImage + blockIdx.x * 16 + threadIdx.x] = sum;
}

// Scans of blocks of 512.
constexpr int kScanned = 512;

__global__ void scan_hillis_steele(const float* from, float* to) {
  __shared__ float sums[2][kScanned];
  const int thread = threadIdx.x;
  int now = 0;
  sums[0][thread] = from[global_index()];
  __syncthreads();
  for (int step = 1; step < kScanned; step *= 2) {
    sums[1 - now][thread] = sums[now][thread] + (thread >= step ? sums[now][thread - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  to[global_index()] = sums[now][thread];
}
/// Each thread has two numbers.
__global__ void scan_blelloch(const float* from, float* to) {
  __shared__ float sums[kScanned];
  const int thread = threadIdx.x, first = blockIdx.x * kScanned;
  sums[2 * thread] = from[first + 2 * thread];
  sums[2 * thread + 1] = from[first + 2 * thread + 1];
  int offset = 1;
  for (int active = kScanned / 2; active > 0; active /= 2) {
    __syncthreads();
    if (thread < active) {
      const int left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1;
      sums[right] += sums[left];
    }
    offset *= 2;
  }
  if (thread == 0) sums[kScanned - 1] = 0;
  for (int active = 1; active < kScanned; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (thread < active) {
      const int left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1;
      const float kept = sums[left];
      sums[left] = sums[right];
      sums[right] += kept;
    }
  }
  __syncthreads();
  to[first + 2 * thread] = sums[2 * thread];
  to[first + 2 * thread + 1] = sums[2 * thread + 1];
}
__global__ void scan_shuffle(const float* from, float* to) {
  __shared__ float sums[kScanned / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float own = from[global_index()];
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(~0u, own, step);
    if (lane >= step) own += other;
  }
  if (lane == 31) sums[warp] = own;
  __syncthreads();
  if (warp == 0) {
    float total = lane < kScanned / 32 ? sums[lane] : 0;
    for (int step = 1; step < kScanned / 32; step *= 2) {
      const float other = __shfl_up_sync(~0u, total, step);
      if (lane >= step) total += other;
    }
    if (lane < kScanned / 32) sums[lane] = total;
  }
  __syncthreads();
  to[global_index()] = own + (warp > 0 ? sums[warp - 1] : 0);
}

// Forces between 4096 bodies.
constexpr int kBodies = 4096;

__device__ void attract(float4 body, float4 other, float3& force) {
  const float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
  const float strength = other.w * inverse * inverse * inverse;
  force.x += strength * x;
  force.y += strength * y;
  force.z += strength * z;
}
__global__ void bodies_global(const float4* bodies, float4* forces) {
  const float4 body = bodies[global_index()];
  float3 force = {0, 0, 0};
  for (int i = 0; i < kBodies; ++i) attract(body, bodies[i], force);
  forces[global_index()] = {force.x, force.y, force.z, 0};
}
__global__ void bodies_shared(const float4* bodies, float4* forces) {
  __shared__ float4 tile[128];
  const float4 body = bodies[global_index()];
  float3 force = {0, 0, 0};
  for (int first = 0; first < kBodies; first += 128) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 128; ++i) attract(body, tile[i], force);
    __syncthreads();
  }
  forces[global_index()] = {force.x, force.y, force.z, 0};
}

// Softmax of 4096 rows of 256.
constexpr int kRowLength = 256;

__global__ void softmax_thread(const float* from, float* to) {
  const float* row = from + global_index() * kRowLength;
  float highest = row[0], sum = 0;
  for (int i = 1; i < kRowLength; ++i) highest = fmaxf(highest, row[i]);
  for (int i = 0; i < kRowLength; ++i) sum += __expf(row[i] - highest);
  for (int i = 0; i < kRowLength; ++i)
    to[global_index() * kRowLength + i] = __expf(row[i] - highest) / sum;
}
__global__ void softmax_block(const float* from, float* to) {
  __shared__ float part[kRowLength];
  const int thread = threadIdx.x;
  const float own = from[global_index()];
  part[thread] = own;
  __syncthreads();
  for (int step = kRowLength / 2; step > 0; step /= 2) {
    if (thread < step) part[thread] = fmaxf(part[thread], part[thread + step]);
    __syncthreads();
  }
  const float power = __expf(own - part[0]);
  __syncthreads();
  part[thread] = power;
  __syncthreads();
  for (int step = kRowLength / 2; step > 0; step /= 2) {
    if (thread < step) part[thread] += part[thread + step];
    __syncthreads();
  }
  to[global_index()] = power / part[0];
}
__global__ void softmax_warp(const float* from, float* to) {
  const int row = global_index() / 32, lane = threadIdx.x % 32;
  float values[kRowLength / 32], highest = -1e30f, sum = 0;
  for (int i = 0; i < kRowLength / 32; ++i) {
    values[i] = from[row * kRowLength + i * 32 + lane];
    highest = fmaxf(highest, values[i]);
  }
  for (int step = 16; step > 0; step /= 2)
    highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, step));
  for (float& value : values) sum += value = __expf(value - highest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  for (int i = 0; i < kRowLength / 32; ++i) to[row * kRowLength + i * 32 + lane] = values[i] / sum;
}

// A sparse matrix of 64 Ki rows with 32 entries each, times a vector.
constexpr int kRows = 64 << 10, kEntries = 32;

__global__ void spmv_thread(const int* columns, const float* values, const float* x, float* y) {
  const int row = global_index();
  float sum = 0;
  for (int i = row * kEntries; i < (row + 1) * kEntries; ++i)
    sum += values[i] * x[columns[i] % kRows];
  y[row] = sum;
}
__global__ void spmv_warp(const int* columns, const float* values, const float* x, float* y) {
  const int row = global_index() / 32, i = global_index();
  float sum = values[i] * x[columns[i] % kRows];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

// 1 Mi particles.
struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void move_structs(Particle* particles, float step) {
  Particle& own = particles[global_index()];
  own.x += step * own.vx;
  own.y += step * own.vy;
  own.z += step * own.vz;
}
__global__ void move_arrays(float* data, float step) {
  const int i = global_index();
  for (int axis = 0; axis < 3; ++axis)
    data[axis * kMegabyte + i] += step * data[(3 + axis) * kMegabyte + i];
}

template <int kThreads>
void copy_with(const Buffers& m) {
  copy_each<<<kReduced / kThreads, kThreads>>>(m.a, m.b);
}
template <int kBlocks>
void sum_with(const Buffers& m) {
  reduce_shuffle<<<kBlocks, 1024>>>(reinterpret_cast<float4*>(m.a), m.b, kReduced / 16);
}
template <int kStride>
void stride_of(const Buffers& m) {
  add_strided<<<kMegabyte / kBlock, kBlock>>>(m.large, kStride);
}
float* sum_of(const Buffers& m) { return reinterpret_cast<float*>(m.sums); }
float4* fours(float* data) { return reinterpret_cast<float4*>(data); }
double* doubles(float* data) { return reinterpret_cast<double*>(data); }
unsigned char* bytes(float* data) { return reinterpret_cast<unsigned char*>(data); }
const dim3 kSquare(16, 16), kTile(32, 32), kWideTile(32, 8), kWide(32, 16);
dim3 grid_of(int side, dim3 block) { return dim3(side / block.x, side / block.y); }

void share_blocks(const Buffers& m, int shared_bytes) {
  must(cudaFuncSetAttribute(sum_pairs_with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            shared_bytes));
  sum_pairs_with_shared<<<132 * 8, 128, shared_bytes>>>(m.a, m.b, m.large, kCopied / 2);
}

const std::vector<Variant> kVariants = {
    {"copy", "copy_chunks_of_16",
     [](const Buffers& m) { copy_chunks<<<kCopied / 16 / kBlock, kBlock>>>(m.a, m.b, 16); }},
    {"copy", "copy_chunks_of_4",
     [](const Buffers& m) { copy_chunks<<<kCopied / 4 / kBlock, kBlock>>>(m.a, m.b, 4); }},
    {"copy", "copy_each",
     [](const Buffers& m) { copy_each<<<kCopied / kBlock, kBlock>>>(m.a, m.b); }},
    {"copy", "copy_grid_stride",
     [](const Buffers& m) { copy_grid_stride<<<132 * 8, kBlock>>>(m.a, m.b, kCopied); }},
    {"copy", "copy_vector",
     [](const Buffers& m) {
       copy_vector<<<kCopied / 4 / kBlock, kBlock>>>(fours(m.a), fours(m.b));
     }},
    {"width", "width_1",
     [](const Buffers& m) {
       copy_bytes<<<8 * kMegabyte / kBlock, kBlock>>>(bytes(m.a), bytes(m.b));
     }},
    {"width", "width_4",
     [](const Buffers& m) { copy_each<<<2 * kMegabyte / kBlock, kBlock>>>(m.a, m.b); }},
    {"width", "width_16",
     [](const Buffers& m) {
       copy_vector<<<kMegabyte / 2 / kBlock, kBlock>>>(fours(m.a), fours(m.b));
     }},
    {"stride", "stride_32", stride_of<32>},
    {"stride", "stride_8", stride_of<8>},
    {"stride", "stride_4", stride_of<4>},
    {"stride", "stride_2", stride_of<2>},
    {"stride", "stride_1", stride_of<1>},
    {"offset", "offset_1",
     [](const Buffers& m) { add_offset<<<kReduced / kBlock, kBlock>>>(m.a, 1); }},
    {"offset", "offset_0",
     [](const Buffers& m) { add_offset<<<kReduced / kBlock, kBlock>>>(m.a, 0); }},
    {"transpose", "transpose_naive",
     [](const Buffers& m) { transpose_naive<<<grid_of(kSide, kTile), kTile>>>(m.a, m.b); }},
    {"transpose", "transpose_strided_reads",
     [](const Buffers& m) { transpose_strided_reads<<<grid_of(kSide, kTile), kTile>>>(m.a, m.b); }},
    {"transpose", "transpose_conflicting",
     [](const Buffers& m) { transpose_tiled<0, 32><<<grid_of(kSide, kTile), kTile>>>(m.a, m.b); }},
    {"transpose", "transpose_padded",
     [](const Buffers& m) { transpose_tiled<1, 32><<<grid_of(kSide, kTile), kTile>>>(m.a, m.b); }},
    {"transpose", "transpose_coarse",
     [](const Buffers& m) {
       transpose_tiled<1, 8><<<grid_of(kSide, kTile), kWideTile>>>(m.a, m.b);
     }},
    {"matrix_add", "matrix_add_by_column",
     [](const Buffers& m) {
       matrix_add_by_column<<<grid_of(kSide, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"matrix_add", "matrix_add_by_row",
     [](const Buffers& m) {
       matrix_add_by_row<<<grid_of(kSide, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"reduce", "reduce_atomic",
     [](const Buffers& m) { reduce_atomic<<<kReduced / kBlock, kBlock>>>(m.a, sum_of(m)); }},
    {"reduce", "reduce_interleaved",
     [](const Buffers& m) { reduce_interleaved<<<kReduced / kBlock, kBlock>>>(m.a, sum_of(m)); }},
    {"reduce", "reduce_conflicting",
     [](const Buffers& m) { reduce_conflicting<<<kReduced / kBlock, kBlock>>>(m.a, sum_of(m)); }},
    {"reduce", "reduce_sequential",
     [](const Buffers& m) { reduce_sequential<<<kReduced / kBlock, kBlock>>>(m.a, sum_of(m)); }},
    {"reduce", "reduce_first_add",
     [](const Buffers& m) { reduce_first_add<<<kReduced / kBlock / 2, kBlock>>>(m.a, sum_of(m)); }},
    {"reduce", "reduce_shuffle",
     [](const Buffers& m) {
       reduce_shuffle<<<132 * 8, kBlock>>>(fours(m.a), sum_of(m), kReduced / 4);
     }},
    {"histogram", "histogram_global",
     [](const Buffers& m) {
       histogram_global<<<kReduced / kBlock, kBlock>>>(m.random, m.sums, 255);
     }},
    {"histogram", "histogram_shared",
     [](const Buffers& m) {
       histogram_shared<<<kReduced / kBlock, kBlock>>>(m.random, m.sums, 255, kReduced);
     }},
    {"histogram", "histogram_shared_grid_stride",
     [](const Buffers& m) {
       histogram_shared<<<132 * 8, kBlock>>>(m.random, m.sums, 255, kReduced);
     }},
    {"histogram_skewed", "skewed_global",
     [](const Buffers& m) {
       histogram_global<<<kMegabyte / kBlock, kBlock>>>(m.random, m.sums, 3);
     }},
    {"histogram_skewed", "skewed_shared",
     [](const Buffers& m) {
       histogram_shared<<<132 * 2, kBlock>>>(m.random, m.sums, 3, kMegabyte);
     }},
    {"matmul", "matmul_by_column",
     [](const Buffers& m) {
       matmul_by_column<<<grid_of(kOrder, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"matmul", "matmul_naive",
     [](const Buffers& m) {
       matmul_naive<<<grid_of(kOrder, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"matmul", "matmul_tiled_16",
     [](const Buffers& m) {
       matmul_tiled<float, 16><<<grid_of(kOrder, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"matmul", "matmul_tiled_32",
     [](const Buffers& m) {
       matmul_tiled<float, 32><<<grid_of(kOrder, kTile), kTile>>>(m.a, m.b, m.large);
     }},
    {"matmul", "matmul_registers",
     [](const Buffers& m) {
       matmul_registers<<<grid_of(kOrder, kTile), kWideTile>>>(m.a, m.b, m.large);
     }},
    {"matmul_precision", "matmul_double",
     [](const Buffers& m) {
       matmul_tiled<double, 16>
           <<<grid_of(kOrder, kSquare), kSquare>>>(doubles(m.a), doubles(m.b), doubles(m.large));
     }},
    {"matmul_precision", "matmul_float",
     [](const Buffers& m) {
       matmul_tiled<float, 16><<<grid_of(kOrder, kSquare), kSquare>>>(m.a, m.b, m.large);
     }},
    {"polynomial", "polynomial_pow",
     [](const Buffers& m) { polynomial_pow<<<kNumbers / kBlock, kBlock>>>(m.a, m.b); }},
    {"polynomial", "polynomial_products",
     [](const Buffers& m) { polynomial_products<<<kNumbers / kBlock, kBlock>>>(m.a, m.b); }},
    {"precision", "horner_double",
     [](const Buffers& m) {
       horner<<<kNumbers / kBlock, kBlock>>>(doubles(m.a), doubles(m.b), 0.5);
     }},
    {"precision", "horner_float",
     [](const Buffers& m) { horner<<<kNumbers / kBlock, kBlock>>>(m.a, m.b, 0.5f); }},
    {"division", "scale_by_division",
     [](const Buffers& m) { scale_by_division<<<kNumbers / kBlock, kBlock>>>(m.a, m.b, 3.0f); }},
    {"division", "scale_by_product",
     [](const Buffers& m) { scale_by_product<<<kNumbers / kBlock, kBlock>>>(m.a, m.b, 3.0f); }},
    {"sine", "sines", [](const Buffers& m) { sines<<<kNumbers / kBlock, kBlock>>>(m.a, m.b); }},
    {"sine", "fast_sines",
     [](const Buffers& m) { fast_sines<<<kNumbers / kBlock, kBlock>>>(m.a, m.b); }},
    {"remainder", "remainders",
     [](const Buffers& m) { remainders<<<kNumbers / kBlock, kBlock>>>(m.random, m.sums, 1000); }},
    {"remainder", "masked_remainders",
     [](const Buffers& m) {
       masked_remainders<<<kNumbers / kBlock, kBlock>>>(m.random, m.sums, 1023);
     }},
    {"divergence", "branch_by_thread",
     [](const Buffers& m) { branch_by<<<kNumbers / kBlock, kBlock>>>(m.a, 1); }},
    {"divergence", "branch_by_warp",
     [](const Buffers& m) { branch_by<<<kNumbers / kBlock, kBlock>>>(m.a, 32); }},
    {"mandelbrot", "mandelbrot_rows",
     [](const Buffers& m) { mandelbrot<<<dim3(4, 512), dim3(128, 1)>>>(m.sums, 512); }},
    {"mandelbrot", "mandelbrot_squares",
     [](const Buffers& m) { mandelbrot<<<dim3(64, 32), dim3(8, 16)>>>(m.sums, 512); }},
    {"occupancy", "occupancy_200_KB", [](const Buffers& m) { share_blocks(m, 200 << 10); }},
    {"occupancy", "occupancy_50_KB", [](const Buffers& m) { share_blocks(m, 50 << 10); }},
    {"occupancy", "occupancy_full", [](const Buffers& m) { share_blocks(m, 0); }},
    {"block_size", "block_of_32", copy_with<32>},
    {"block_size", "block_of_64", copy_with<64>},
    {"block_size", "block_of_512", copy_with<512>},
    {"chase", "chase_one_chain",
     [](const Buffers& m) { chase<1><<<132 * 4, 64>>>(m.ring, m.sums, 64); }},
    {"chase", "chase_four_chains",
     [](const Buffers& m) { chase<4><<<132, 64>>>(m.ring, m.sums, 64); }},
    {"search", "search_random",
     [](const Buffers& m) {
       search<<<kMegabyte / 2 / kBlock, kBlock>>>(m.keys, kMegabyte, m.random, m.sums);
     }},
    {"search", "search_sorted",
     [](const Buffers& m) {
       search<<<kMegabyte / 2 / kBlock, kBlock>>>(m.keys, kMegabyte, nullptr, m.sums);
     }},
    {"stencil", "stencil_naive",
     [](const Buffers& m) { stencil_naive<<<grid_of(kSide, kWide), kWide>>>(m.a, m.large); }},
    {"stencil", "stencil_shared",
     [](const Buffers& m) { stencil_shared<<<grid_of(kSide, kWide), kWide>>>(m.a, m.large); }},
    {"stencil", "stencil_marching",
     [](const Buffers& m) { stencil_marching<<<dim3(8, 128), 256>>>(m.a, m.large); }},
    {"blur", "blur_global",
     [](const Buffers& m) {
       blur<false><<<grid_of(kImage, kSquare), kSquare>>>(m.a, m.large, m.large + kMegabyte);
     }},
    {"blur", "blur_constant",
     [](const Buffers& m) {
       blur<true><<<grid_of(kImage, kSquare), kSquare>>>(m.a, nullptr, m.large);
     }},
    {"blur", "blur_shared",
     [](const Buffers& m) { blur_shared<<<grid_of(kImage, kSquare), kSquare>>>(m.a, m.large); }},
    {"grid", "grid_of_1", sum_with<1>},
    {"grid", "grid_of_16", sum_with<16>},
    {"grid", "grid_of_132", sum_with<132>},
    {"scan", "scan_hillis_steele",
     [](const Buffers& m) { scan_hillis_steele<<<kNumbers / kScanned, kScanned>>>(m.a, m.large); }},
    {"scan", "scan_blelloch",
     [](const Buffers& m) { scan_blelloch<<<kNumbers / kScanned, kScanned / 2>>>(m.a, m.large); }},
    {"scan", "scan_shuffle",
     [](const Buffers& m) { scan_shuffle<<<kNumbers / kScanned, kScanned>>>(m.a, m.large); }},
    {"bodies", "bodies_global",
     [](const Buffers& m) { bodies_global<<<kBodies / 128, 128>>>(fours(m.a), fours(m.large)); }},
    {"bodies", "bodies_shared",
     [](const Buffers& m) { bodies_shared<<<kBodies / 128, 128>>>(fours(m.a), fours(m.large)); }},
    {"softmax", "softmax_thread",
     [](const Buffers& m) { softmax_thread<<<4096 / 64, 64>>>(m.a, m.large); }},
    {"softmax", "softmax_block",
     [](const Buffers& m) { softmax_block<<<4096, kRowLength>>>(m.a, m.large); }},
    {"softmax", "softmax_warp",
     [](const Buffers& m) { softmax_warp<<<4096 / 8, 256>>>(m.a, m.large); }},
    {"spmv", "spmv_thread",
     [](const Buffers& m) {
       spmv_thread<<<kRows / kBlock, kBlock>>>(m.random, m.a, m.large, m.large + kRows);
     }},
    {"spmv", "spmv_warp",
     [](const Buffers& m) {
       spmv_warp<<<kRows * 32 / kBlock, kBlock>>>(m.random, m.a, m.large, m.large + kRows);
     }},
    {"particles", "particles_structs",
     [](const Buffers& m) {
       move_structs<<<kMegabyte / kBlock, kBlock>>>(reinterpret_cast<Particle*>(m.large), 0.1f);
     }},
    {"particles", "particles_arrays",
     [](const Buffers& m) { move_arrays<<<kMegabyte / kBlock, kBlock>>>(m.large, 0.1f); }},
};

}  // namespace

int main(int argc, char** argv) {
  must(cudaFree(nullptr));
  return run_variants("validation", kVariants, argc, argv);
}
