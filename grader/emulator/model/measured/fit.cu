// SPDX-License-Identifier: MIT
// The set that the time model's constants are fitted on: each kernel leans on one part of a
// multiprocessor or of the memory behind it.
#include <cuda_fp16.h>

#include "emulator/model/measured/variants.cuh"

namespace {

constexpr int kBlock = 256, kSms = 132;

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void nothing() {}

// Memory, read once.
__global__ void scale(float* data, float by) { data[global_index()] *= by; }
__global__ void fill(float* data, float with) { data[global_index()] = with; }
__global__ void fill_vector(float4* data) { data[global_index()] = {1, 2, 3, 4}; }
__global__ void triad(const float* a, const float* b, float* c, int n) {
  const int i = global_index();
  if (i < n) c[i] = a[i] + 3 * b[i];
}
__global__ void triad_vector(const float4* a, const float4* b, float4* c) {
  const int i = global_index();
  const float4 left = a[i], right = b[i];
  c[i] = {left.x + 3 * right.x, left.y + 3 * right.y, left.z + 3 * right.z, left.w + 3 * right.w};
}
/// Reads only; several loads of a thread are under way at once.
template <int kLoads>
__global__ void read(const float* from, float* out) {
  const int first = blockIdx.x * blockDim.x * kLoads + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int load = 0; load < kLoads; ++load) sum += from[first + load * blockDim.x];
  if (sum == -1) *out = sum;
}
/// Reads the same 2 MB again and again: the L2 cache's.
__global__ void read_again(const float4* from, float* out, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += __ldcg(from + ((global_index() + round * 8192) & 0x1FFFF)).x;
  if (sum == -1) *out = sum;
}
/// Every block reads the same 16 KB: the L1 cache's.
__global__ void read_table(const float* table, float* out, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) sum += table[(threadIdx.x + round * 32) & 4095];
  if (sum == -1) *out = sum;
}
__global__ void read_table_scattered(const float* table, float* out, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) sum += table[(threadIdx.x * 17 + round * 8) & 4095];
  if (sum == -1) *out = sum;
}
__global__ void gather(const int* indices, const float* from, float* to) {
  const int i = global_index();
  to[i] = from[indices[i] & (kFloats - 1)];
}
__global__ void scatter(const int* indices, float* to) {
  const int i = global_index();
  to[indices[i] & (kFloats - 1)] = 1;
}
__global__ void read_strided(const float* from, float* to, int stride) {
  to[global_index()] = from[global_index() * stride];
}
__global__ void write_strided(float* to, int stride) { to[global_index() * stride] = 1; }
/// A thread a row of 256.
__global__ void sum_rows(const float* from, float* sums) {
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += from[global_index() * 256 + i];
  sums[global_index()] = sum;
}
__global__ void sum_columns(const float* from, float* sums, int columns) {
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += from[i * columns + global_index()];
  sums[global_index()] = sum;
}
/// Band matrix times vector, neighbours reuse what the others read.
__global__ void band(const float* from, float* to) {
  const int i = global_index();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += from[i + k] * 0.5f;
  to[i] = sum;
}
__global__ void outer(const float* left, const float* right, float* to, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  to[y * side + x] = left[y] * right[x];
}
/// Dot products of all rows of two 256-column matrices of 256 rows: reuse through the L1 cache.
__global__ void all_dots(const float* a, const float* b, float* to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < 256; ++k) sum += fabsf(a[y * 256 + k] - b[x + k * 256]);
  to[y * 256 + x] = sum;
}

// Arithmetic: one kind of instruction in a loop, one chain or several.
template <class T, int kChains, class Step>
__device__ void repeat(T* out, int rounds, Step step) {
  T values[kChains];
  for (int chain = 0; chain < kChains; ++chain)
    values[chain] = static_cast<T>(threadIdx.x + chain + 1);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int chain = 0; chain < kChains; ++chain) values[chain] = step(values[chain]);
  }
  T sum = values[0];
  for (int chain = 1; chain < kChains; ++chain) sum = sum + values[chain];
  if (sum == static_cast<T>(-12345)) out[0] = sum;
}

#define ARITHMETIC(name, type, chains, expression)                    \
  __global__ void name(float* out, int rounds, float scalar) {        \
    [[maybe_unused]] const type y = static_cast<type>(scalar);        \
    repeat<type, chains>(reinterpret_cast<type*>(out), rounds,        \
                         [=](type x) -> type { return expression; }); \
  }
ARITHMETIC(fma_1, float, 1, x* y + y)
ARITHMETIC(fma_4, float, 4, x* y + y)
ARITHMETIC(add_4, float, 4, x + y)
ARITHMETIC(double_fma_2, double, 2, x* y + y)
ARITHMETIC(double_divide, double, 1, y / x + y)
ARITHMETIC(double_root, double, 1, sqrt(x) + y)
ARITHMETIC(divide_2, float, 2, y / x + y)
ARITHMETIC(root_2, float, 2, sqrtf(x) + y)
ARITHMETIC(reciprocal_4, float, 4, __frcp_rn(x) + y)
ARITHMETIC(reciprocal_root_4, float, 4, rsqrtf(x) + y)
ARITHMETIC(fast_exponential_4, float, 4, __expf(x))
ARITHMETIC(exponential_2, float, 2, expf(x) + y)
ARITHMETIC(logarithm_2, float, 2, logf(x) + y)
ARITHMETIC(fast_cosine_4, float, 4, __cosf(x))
ARITHMETIC(cosine_1, float, 1, cosf(x) + y)
ARITHMETIC(power_1, float, 1, powf(x, y))
ARITHMETIC(integer_add_4, int, 4, (x + y) ^ 12345)
ARITHMETIC(integer_mad_4, int, 4, x* y + y)
ARITHMETIC(integer_divide_2, int, 2, 1000000 / (x | 1) + y)
ARITHMETIC(integer_modulo_2, int, 2, (x | 1234567) % (y | 3))
ARITHMETIC(integer_divide_7, int, 4, x / 7 + y)
ARITHMETIC(long_mad_2, long long, 2, x* y + y)
ARITHMETIC(long_divide, long long, 1, 1000000000000 / (x | 1) + y)
ARITHMETIC(shift_4, int, 4, (x << 3) ^ (x >> 5))
ARITHMETIC(minimum_4, int, 4, min(x, y) + 7)
ARITHMETIC(count_bits_4, int, 4, __popc(x) + y)
ARITHMETIC(convert_4, int, 4, static_cast<int>(static_cast<float>(x) * 0.5f))
ARITHMETIC(convert_double_2, float, 2, static_cast<float>(static_cast<double>(x) + 0.5))
ARITHMETIC(select_4, int, 4, x > y ? x - 3 : x + 5)
#undef ARITHMETIC
__global__ void half_fma(float* out, int rounds) {
  __half2 a = __float2half2_rn(0.5f), b = a, c = a, d = a;
  for (int round = 0; round < rounds; ++round) {
    a = __hfma2(a, a, a);
    b = __hfma2(b, b, b);
    c = __hfma2(c, c, c);
    d = __hfma2(d, d, d);
  }
  a = __hadd2(__hadd2(a, b), __hadd2(c, d));
  if (__low2float(a) == 123) *out = 1;
}

// Shared memory.
template <int kStride>
__global__ void shared_reads(float* out, int rounds) {
  __shared__ float memory[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) memory[i] = i;
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += memory[(threadIdx.x * kStride + round) & 4095];
  if (sum == -1) *out = sum;
}
__global__ void shared_vector_reads(float* out, int rounds) {
  __shared__ float4 memory[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) memory[i] = {1, 2, 3, 4};
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const float4 four = memory[(threadIdx.x + round) & 1023];
    sum += four.x + four.y + four.z + four.w;
  }
  if (sum == -1) *out = sum;
}
__global__ void shared_chain(int* out, int rounds) {
  __shared__ int memory[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) memory[i] = (i + 33) & 1023;
  __syncthreads();
  int at = threadIdx.x;
  for (int round = 0; round < rounds; ++round) at = memory[at];
  if (at == -1) *out = at;
}
__global__ void barriers(int* out, int rounds) {
  __shared__ int memory[1024];
  for (int round = 0; round < rounds; ++round) {
    memory[threadIdx.x] = round;
    __syncthreads();
  }
  if (memory[threadIdx.x] == -1) *out = 1;
}
__global__ void exchange(float* to) {
  __shared__ float memory[kBlock];
  const int i = global_index();
  memory[threadIdx.x] = to[i];
  __syncthreads();
  to[i] = memory[kBlock - 1 - threadIdx.x];
}
__global__ void shuffles(float* out, int rounds) {
  float x = threadIdx.x;
  for (int round = 0; round < rounds; ++round) x += __shfl_xor_sync(~0u, x, 1 << (round & 3));
  if (x == -1) *out = x;
}
__global__ void votes(int* out, int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round) sum += __ballot_sync(~0u, threadIdx.x > round);
  if (sum == -1) *out = sum;
}

// Atomics.
__global__ void count_all(int* counter) { atomicAdd(counter, static_cast<int>(threadIdx.x) | 1); }
__global__ void add_to_all(float* sum) { atomicAdd(sum, 1.5f); }
__global__ void add_to_own(float* sums, int mask) {
  atomicAdd(sums + (global_index() & mask), 1.5f);
}
__global__ void add_random(const int* indices, int* sums, int mask) {
  atomicAdd(sums + (indices[global_index()] & mask), 1);
}
__global__ void take_numbers(int* counters, int* out, int mask) {
  const int i = global_index();
  out[i] = atomicAdd(counters + (i / 32 & mask) * 32, static_cast<int>(threadIdx.x) | 1);
}
__global__ void shared_counters(const int* indices, int* out, int mask) {
  __shared__ int counts[1024];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 32; ++i) atomicAdd(counts + (indices[threadIdx.x + 256 * i] & mask), 1);
  __syncthreads();
  if (counts[threadIdx.x] == -1) *out = 1;
}
__global__ void shared_float_sums(int* out, int mask) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 32; ++i) atomicAdd(sums + ((threadIdx.x + i) & mask), 1.5f);
  __syncthreads();
  if (sums[threadIdx.x] == -1) *out = 1;
}

// Latency.
__global__ void walk(const int* ring, int* out, int steps, int mask) {
  int at = global_index() * 97 & mask;
  for (int step = 0; step < steps; ++step) at = ring[at] & mask;
  out[global_index()] = at;
}

// Control.
__global__ void switch_of_eight(float* data) {
  float x = threadIdx.x;
  for (int i = 0; i < 64; ++i) {
    switch ((threadIdx.x + i) & 7) {
      case 0:
        x = x * 1.5f + 1;
        break;
      case 1:
        x = sqrtf(fabsf(x));
        break;
      case 2:
        x = x - data[i];
        break;
      case 3:
        x = __expf(-x * x);
        break;
      case 4:
        x = x * x * x;
        break;
      case 5:
        x = 1 / (x + 3);
        break;
      case 6:
        x = __sinf(x) + x;
        break;
      default:
        x = x + 0.5f;
    }
  }
  data[global_index()] = x;
}
__global__ void uneven_loops(float* data) {
  float x = threadIdx.x;
  for (unsigned i = 0; i < (threadIdx.x & 31) * 8; ++i) x = x * 0.5f + 1;
  data[global_index()] = x;
}
__global__ void local_array(const int* indices, int* out) {
  int counts[32];
  for (int& count : counts) count = 0;
  for (int i = 0; i < 16; ++i) ++counts[indices[(global_index() + i * 512) & (kInts - 1)] & 31];
  int best = 0;
  for (int i = 1; i < 32; ++i) best = counts[i] > counts[best] ? i : best;
  out[global_index()] = best;
}
__global__ void many_blocks(float* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = 1;
}
/// The maximum of a block's numbers in shared memory, strides halving.
__global__ void block_maximum(const float* from, float* to) {
  __shared__ float part[512];
  part[threadIdx.x] = from[global_index()];
  for (int step = 256; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + step]);
  }
  if (threadIdx.x == 0) to[blockIdx.x] = part[0];
}
/// A tile of one matrix times a tile of another, 16 x 16, over and over.
__global__ void tile_products(const float* from, float* to, int rounds) {
  __shared__ float a[16][17], b[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    a[y][x] = from[round * 256 + y * 16 + x];
    b[y][x] = from[round * 256 + x * 16 + y];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[y][k] * b[x][k];
    __syncthreads();
  }
  to[blockIdx.x * 256 + y * 16 + x] = sum;
}
__constant__ float weights[64];
__global__ void convolve(const float* from, float* to) {
  const int i = global_index();
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += from[i + k] * weights[k];
  to[i] = sum;
}

template <void (*kKernel)(float*, int, float)>
void saturated(const Buffers& m) {
  kKernel<<<kSms * 4, 512>>>(m.b, 128, 3.0f);
}
template <void (*kKernel)(float*, int, float)>
void lonely(const Buffers& m) {
  kKernel<<<kSms, 64>>>(m.b, 4096, 3.0f);
}
float4* fours(float* data) { return reinterpret_cast<float4*>(data); }
float* floats(int* data) { return reinterpret_cast<float*>(data); }
const dim3 kSquare(16, 16);

const std::vector<Variant> kVariants = {
    {"launch", "nothing", [](const Buffers&) { nothing<<<1, 32>>>(); }},
    {"launch", "many_blocks", [](const Buffers& m) { many_blocks<<<65536, 32>>>(m.b); }},
    {"launch", "many_large_blocks", [](const Buffers& m) { many_blocks<<<16384, 512>>>(m.b); }},
    {"memory", "scale", [](const Buffers& m) { scale<<<kFloats / kBlock, kBlock>>>(m.a, 2); }},
    {"memory", "scale_small", [](const Buffers& m) { scale<<<4096, kBlock>>>(m.a, 2); }},
    {"memory", "fill", [](const Buffers& m) { fill<<<kFloats / kBlock, kBlock>>>(m.a, 2); }},
    {"memory", "fill_vector",
     [](const Buffers& m) { fill_vector<<<kFloats / 4 / kBlock, kBlock>>>(fours(m.a)); }},
    {"memory", "triad",
     [](const Buffers& m) {
       triad<<<kFloats / 2 / 512, 512>>>(m.a, m.b, m.large, kFloats / 2 - 100);
     }},
    {"memory", "triad_vector",
     [](const Buffers& m) {
       triad_vector<<<kFloats / 4 / kBlock, kBlock>>>(fours(m.a), fours(m.b), fours(m.large));
     }},
    {"memory", "read_1", [](const Buffers& m) { read<1><<<kFloats / kBlock, kBlock>>>(m.a, m.b); }},
    {"memory", "read_8",
     [](const Buffers& m) { read<8><<<kFloats / 8 / kBlock, kBlock>>>(m.a, m.b); }},
    {"memory", "read_again",
     [](const Buffers& m) { read_again<<<kSms * 8, kBlock>>>(fours(m.a), m.b, 32); }},
    {"memory", "read_table",
     [](const Buffers& m) { read_table<<<kSms * 8, kBlock>>>(m.a, m.b, 128); }},
    {"memory", "read_table_scattered",
     [](const Buffers& m) { read_table_scattered<<<kSms * 8, kBlock>>>(m.a, m.b, 128); }},
    {"memory", "gather",
     [](const Buffers& m) { gather<<<kInts / kBlock, kBlock>>>(m.random, m.a, m.large); }},
    {"memory", "scatter",
     [](const Buffers& m) { scatter<<<kInts / kBlock, kBlock>>>(m.random, m.a); }},
    {"memory", "read_stride_16",
     [](const Buffers& m) { read_strided<<<8192, kBlock>>>(m.large, m.b, 16); }},
    {"memory", "read_stride_3",
     [](const Buffers& m) { read_strided<<<8192, kBlock>>>(m.large, m.b, 3); }},
    {"memory", "write_stride_16",
     [](const Buffers& m) { write_strided<<<8192, kBlock>>>(m.large, 16); }},
    {"memory", "sum_rows", [](const Buffers& m) { sum_rows<<<256, 128>>>(m.a, m.b); }},
    {"memory", "sum_columns",
     [](const Buffers& m) { sum_columns<<<256, 128>>>(m.a, m.b, 256 * 128); }},
    {"memory", "band", [](const Buffers& m) { band<<<8192, kBlock>>>(m.a, m.b); }},
    {"memory", "outer",
     [](const Buffers& m) { outer<<<dim3(128, 128), kSquare>>>(m.a, m.b, m.large, 2048); }},
    {"memory", "all_dots",
     [](const Buffers& m) { all_dots<<<dim3(16, 64), kSquare>>>(m.a, m.b, m.large); }},
    {"arithmetic", "fma_1", saturated<fma_1>},
    {"arithmetic", "fma_4", saturated<fma_4>},
    {"arithmetic", "fma_1_lonely", lonely<fma_1>},
    {"arithmetic", "fma_4_lonely", lonely<fma_4>},
    {"arithmetic", "add_4", saturated<add_4>},
    {"arithmetic", "double_fma_2", saturated<double_fma_2>},
    {"arithmetic", "double_fma_2_lonely", lonely<double_fma_2>},
    {"arithmetic", "double_divide", saturated<double_divide>},
    {"arithmetic", "double_root", saturated<double_root>},
    {"arithmetic", "divide_2", saturated<divide_2>},
    {"arithmetic", "root_2", saturated<root_2>},
    {"arithmetic", "reciprocal_4", saturated<reciprocal_4>},
    {"arithmetic", "reciprocal_root_4", saturated<reciprocal_root_4>},
    {"arithmetic", "reciprocal_root_4_lonely", lonely<reciprocal_root_4>},
    {"arithmetic", "fast_exponential_4", saturated<fast_exponential_4>},
    {"arithmetic", "exponential_2", saturated<exponential_2>},
    {"arithmetic", "logarithm_2", saturated<logarithm_2>},
    {"arithmetic", "fast_cosine_4", saturated<fast_cosine_4>},
    {"arithmetic", "cosine_1", saturated<cosine_1>},
    {"arithmetic", "power_1", saturated<power_1>},
    {"arithmetic", "integer_add_4", saturated<integer_add_4>},
    {"arithmetic", "integer_add_4_lonely", lonely<integer_add_4>},
    {"arithmetic", "integer_mad_4", saturated<integer_mad_4>},
    {"arithmetic", "integer_divide_2", saturated<integer_divide_2>},
    {"arithmetic", "integer_modulo_2", saturated<integer_modulo_2>},
    {"arithmetic", "integer_divide_7", saturated<integer_divide_7>},
    {"arithmetic", "long_mad_2", saturated<long_mad_2>},
    {"arithmetic", "long_divide", saturated<long_divide>},
    {"arithmetic", "shift_4", saturated<shift_4>},
    {"arithmetic", "minimum_4", saturated<minimum_4>},
    {"arithmetic", "count_bits_4", saturated<count_bits_4>},
    {"arithmetic", "convert_4", saturated<convert_4>},
    {"arithmetic", "convert_double_2", saturated<convert_double_2>},
    {"arithmetic", "select_4", saturated<select_4>},
    {"arithmetic", "half_fma", [](const Buffers& m) { half_fma<<<kSms * 4, 512>>>(m.b, 128); }},
    {"shared", "shared_reads_1",
     [](const Buffers& m) { shared_reads<1><<<kSms * 4, 512>>>(m.b, 256); }},
    {"shared", "shared_reads_2",
     [](const Buffers& m) { shared_reads<2><<<kSms * 4, 512>>>(m.b, 128); }},
    {"shared", "shared_reads_8",
     [](const Buffers& m) { shared_reads<8><<<kSms * 4, 512>>>(m.b, 128); }},
    {"shared", "shared_reads_32",
     [](const Buffers& m) { shared_reads<32><<<kSms * 4, 512>>>(m.b, 64); }},
    {"shared", "shared_vector_reads",
     [](const Buffers& m) { shared_vector_reads<<<kSms * 4, 512>>>(m.b, 128); }},
    {"shared", "shared_chain", [](const Buffers& m) { shared_chain<<<kSms, 64>>>(m.sums, 2048); }},
    {"shared", "barriers_64", [](const Buffers& m) { barriers<<<kSms, 64>>>(m.sums, 1024); }},
    {"shared", "barriers_1024",
     [](const Buffers& m) { barriers<<<kSms * 2, 1024>>>(m.sums, 128); }},
    {"shared", "exchange", [](const Buffers& m) { exchange<<<16384, kBlock>>>(m.a); }},
    {"shared", "shuffles", [](const Buffers& m) { shuffles<<<kSms * 4, 512>>>(m.b, 128); }},
    {"shared", "votes", [](const Buffers& m) { votes<<<kSms * 4, 512>>>(m.sums, 128); }},
    {"atomics", "count_all", [](const Buffers& m) { count_all<<<4096, kBlock>>>(m.sums); }},
    {"atomics", "add_to_all",
     [](const Buffers& m) { add_to_all<<<2048, kBlock>>>(floats(m.sums)); }},
    {"atomics", "add_to_own",
     [](const Buffers& m) { add_to_own<<<8192, kBlock>>>(m.a, kFloats - 1); }},
    {"atomics", "add_to_own_of_1024",
     [](const Buffers& m) { add_to_own<<<8192, kBlock>>>(m.a, 1023); }},
    {"atomics", "add_random_of_64",
     [](const Buffers& m) { add_random<<<8192, kBlock>>>(m.random, m.sums, 63); }},
    {"atomics", "add_random_of_8",
     [](const Buffers& m) { add_random<<<4096, kBlock>>>(m.random, m.sums, 7); }},
    {"atomics", "add_random_of_1_Mi",
     [](const Buffers& m) { add_random<<<8192, kBlock>>>(m.random, m.sums, kMegabyte - 1); }},
    {"atomics", "take_numbers",
     [](const Buffers& m) { take_numbers<<<4096, kBlock>>>(m.sums, m.keys, 0); }},
    {"atomics", "take_numbers_of_256",
     [](const Buffers& m) { take_numbers<<<4096, kBlock>>>(m.sums, m.keys, 255); }},
    {"atomics", "shared_counters_1",
     [](const Buffers& m) { shared_counters<<<kSms * 4, kBlock>>>(m.random, m.sums, 0); }},
    {"atomics", "shared_counters_16",
     [](const Buffers& m) { shared_counters<<<kSms * 8, kBlock>>>(m.random, m.sums, 15); }},
    {"atomics", "shared_counters_1024",
     [](const Buffers& m) { shared_counters<<<kSms * 16, kBlock>>>(m.random, m.sums, 1023); }},
    {"atomics", "shared_float_sums",
     [](const Buffers& m) { shared_float_sums<<<kSms * 8, kBlock>>>(m.sums, 1023); }},
    {"atomics", "shared_float_sums_of_4",
     [](const Buffers& m) { shared_float_sums<<<kSms * 4, kBlock>>>(m.sums, 3); }},
    {"latency", "walk_1_KB", [](const Buffers& m) { walk<<<1, 32>>>(m.ring, m.sums, 1024, 255); }},
    {"latency", "walk_2_MB",
     [](const Buffers& m) { walk<<<1, 32>>>(m.ring, m.sums, 1024, (512 << 10) - 1); }},
    {"latency", "walk_16_MB",
     [](const Buffers& m) { walk<<<1, 1>>>(m.ring, m.sums, 512, kInts - 1); }},
    {"latency", "walk_everywhere",
     [](const Buffers& m) { walk<<<kSms * 2, 256>>>(m.ring, m.sums, 32, kInts - 1); }},
    {"latency", "scale_by_8_blocks", [](const Buffers& m) { scale<<<8, 1024>>>(m.a, 2); }},
    {"control", "switch_of_eight",
     [](const Buffers& m) { switch_of_eight<<<kSms * 4, kBlock>>>(m.b); }},
    {"control", "uneven_loops", [](const Buffers& m) { uneven_loops<<<kSms * 8, kBlock>>>(m.b); }},
    {"control", "local_array",
     [](const Buffers& m) { local_array<<<1024, kBlock>>>(m.random, m.sums); }},
    {"mixed", "block_maximum", [](const Buffers& m) { block_maximum<<<4096, 512>>>(m.a, m.b); }},
    {"mixed", "tile_products",
     [](const Buffers& m) { tile_products<<<kSms * 8, kSquare>>>(m.a, m.b, 16); }},
    {"mixed", "tile_products_few",
     [](const Buffers& m) { tile_products<<<40, kSquare>>>(m.a, m.b, 64); }},
    {"mixed", "convolve", [](const Buffers& m) { convolve<<<4096, kBlock>>>(m.a, m.b); }},
};

}  // namespace

int main(int argc, char** argv) {
  must(cudaFree(nullptr));
  return run_variants("fit", kVariants, argc, argv);
}
