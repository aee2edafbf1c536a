// expect: nothing
// Where C is a single tile, the own variant is the second, two elements a thread.
// SPDX-License-Identifier: MIT
#include "matmul-opt.h"

#include <cstdio>
#include <cstdlib>

#define get_elem(array, Row, Column) \
  (((float*)((char*)(array).ptr + (Row) * (array).pitch))[(Column)])

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static constexpr int kTile = 32;

static size_t row_bytes(cudaPitchedPtr matrix) { return matrix.xsize * sizeof(float); }

int padded(int size) { return (size + kTile - 1) / kTile * kTile; }

// The zeros are written once: upload() only ever writes the corner, and the kernels write no A or B.
cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr matrix = make_cudaPitchedPtr(nullptr, 0, padded(columns), padded(rows));
  CHECK(cudaMallocPitch(&matrix.ptr, &matrix.pitch, row_bytes(matrix), matrix.ysize));
  CHECK(cudaMemset2D(matrix.ptr, matrix.pitch, 0, row_bytes(matrix), matrix.ysize));
  return matrix;
}

void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  CHECK(cudaMemcpy2D(device.ptr, device.pitch, host.ptr, host.pitch, row_bytes(host), host.ysize,
                     cudaMemcpyHostToDevice));
}

void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  CHECK(cudaMemcpy2D(host.ptr, host.pitch, device.ptr, device.pitch, row_bytes(host), host.ysize,
                     cudaMemcpyDeviceToHost));
}

// A block computes a tile of 32 x 32, each thread kElements of one column, 32 / kElements rows apart.
// Bs[k][x] is read once for all of them. Padding makes every tile whole, so there are no guards.
template <int kElements>
__global__ void multiply_tiles(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float tiles[];
  float* As = tiles;
  float* Bs = tiles + kTile * kTile;
  constexpr int kApart = kTile / kElements;
  const int x = threadIdx.x, y = threadIdx.y;
  const size_t i = blockIdx.y * kTile + y;
  const size_t j = blockIdx.x * kTile + x;

  float sum[kElements] = {};
  for (size_t k0 = 0; k0 < a.xsize; k0 += kTile) {
    for (int e = 0; e < kElements; ++e) {
      const int row = y + e * kApart;
      As[row * kTile + x] = get_elem(a, i + e * kApart, k0 + x);
      Bs[row * kTile + x] = get_elem(b, k0 + row, j);
    }
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      const float right = Bs[k * kTile + x];
      for (int e = 0; e < kElements; ++e) sum[e] += As[(y + e * kApart) * kTile + k] * right;
    }
    __syncthreads();
  }
  for (int e = 0; e < kElements; ++e) get_elem(c, i + e * kApart, j) = sum[e];
}

template <int kElements>
static void launch_tiles(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 block(kTile, kTile / kElements);
  const dim3 grid(c.xsize / kTile, c.ysize / kTile);
  multiply_tiles<kElements><<<grid, block, 2 * kTile * kTile * sizeof(float)>>>(c, a, b);
  CHECK(cudaGetLastError());
}

void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_tiles<1>(c, a, b);
}

void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_tiles<2>(c, a, b);
}

// The own variant. A block of 256 threads computes 128 x 128 elements of C, each thread 8 x 8 of
// them in registers: for each k it reads 8 + 8 numbers from shared memory and multiplies 64 pairs.
// Everything moves as float4, four numbers at a time.
static constexpr int kBlock = 128;
static constexpr int kStep = 8;
static constexpr int kThreads = 256;
// A's tile lies transposed, so that a thread's 4 rows are neighbours there, too. With 4 floats more
// a row, the stores of a warp that transpose it meet no bank twice.
static constexpr int kRowA = kBlock + 4;
static constexpr int kTileA = kStep * kRowA;
static constexpr int kTileB = kStep * kBlock;
static constexpr int kHalf = kBlock / 2;

// Four neighbours in a row. A block may reach past the matrix's end, but as both are multiples of
// 32 wide, four neighbours are all inside or all outside.
static __device__ float4 load4(cudaPitchedPtr matrix, size_t row, size_t column) {
  if (row >= matrix.ysize || column >= matrix.xsize) return make_float4(0, 0, 0, 0);
  return reinterpret_cast<const float4&>(get_elem(matrix, row, column));
}

// What a thread brings of the tiles that start at k0: four numbers of either.
struct Parcel {
  float4 from_a, from_b;
};

static __device__ Parcel fetch(cudaPitchedPtr a, cudaPitchedPtr b, size_t k0) {
  const int t = threadIdx.x;
  return {load4(a, blockIdx.y * size_t{kBlock} + t / 2, k0 + t % 2 * 4),
          load4(b, k0 + t / 32, blockIdx.x * size_t{kBlock} + t % 32 * 4)};
}

static __device__ void store(const Parcel& parcel, float* As, float* Bs) {
  const int t = threadIdx.x;
  float* column = As + t % 2 * 4 * kRowA + t / 2;
  column[0 * kRowA] = parcel.from_a.x;
  column[1 * kRowA] = parcel.from_a.y;
  column[2 * kRowA] = parcel.from_a.z;
  column[3 * kRowA] = parcel.from_a.w;
  reinterpret_cast<float4&>(Bs[t / 32 * kBlock + t % 32 * 4]) = parcel.from_b;
}

static __device__ void read8(float* to, const float* low, const float* high) {
  reinterpret_cast<float4&>(to[0]) = reinterpret_cast<const float4&>(*low);
  reinterpret_cast<float4&>(to[4]) = reinterpret_cast<const float4&>(*high);
}

// Adds the products of one pair of tiles. The thread owns four neighbouring rows from `row` and four
// half a block further down, and likewise by columns: eight neighbours would spread a warp's reads
// so that they meet each bank twice.
static __device__ void add_products(float (&sum)[8][8], const float* As, const float* Bs, int row,
                                    int column) {
#pragma unroll
  for (int k = 0; k < kStep; ++k) {
    alignas(16) float left[8], right[8];
    read8(left, &As[k * kRowA + row], &As[k * kRowA + row + kHalf]);
    read8(right, &Bs[k * kBlock + column], &Bs[k * kBlock + column + kHalf]);
#pragma unroll
    for (int r = 0; r < 8; ++r) {
#pragma unroll
      for (int e = 0; e < 8; ++e) sum[r][e] += left[r] * right[e];
    }
  }
}

static __device__ void write_out(cudaPitchedPtr c, const float (&sum)[8][8], int row, int column) {
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    const size_t i = blockIdx.y * size_t{kBlock} + row + r % 4 + r / 4 * kHalf;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const size_t j = blockIdx.x * size_t{kBlock} + column + half * kHalf;
      const float* s = &sum[r][half * 4];
      if (i < c.ysize && j < c.xsize)
        reinterpret_cast<float4&>(get_elem(c, i, j)) = make_float4(s[0], s[1], s[2], s[3]);
    }
  }
}

// Two pairs of tiles take turns: while the products of one are added, the next numbers are on their
// way from global memory, and one barrier a step is enough.
__global__ void __launch_bounds__(kThreads, 2)
    multiply_wide(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  extern __shared__ float4 wide_tiles[];
  float* As = reinterpret_cast<float*>(wide_tiles);
  float* Bs = As + 2 * kTileA;
  const int row = threadIdx.x / 16 * 4, column = threadIdx.x % 16 * 4;

  float sum[8][8] = {};
  store(fetch(a, b, 0), As, Bs);
  __syncthreads();
  int now = 0;
  for (size_t k0 = 0; k0 < a.xsize; k0 += kStep) {
    const bool more = k0 + kStep < a.xsize;
    Parcel next;
    if (more) next = fetch(a, b, k0 + kStep);
    add_products(sum, As + now * kTileA, Bs + now * kTileB, row, column);
    now = 1 - now;
    if (more) store(next, As + now * kTileA, Bs + now * kTileB);
    __syncthreads();
  }
  write_out(c, sum, row, column);
}

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  if (c.xsize == kTile && c.ysize == kTile) return multiply_two(c, a, b);
  const dim3 grid((c.xsize + kBlock - 1) / kBlock, (c.ysize + kBlock - 1) / kBlock);
  multiply_wide<<<grid, kThreads, 2 * (kTileA + kTileB) * sizeof(float)>>>(c, a, b);
  CHECK(cudaGetLastError());
}
