// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#ifdef __CUDACC__
// Reductions, scans, histograms and sorts as courses have them.
namespace course {

/// The first of the seven classic reductions: interleaved, with a remainder.
template <class T>
__global__ void reduce0(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char bytes[];
  T* s = reinterpret_cast<T*>(bytes);
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (tid % (2 * k) == 0) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// Interleaved, with strided indices.
template <class T>
__global__ void reduce1(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char bytes[];
  T* s = reinterpret_cast<T*>(bytes);
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    unsigned at = 2 * k * tid;
    if (at < blockDim.x) s[at] += s[at + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// Sequential addresses.
template <class T>
__global__ void reduce2(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char bytes[];
  T* s = reinterpret_cast<T*>(bytes);
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// A first sum while loading.
template <class T>
__global__ void reduce3(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char bytes[];
  T* s = reinterpret_cast<T*>(bytes);
  unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
  T sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  s[tid] = sum;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] = sum = sum + s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sum;
}

/// The last warp without barriers of the block.
template <class T>
__global__ void reduce4(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char bytes[];
  volatile T* s = reinterpret_cast<volatile T*>(bytes);
  unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + tid;
  s[tid] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
    if (tid < k) s[tid] = s[tid] + s[tid + k];
    __syncthreads();
  }
  if (tid < 32) {
    T v = s[tid];
    for (unsigned k = 32; k > 0; k >>= 1) {
      v += s[tid + k];
      __syncwarp();
      s[tid] = v;
      __syncwarp();
    }
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

/// Unrolled for its size of block.
template <class T, unsigned Size>
__global__ void reduce5(const T* in, T* out, unsigned n) {
  __shared__ T s[Size];
  unsigned tid = threadIdx.x, i = blockIdx.x * (Size * 2) + tid;
  s[tid] = (i < n ? in[i] : 0) + (i + Size < n ? in[i + Size] : 0);
  __syncthreads();
  if (Size >= 512 && tid < 256) s[tid] += s[tid + 256];
  __syncthreads();
  if (Size >= 256 && tid < 128) s[tid] += s[tid + 128];
  __syncthreads();
  if (Size >= 128 && tid < 64) s[tid] += s[tid + 64];
  __syncthreads();
  if (tid < 32) {
    T v = s[tid] + s[tid + 32];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
    if (tid == 0) out[blockIdx.x] = v;
  }
}

/// Many elements a thread, then by shuffles, then one atomic a block.
template <class T>
__global__ void reduce6(const T* in, T* out, unsigned n) {
  __shared__ T of_warps[32];
  T sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0;
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

__global__ void dot(const float* a, const float* b, float* partial, int n) {
  __shared__ float cache[256];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  float temp = 0;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

__global__ void largest_element(const int* in, int* index, int n) {
  __shared__ int value[128], where[128];
  const int t = threadIdx.x;
  int best = -1, at = -1;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    if (in[i] > best) {
      best = in[i];
      at = i;
    }
  }
  value[t] = best;
  where[t] = at;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s && value[t + s] > value[t]) {
      value[t] = value[t + s];
      where[t] = where[t + s];
    }
    __syncthreads();
  }
  if (t == 0) index[blockIdx.x] = where[0];
}

/// Hillis and Steele with two buffers.
__global__ void scan_steps(const float* in, float* out, int n) {
  extern __shared__ float both[];
  int t = threadIdx.x, now = 0, old = 1;
  both[t] = t > 0 ? in[t - 1] : 0;
  __syncthreads();
  for (int o = 1; o < n; o *= 2) {
    now = 1 - now;
    old = 1 - now;
    if (t >= o)
      both[now * n + t] = both[old * n + t] + both[old * n + t - o];
    else
      both[now * n + t] = both[old * n + t];
    __syncthreads();
  }
  out[t] = both[now * n + t];
}

/// Blelloch; with an offset that avoids bank conflicts, or without.
template <bool Padded>
__global__ void scan_tree(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const auto at = [](int i) { return Padded ? i + (i >> 5) : i; };
  int t = threadIdx.x, o = 1;
  in += blockIdx.x * n;
  out += blockIdx.x * n;
  s[at(t)] = in[t];
  s[at(t + n / 2)] = in[t + n / 2];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[at(o * (2 * t + 2) - 1)] += s[at(o * (2 * t + 1) - 1)];
    o *= 2;
  }
  if (t == 0) s[at(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    o >>= 1;
    __syncthreads();
    if (t < d) {
      int left = at(o * (2 * t + 1) - 1), right = at(o * (2 * t + 2) - 1), v = s[left];
      s[left] = s[right];
      s[right] += v;
    }
  }
  __syncthreads();
  out[t] = s[at(t)];
  out[t + n / 2] = s[at(t + n / 2)];
}

__global__ void scan_shuffles(const int* in, int* out, int* totals, int n) {
  __shared__ int of_warps[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = i < n ? in[i] : 0;
  for (int o = 1; o < 32; o <<= 1) {
    int before = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += before;
  }
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int w = lane < blockDim.x / 32 ? of_warps[lane] : 0;
    for (int o = 1; o < 32; o <<= 1) {
      int before = __shfl_up_sync(0xffffffffu, w, o);
      if (lane >= o) w += before;
    }
    of_warps[lane] = w;
  }
  __syncthreads();
  if (warp > 0) v += of_warps[warp - 1];
  if (i < n) out[i] = v;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v;
}

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&bins[in[i]], 1u);
    i += stride;
  }
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&mine[in[i]], 1u);
    i += stride;
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/// Each warp has bins of its own; four elements are read at once.
__global__ void histogram_of_warps(const uchar4* in, unsigned* bins, int quads) {
  __shared__ unsigned mine[8][64];
  unsigned* of_warp = mine[threadIdx.x / 32];
  for (int b = threadIdx.x % 32; b < 64; b += 32) of_warp[b] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += blockDim.x * gridDim.x) {
    uchar4 v = in[i];
    atomicAdd(of_warp + (v.x >> 2), 1u);
    atomicAdd(of_warp + (v.y >> 2), 1u);
    atomicAdd(of_warp + (v.z >> 2), 1u);
    atomicAdd(of_warp + (v.w >> 2), 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += mine[w][threadIdx.x];
    atomicAdd(bins + threadIdx.x, sum);
  }
}

/// Bins of its own for each thread, in bytes.
__global__ void histogram_of_threads(const unsigned char* in, unsigned* bins, int each) {
  __shared__ unsigned char mine[16][128];
  for (int b = 0; b < 16; ++b) mine[b][threadIdx.x] = 0;
  for (int k = 0; k < each; ++k)
    ++mine[in[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] / 16][threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int t = 0; t < 128; ++t) sum += mine[threadIdx.x][(t + threadIdx.x) % 128];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}

__global__ void bitonic_step(float* data, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
  if (other > i) {
    bool up = (i & k) == 0;
    if (up ? data[i] > data[other] : data[i] < data[other]) {
      float t = data[i];
      data[i] = data[other];
      data[other] = t;
    }
  }
}

__global__ void bitonic_block(int* data) {
  __shared__ int s[512];
  unsigned t = threadIdx.x;
  s[t] = data[blockIdx.x * 512 + t];
  s[t + 256] = data[blockIdx.x * 512 + t + 256];
  for (unsigned k = 2; k <= 512; k <<= 1) {
    for (unsigned j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      unsigned a = 2 * j * (t / j) + t % j, b = a + j;
      bool up = (a & k) == 0;
      int x = s[a], y = s[b];
      if ((x > y) == up) {
        s[a] = y;
        s[b] = x;
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 512 + t] = s[t];
  data[blockIdx.x * 512 + t + 256] = s[t + 256];
}

__global__ void odd_even_sort(short* data, int n) {
  extern __shared__ short cells[];
  int t = threadIdx.x;
  cells[t] = data[t];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    int left = 2 * (t / 2) + round % 2;
    if (t % 2 == 0 && left + 1 < n && cells[left] > cells[left + 1]) {
      short held = cells[left];
      cells[left] = cells[left + 1];
      cells[left + 1] = held;
    }
    __syncthreads();
  }
  data[t] = cells[t];
}

__global__ void rank_sort(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  float me = in[i];
  for (int j = 0; j < n; ++j) rank += in[j] < me || (in[j] == me && j < i);
  out[rank] = me;
}

}  // namespace course
#endif
