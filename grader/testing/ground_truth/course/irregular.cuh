// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#ifdef __CUDACC__
// Kernels as courses have them whose threads part: sparse matrices, graphs, atomics, searches,
// divergence and arrays of a thread's own.
namespace course {

__global__ void spmv_csr(int rows, const int* start, const int* column, const float* value,
                         const float* x, float* y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    float dot = 0;
    for (int k = start[row]; k < start[row + 1]; k++) dot += value[k] * x[column[k]];
    y[row] += dot;
  }
}

__global__ void spmv_csr_warps(int rows, const int* __restrict__ start,
                               const int* __restrict__ column, const double* __restrict__ value,
                               const double* __restrict__ x, double* __restrict__ y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) y[row] = sum;
}

__global__ void spmv_ell(int rows, int width, const int* column, const float* value, const float* x,
                         float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    int c = column[k * rows + row];
    if (c >= 0) sum += value[k * rows + row] * x[c];
  }
  y[row] = sum;
}

__global__ void spmv_coo(int count, const int* row, const int* column, const float* value,
                         const float* x, float* y) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) atomicAdd(&y[row[k]], value[k] * x[column[k]]);
}

__global__ void breadth_first(const int* start, const int* edges, const int* level, int* next,
                              int nodes, int depth, int* again) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes && level[node] == depth) {
    for (int e = start[node]; e < start[node + 1]; ++e) {
      int to = edges[e];
      if (level[to] < 0) {
        next[to] = depth + 1;
        *again = 1;
      }
    }
  }
}

__global__ void chase(const int* next, int* out, int hops) {
  int at = blockIdx.x * blockDim.x + threadIdx.x, me = at;
  for (int h = 0; h < hops; ++h) at = next[at];
  out[me] = at;
}

__global__ void find(const int* sorted, int n, const int* keys, int* at, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int low = 0, high = n, key = keys[i];
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  at[i] = low;
}

__global__ void count_matches(const int* in, int n, int key, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 8 == key) atomicAdd(count, 1);
}

__global__ void extremes(const int* in, int n, int* least, int* most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMin(least, in[i]);
    atomicMax(most, in[i]);
  }
}

__global__ void flags_of(const unsigned* in, unsigned* any, unsigned* all, unsigned* parity,
                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicOr(any + in[i] % 16, in[i]);
  atomicAnd(all + in[i] % 16, in[i]);
  atomicXor(parity + i % 16, in[i]);
}

__global__ void sums_of_keys(const int* key, const double* value, double* sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(sums + key[i], value[i]);
}

__global__ void tickets(unsigned* counter, unsigned* ring, unsigned* mine) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[i] = atomicInc(counter, 99);
  atomicDec(ring + i % 4, 50);
}

__global__ void swap_in(unsigned long long* places, unsigned long long* old, int modulus) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = atomicExch(places + i % modulus, (unsigned long long)i);
}

__device__ float atomic_max(float* address, float value) {
  int* as_int = (int*)address;
  int old = *as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

/// No two threads share a place.
__global__ void raise_to(float* data, const float* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(data + i, values[i]);
}

__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) out[atomicAdd(count, 1)] = in[i];
}

__global__ void compact_by_warps(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(votes));
  first = __shfl_sync(0xffffffffu, first, 0);
  if (keep) out[first + __popc(votes & ((1u << lane) - 1))] = in[i];
}

__global__ void odd_and_even(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 2 == 0)
    out[i] = in[i] * 2.0f + 1.0f;
  else
    out[i] = in[i] * 0.5f - in[i / 2];
}

__global__ void by_warp(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((threadIdx.x / 32) % 2 == 0)
    out[i] = in[i] * 2.0f + 1.0f;
  else
    out[gridDim.x * blockDim.x + 2 * i] = in[i] - 1.0f;
}

__global__ void operations(const char* operation, const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (operation[i]) {
    case '+':
      c[i] = a[i] + b[i];
      break;
    case '-':
      c[i] = a[i] - b[i];
      break;
    case '*':
      c[i] = a[i] * b[i];
      break;
    default:
      c[i] = 0;
  }
}

__global__ void mandelbrot(unsigned char* out, int width, int height, int most) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.0f + 3.0f * px / width, cy = -1.0f + 2.0f * py / height, x = 0, y = 0;
  int i = 0;
  while (i < most && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++i;
  }
  out[py * width + px] = i % 256;
}

__global__ void primes(unsigned char* is_prime, unsigned n) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  if (v < 2) {
    is_prime[v] = 0;
    return;
  }
  for (unsigned d = 2; d * d <= v; ++d) {
    if (v % d == 0) {
      is_prime[v] = 0;
      return;
    }
  }
  is_prime[v] = 1;
}

__global__ void common_divisors(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] % 1000 + 1, y = b[i] % 1000 + 1;
  while (y != 0) {
    unsigned t = x % y;
    x = y;
    y = t;
  }
  out[i] = x;
}

/// Returns early where the text parts from the word.
__global__ void search_text(const char* text, int length, const char* word, int word_length,
                            int* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > length - word_length) return;
  for (int k = 0; k < word_length; ++k)
    if (text[i + k] != word[k]) return;
  found[i] = 1;
}

__global__ void random_walks(unsigned seed, int steps, int* ends) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = seed + i;
  int at = 0;
  for (int s = 0; s < steps; ++s) {
    state = state * 1664525u + 1013904223u;
    if (state >> 31)
      ++at;
    else if ((state >> 29 & 3) == 0)
      at -= 2;
  }
  ends[i] = at;
}

/// A window sorted in an array of the thread's own, whose indices the compiler cannot know.
__global__ void median(const int* in, int* out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + width > n) return;
  int window[16];
  for (int k = 0; k < width; ++k) {
    int v = in[i + k], at = k;
    while (at > 0 && window[at - 1] > v) {
      window[at] = window[at - 1];
      --at;
    }
    window[at] = v;
  }
  out[i] = window[width / 2];
}

__global__ void local_histogram(const unsigned char* in, unsigned* out, int each) {
  unsigned bins[8] = {};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) ++bins[in[i * each + k] & 7];
  for (int b = 0; b < 8; ++b) out[b * gridDim.x * blockDim.x + i] = bins[b];
}

__global__ void local_stack(const int* left, const int* right, double* out, const double* value) {
  int stack[24], top = 0;
  double sum = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  stack[top++] = i % 31;
  while (top > 0) {
    int node = stack[--top];
    sum += value[node];
    if (right[node] >= 0) stack[top++] = right[node];
    if (left[node] >= 0) stack[top++] = left[node];
  }
  out[i] = sum;
}

__global__ void rotate_bits(const uint8_t* in, uint16_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<uint16_t>(__brev(in[i]) >> 24 | in[n - 1 - i] << 8);
}

__global__ void vote_and_match(const int* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i] & 7;
  unsigned peers = __match_any_sync(0xffffffffu, v);
  if (__all_sync(0xffffffffu, v < 7)) peers = ~peers;
  out[i] = peers ^ __ballot_sync(0xffffffffu, v & 1);
}

__global__ void broadcast_rows(const float* in, float* out, int width) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float mine = in[row * width + lane], sum = 0;
  for (int k = 0; k < 32; ++k) sum += __shfl_sync(0xffffffffu, mine, k) * (k + lane);
  out[row * width + lane] = sum;
}

}  // namespace course
#endif
