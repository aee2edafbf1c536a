// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
// Kernels as courses have them, each a thread an element or so, in several authors' manners.
namespace course {

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(int n, float a, const float* x, int incx, float* y, int incy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i * incy] = a * x[i * incx] + y[i * incy];
}

__global__ void daxpy(size_t n, double a, const double* __restrict__ x, double* __restrict__ y) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    y[i] += a * x[i];
}

__global__ void add_vec4(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    const float4 u = reinterpret_cast<const float4*>(a)[i];
    const float4 v = reinterpret_cast<const float4*>(b)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  } else {
    for (int k = 4 * i; k < n; ++k) c[k] = a[k] + b[k];
  }
}

__global__ void scale_pairs(const float2* in, float2* out, float by, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float2 v = in[i];
  v.x *= by;
  v.y *= by;
  out[i] = v;
}

__global__ void scale_quads(const float4* in, float4* out, float by, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float4 v = in[i];
  v.x *= by;
  v.z *= by;
  out[i] = v;
}

/// Each thread works on neighbours: the classic mistake.
__global__ void add_blocked(const float* a, const float* b, float* c, int n, int per_thread) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  for (int k = 0; k < per_thread; k++)
    if (first + k < n) c[first + k] = a[first + k] + b[first + k];
}

struct Body {
  float x, y, z;
  float vx, vy, vz;
  float mass;
};

__global__ void move_aos(Body* bodies, float dt, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Body* b = &bodies[i];
    b->x += b->vx * dt;
    b->y += b->vy * dt;
    b->z += b->vz * dt;
  }
}

struct Bodies {
  float *x, *y, *z, *vx, *vy, *vz, *mass;
};

__global__ void move_soa(Bodies b, float dt, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b.x[i] += b.vx[i] * dt;
    b.y[i] += b.vy[i] * dt;
    b.z[i] += b.vz[i] * dt;
  }
}

struct __align__(8) Sample {
  int key;
  short level;
  unsigned char kind, flags;
};

__global__ void keys_of_samples(const Sample* in, int* keys, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) keys[i] = in[i].kind > 3 ? in[i].key : -in[i].level;
}

__global__ void split_complex(const float2* in, float* re, float* im, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) {
    re[idx] = in[idx].x;
    im[idx] = in[idx].y;
  }
}

__global__ void multiply_complex(const float2* a, const float2* b, float2* c, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (; idx < n; idx += stride) {
    c[idx].x = a[idx].x * b[idx].x - a[idx].y * b[idx].y;
    c[idx].y = a[idx].x * b[idx].y + a[idx].y * b[idx].x;
  }
}

template <int Radius>
__global__ void stencil_line(const float* in, float* out, int n) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < Radius || g >= n - Radius) return;
  float result = 0.0f;
  for (int o = -Radius; o <= Radius; o++) result += in[g + o];
  out[g] = result / (2 * Radius + 1);
}

#define AT(row, column, width) ((row) * (width) + (column))

__global__ void heat(const float* t, float* next, int nx, int ny, float k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1) {
    float c = t[AT(y, x, nx)];
    next[AT(y, x, nx)] = c + k * (t[AT(y - 1, x, nx)] + t[AT(y + 1, x, nx)] + t[AT(y, x - 1, nx)] +
                                  t[AT(y, x + 1, nx)] - 4.0f * c);
  }
}

__global__ void wave_3d(const double* u, const double* before, double* next, int nx, int ny,
                        int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i >= nx - 1 || j >= ny - 1) return;
  const size_t plane = (size_t)nx * ny;
  for (int k = 1; k < nz - 1; ++k) {
    const size_t at = k * plane + j * nx + i;
    next[at] = 2 * u[at] - before[at] +
               0.1 * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - plane] +
                      u[at + plane] - 6 * u[at]);
  }
}

__global__ void grey_of_rgb(const uchar3* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar3 p = in[y * width + x];
  out[y * width + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void grey_of_rgba(const uchar4* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 p = in[y * width + x];
  out[y * width + x] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
}

__global__ void blur(const uchar4* in, uchar4* out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int r = 0, g = 0, b = 0, count = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      const int xx = x + dx, yy = y + dy;
      if (xx < 0 || yy < 0 || xx >= width || yy >= height) continue;
      const uchar4 p = in[yy * width + xx];
      r += p.x;
      g += p.y;
      b += p.z;
      ++count;
    }
  }
  out[y * width + x] = make_uchar4(r / count, g / count, b / count, 255);
}

__constant__ float gauss[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

__global__ void gauss_rows(const unsigned char* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k) sum += gauss[k + 2] * in[y * width + min(max(x + k, 0), width - 1)];
  out[y * width + x] = sum;
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const unsigned char* p = in + y * w + x;
  int gx = -p[-w - 1] - 2 * p[-1] - p[w - 1] + p[-w + 1] + 2 * p[1] + p[w + 1];
  int gy = -p[-w - 1] - 2 * p[-w] - p[-w + 1] + p[w - 1] + 2 * p[w] + p[w + 1];
  out[y * w + x] = min(255, abs(gx) + abs(gy));
}

__global__ void life(const unsigned char* now, unsigned char* next, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int left = (x + width - 1) % width, right = (x + 1) % width;
  int up = (y + height - 1) % height * width, down = (y + 1) % height * width;
  int alive = now[up + left] + now[up + x] + now[up + right] + now[y * width + left] +
              now[y * width + right] + now[down + left] + now[down + x] + now[down + right];
  next[y * width + x] = alive == 3 || (alive == 2 && now[y * width + x]);
}

__global__ void matmul_rectangular(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.f;
    for (int k = 0; k < K; k++) acc += A[row * K + k] * B[k * N + col];
    C[row * N + col] = acc;
  }
}

/// Neighbours in x walk down a column: nothing is coalesced.
__global__ void matmul_swapped(const float* A, const float* B, float* C, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float acc = 0.f;
  for (int k = 0; k < n; k++) acc += A[row * n + k] * B[k * n + col];
  C[row * n + col] = acc;
}

__global__ void matvec(const double* A, const double* x, double* y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double s = 0;
  for (int c = 0; c < columns; ++c) s += A[r * columns + c] * x[c];
  y[r] = s;
}

__global__ void matvec_by_warps(const float* A, const float* x, float* y, int rows, int columns) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (warp >= rows) return;
  float s = 0;
  for (int c = lane; c < columns; c += 32) s += A[warp * columns + c] * x[c];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
  if (lane == 0) y[warp] = s;
}

__global__ void half_axpy(const __half2* x, __half2* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

__global__ void widen(const __half* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(in[i]);
}

__global__ void quantise(const float* in, int8_t* out, float scale, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = static_cast<int8_t>(__float2int_rn(fminf(fmaxf(in[i] * scale, -127.f), 127.f)));
}

__global__ void mix_sound(const short* a, const short* b, short* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (short)max(-32768, min(32767, a[i] + b[i]));
}

__global__ void polynomial(const double* x, double* y, int n, const double* coefficients,
                           int terms) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = 0;
  for (int t = terms - 1; t >= 0; --t) v = v * x[i] + coefficients[t];
  y[i] = v;
}

__global__ void look_up(const unsigned char* in, const float* __restrict__ table, float* out,
                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(&table[in[i]]);
}

__global__ void reverse(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

__global__ void caesar(const char* text, char* out, int n, int key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char c = text[i];
  if (c >= 'a' && c <= 'z') c = (char)((c - 'a' + key) % 26 + 'a');
  out[i] = c;
}

__global__ void fill_words(uint4* out, unsigned value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_uint4(value, value, value, value);
}

__global__ void add_pitched(const char* a, const char* b, char* c, size_t pitch, int width,
                            int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* ra = (const float*)(a + y * pitch);
  const float* rb = (const float*)(b + y * pitch);
  ((float*)(c + y * pitch))[x] = ra[x] + rb[x];
}

__global__ void column_sums(const float* m, float* sums, int width, int height) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < width) {
    float s = 0;
    for (int r = 0; r < height; r++) s += m[r * width + c];
    sums[c] = s;
  }
}

__global__ void triangle(float* m, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < n && c <= r) m[r * n + c] = (float)(r - c);
}

__global__ void floyd(int* distance, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  int through = distance[i * n + k] + distance[k * n + j];
  if (through < distance[i * n + j]) distance[i * n + j] = through;
}

}  // namespace course
#endif
