// expect: nothing
// Zeros by a kernel, copies in a stream of its own, two neighbouring rows a thread, 64 x 64 tiles with two buffers.
// SPDX-License-Identifier: MIT
#include "matmul-opt.h"

#include <algorithm>
#include <stdexcept>

namespace {
constexpr int kTile = 32;

void must(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

struct Rows {
  char* start;
  size_t pitch;
  int columns, rows;
  __host__ __device__ explicit Rows(const cudaPitchedPtr& p)
      : start(static_cast<char*>(p.ptr)),
        pitch(p.pitch),
        columns(int(p.xsize)),
        rows(int(p.ysize)) {}
  __device__ float* operator[](int r) const { return reinterpret_cast<float*>(start + r * pitch); }
};

__global__ void zero(cudaPitchedPtr m) {
  const Rows rows(m);
  for (int r = blockIdx.x; r < rows.rows; r += gridDim.x)
    for (int c = threadIdx.x; c < rows.columns; c += blockDim.x) rows[r][c] = 0.0f;
}

void copy_corner(cudaPitchedPtr to, cudaPitchedPtr from, const cudaPitchedPtr& host,
                 cudaMemcpyKind kind) {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  must(cudaMemcpy2DAsync(to.ptr, to.pitch, from.ptr, from.pitch, host.xsize * sizeof(float),
                         host.ysize, kind, stream));
  must(cudaStreamSynchronize(stream));
  must(cudaStreamDestroy(stream));
}

/// kPer elements of one column a thread, neighbours in it.
template <int kPer>
__global__ void columns_of(cudaPitchedPtr c_, cudaPitchedPtr a_, cudaPitchedPtr b_) {
  extern __shared__ float4 memory[];
  float(*as)[kTile] = reinterpret_cast<float(*)[kTile]>(memory);
  float(*bs)[kTile] = as + kTile;
  const Rows c(c_), a(a_), b(b_);
  const int x = threadIdx.x, y = threadIdx.y * kPer, j = blockIdx.x * kTile + x,
            i = blockIdx.y * kTile + y;
  float sums[kPer] = {};
  for (int n = 0; n < a.columns; n += kTile) {
#pragma unroll
    for (int k = 0; k < kPer; ++k) as[y + k][x] = a[i + k][n + x], bs[y + k][x] = b[n + y + k][j];
    __syncthreads();
#pragma unroll
    for (int e = 0; e < kTile; ++e) {
      const float right = bs[e][x];
#pragma unroll
      for (int k = 0; k < kPer; ++k) sums[k] = __fmaf_rn(as[y + k][e], right, sums[k]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < kPer; ++k) c[i + k][j] = sums[k];
}

constexpr int kSide = 64, kDeep = 16;

struct Stage {
  float a[kDeep][kSide + 4];  // transposed
  float b[kDeep][kSide];
};

__global__ __launch_bounds__(256) void square(cudaPitchedPtr c_, cudaPitchedPtr a_,
                                              cudaPitchedPtr b_) {
  extern __shared__ float4 memory[];
  Stage* stages = reinterpret_cast<Stage*>(memory);
  const Rows c(c_), a(a_), b(b_);
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int i0 = blockIdx.y * kSide, j0 = blockIdx.x * kSide;
  const int ar = t / 4, ac = t % 4 * 4, br = t / 16, bc = t % 16 * 4;
  const float4 none = make_float4(0, 0, 0, 0);
  const auto load_a = [&](int n) {
    return i0 + ar < a.rows ? *reinterpret_cast<const float4*>(&a[i0 + ar][n + ac]) : none;
  };
  const auto load_b = [&](int n) {
    return j0 + bc < b.columns ? *reinterpret_cast<const float4*>(&b[n + br][j0 + bc]) : none;
  };
  const auto store = [&](Stage& s, float4 p, float4 q) {
    s.a[ac][ar] = p.x, s.a[ac + 1][ar] = p.y, s.a[ac + 2][ar] = p.z, s.a[ac + 3][ar] = p.w;
    *reinterpret_cast<float4*>(&s.b[br][bc]) = q;
  };
  float sums[4][4] = {};
  store(stages[0], load_a(0), load_b(0));
  for (int n = 0, turn = 0; n < a.columns; n += kDeep, turn ^= 1) {
    __syncthreads();
    const bool more = n + kDeep < a.columns;
    float4 p = none, q = none;
    if (more) p = load_a(n + kDeep), q = load_b(n + kDeep);
    const Stage& s = stages[turn];
#pragma unroll
    for (int e = 0; e < kDeep; ++e) {
      const float4 l = *reinterpret_cast<const float4*>(&s.a[e][ty * 4]),
                   r = *reinterpret_cast<const float4*>(&s.b[e][tx * 4]);
      const float left[4] = {l.x, l.y, l.z, l.w}, right[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int u = 0; u < 4; ++u)
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[u][v] += left[u] * right[v];
    }
    if (more) store(stages[turn ^ 1], p, q);
  }
  if (j0 + tx * 4 >= c.columns) return;
#pragma unroll
  for (int u = 0; u < 4; ++u)
    if (i0 + ty * 4 + u < c.rows)
      *reinterpret_cast<float4*>(&c[i0 + ty * 4 + u][j0 + tx * 4]) =
          make_float4(sums[u][0], sums[u][1], sums[u][2], sums[u][3]);
}

template <int kPer>
void launch_columns(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const dim3 grid(unsigned(c.xsize / kTile), unsigned(c.ysize / kTile)), block(kTile, kTile / kPer);
  columns_of<kPer><<<grid, block, 2 * kTile * kTile * sizeof(float)>>>(c, a, b);
  must(cudaGetLastError());
}
}  // namespace

int padded(int size) { return (size + 31) & ~31; }

cudaPitchedPtr allocate_padded(int rows, int columns) {
  cudaPitchedPtr m{};
  m.xsize = size_t(padded(columns));
  m.ysize = size_t(padded(rows));
  must(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize));
  zero<<<unsigned(std::min<size_t>(m.ysize, 1024)), 128>>>(m);
  must(cudaGetLastError());
  return m;
}

void upload(cudaPitchedPtr device, cudaPitchedPtr host) {
  copy_corner(device, host, host, cudaMemcpyHostToDevice);
}
void download(cudaPitchedPtr host, cudaPitchedPtr device) {
  copy_corner(host, device, host, cudaMemcpyDeviceToHost);
}
void multiply_one(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_columns<1>(c, a, b);
}
void multiply_two(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  launch_columns<2>(c, a, b);
}

void multiply_own(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  // A tile of 64 would leave half of a block idle where C is one tile of 32 high or wide: four in a column there.
  if (c.xsize % kSide || c.ysize % kSide) return launch_columns<4>(c, a, b);
  square<<<dim3(unsigned(c.xsize / kSide), unsigned(c.ysize / kSide)), 256, 2 * sizeof(Stage)>>>(
      c, a, b);
  must(cudaGetLastError());
}
