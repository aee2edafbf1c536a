// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#ifdef __CUDACC__
// Kernels as courses have them that share tiles between the threads of a block.
namespace course {

template <class T>
__global__ void transpose_plain(const T* in, T* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

/// Blocks of Tile x Rows threads; any width and height.
template <class T, int Tile, int Rows, int Pad>
__global__ void transpose_tile(const T* in, T* out, int width, int height) {
  __shared__ T tile[Tile][Tile + Pad];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/// Square matrices; blocks in diagonal order.
__global__ void transpose_diagonal(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
  int from = x + y * n;
  int to = by * 32 + threadIdx.x + (bx * 32 + threadIdx.y) * n;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[from + i * n];
  __syncthreads();
  for (int i = 0; i < 32; i += 8) out[to + i * n] = tile[threadIdx.x][threadIdx.y + i];
}

template <int Tile, int Pad>
__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[Tile][Tile + Pad];
  __shared__ float Bs[Tile][Tile + Pad];
  int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  float acc = 0;
  for (int t = 0; t < (K + Tile - 1) / Tile; ++t) {
    int ka = t * Tile + threadIdx.x, kb = t * Tile + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[row * K + ka] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[kb * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

/// B's tile lies transposed, so that a column is read along the banks.
__global__ void matmul_transposed_tile(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][16], Bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
            col = blockIdx.x * 16 + tx;
  float acc = 0;
  for (int t = 0; t < n; t += 16) {
    As[ty][tx] = A[row * n + t + tx];
    Bs[tx][ty] = B[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc += As[ty][k] * Bs[tx][k];
    __syncthreads();
  }
  C[row * n + col] = acc;
}

/// Tiles of 32 x 8 of A and 8 x 32 of B; blocks of 32 x 8; a thread has four results.
__global__ void matmul_rectangles(const float* A, const float* B, float* C, int n) {
  __shared__ float As[32][8], Bs[8][32];
  int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
  float c[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < n; k0 += 8) {
    As[t / 8][t % 8] = A[(blockIdx.y * 32 + t / 8) * n + k0 + t % 8];
    Bs[y][x] = B[(k0 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
#pragma unroll
      for (int i = 0; i < 4; i++) c[i] += As[y + 8 * i][k] * Bs[k][x];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) C[(blockIdx.y * 32 + y + 8 * i) * n + blockIdx.x * 32 + x] = c[i];
}

__global__ void matmul_doubles(const double* A, const double* B, double* C, int n) {
  extern __shared__ double tiles[];
  double *As = tiles, *Bs = tiles + blockDim.x * blockDim.x;
  const int d = blockDim.x, row = blockIdx.y * d + threadIdx.y, col = blockIdx.x * d + threadIdx.x;
  double acc = 0;
  for (int t = 0; t < n / d; t++) {
    As[threadIdx.y * d + threadIdx.x] = A[row * n + t * d + threadIdx.x];
    Bs[threadIdx.y * d + threadIdx.x] = B[(t * d + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < d; k++) acc += As[threadIdx.y * d + k] * Bs[k * d + threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = acc;
}

__constant__ float mask[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};

__global__ void convolve_line(const float* in, float* out, int n) {
  __shared__ float part[256 + 8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x >= blockDim.x - 4) part[threadIdx.x - (blockDim.x - 4)] = left < 0 ? 0 : in[left];
  part[4 + threadIdx.x] = i < n ? in[i] : 0;
  int right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x < 4) part[4 + blockDim.x + threadIdx.x] = right >= n ? 0 : in[right];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 9; j++) s += part[threadIdx.x + j] * mask[j];
  if (i < n) out[i] = s;
}

/// Blocks of 20 x 20 threads load a halo of 2; 16 x 16 of them compute.
__global__ void convolve_plane(const float* in, float* out, int width, int height) {
  __shared__ float tile[20][20];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx - 2, row = blockIdx.y * 16 + ty - 2;
  tile[ty][tx] = row >= 0 && row < height && col >= 0 && col < width ? in[row * width + col] : 0.0f;
  __syncthreads();
  if (tx < 2 || ty < 2 || tx >= 18 || ty >= 18 || row >= height || col >= width) return;
  float s = 0;
  for (int i = -2; i <= 2; i++)
    for (int j = -2; j <= 2; j++) s += mask[i + 2] * mask[j + 2] * tile[ty + i][tx + j];
  out[row * width + col] = s;
}

__global__ void jacobi(const double* u, double* next, int n) {
  __shared__ double t[18][18];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int gx = blockIdx.x * 16 + x, gy = blockIdx.y * 16 + y;
  const int at = gy * n + gx;
  t[y][x] = u[at];
  if (x == 1) t[y][0] = u[at - 1];
  if (x == 16) t[y][17] = u[at + 1];
  if (y == 1) t[0][x] = u[at - n];
  if (y == 16) t[17][x] = u[at + n];
  __syncthreads();
  next[at] = 0.25 * (t[y][x - 1] + t[y][x + 1] + t[y - 1][x] + t[y + 1][x]);
}

/// Blocks of 32 x 8; marches along z with a plane of the tile.
__global__ void laplace_3d(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float plane[10][34];
  int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, size = nx * ny, at = y * nx + x;
  float below = in[at], here = in[at + size];
  for (int z = 1; z < nz - 1; z++) {
    at += size;
    float above = in[at + size];
    plane[ty][tx] = here;
    if (tx == 1) plane[ty][0] = in[at - 1];
    if (tx == 32) plane[ty][33] = in[at + 1];
    if (ty == 1) plane[0][tx] = in[at - nx];
    if (ty == 8) plane[9][tx] = in[at + nx];
    __syncthreads();
    out[at] = below + above + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] +
              plane[ty + 1][tx] - 6 * here;
    __syncthreads();
    below = here;
    here = above;
  }
}

__global__ void life_tile(const unsigned char* now, unsigned char* next, int width, int height) {
  __shared__ unsigned char cells[18][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
    int cy = (blockIdx.y * 16 + i / 34 + height - 1) % height;
    int cx = (blockIdx.x * 32 + i % 34 + width - 1) % width;
    cells[i / 34][i % 34] = now[cy * width + cx];
  }
  __syncthreads();
  int alive = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) alive += cells[threadIdx.y + dy][threadIdx.x + dx];
  int me = cells[threadIdx.y + 1][threadIdx.x + 1];
  if (x < width && y < height) next[y * width + x] = alive == 3 || (alive == 4 && me);
}

__global__ void bodies_tiled(const float4* position, float4* force, int n) {
  extern __shared__ float4 near[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = position[i];
  float3 f = {0, 0, 0};
  for (int t = 0; t < n; t += blockDim.x) {
    near[threadIdx.x] = position[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) {
      float dx = near[j].x - me.x, dy = near[j].y - me.y, dz = near[j].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      float s = near[j].w * inverse * inverse * inverse;
      f.x += dx * s;
      f.y += dy * s;
      f.z += dz * s;
    }
    __syncthreads();
  }
  force[i] = make_float4(f.x, f.y, f.z, 0);
}

/// A row for each block.
__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float red[128];
  const float* row = in + blockIdx.x * columns;
  float largest = -1e30f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, row[c]);
  red[threadIdx.x] = largest;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]);
    __syncthreads();
  }
  largest = red[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(row[c] - largest);
  red[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = __expf(row[c] - largest) / red[0];
}

/// Every element is stored and loaded `stride` apart.
template <class T>
__global__ void strided_exchange(const T* in, T* out, int stride) {
  __shared__ T cells[1024];
  cells[threadIdx.x * stride % 1024] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[(threadIdx.x + 1) % blockDim.x * stride % 1024];
}

/// Columns of a tile whose rows are Width elements.
template <class T, int Width>
__global__ void columns(T* data) {
  __shared__ T tile[16][Width];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = data[y * 16 + x];
  __syncthreads();
  data[y * 16 + x] = tile[x][y];
}

}  // namespace course
#endif
