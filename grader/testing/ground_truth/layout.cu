// SPDX-License-Identifier: MIT
// Where machine code brings lanes together, loads once what the PTX loads again, and joins what lies side by side: kernels
// in which the emulated device once counted otherwise.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "testing/ground_truth/cases.cuh"

namespace cg = cooperative_groups;

namespace {

__device__ int hashed(int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round) sum = sum * 31 + round;
  return sum;
}

/// The compiler lays the store before the loop around it.
__global__ void warp_queue(int* next, int* out, int n) {
  for (;;) {
    int first = 0;
    if (threadIdx.x % 32 == 0) first = atomicAdd(next, 32);
    first = __shfl_sync(~0u, first, 0);
    if (first >= n) break;
    const int k = first + threadIdx.x % 32;
    out[k] = hashed(k & 127);
  }
}

__global__ void block_queue(int* next, int* out, int n) {
  __shared__ int first[4];
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) first[0] = atomicAdd(next, blockDim.x);
    __syncthreads();
    const int base = first[0];
    if (base >= n) return;
    const int k = base + threadIdx.x;
    out[k] = hashed(k & 127);
  }
}

__global__ void steps_of_collatz(int* out, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0;; ++turn) {
    unsigned value = k + turn;
    int steps = 0;
    while (value > 1) {
      value = value & 1 ? 3 * value + 1 : value >> 1;
      if (++steps > 100) break;
    }
    out[k + turn * n] = steps;
    if (turn == 7) break;
  }
}

/// Some lanes leave the inner loop through a block of their own.
__global__ void leave_by_the_side(const int* in, int* out, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < in[0] + 3; ++turn) {
    int i = 0;
    for (; i < n; ++i) {
      if (in[i] + i > (k + turn & 7) * 3) {
        out[k] = i;
        break;
      }
      if (in[i + 1] + i > (k & 3) * 5) break;
    }
    out[k + 1024] = i;
  }
}

__global__ void reduce_twice(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = cg::reduce(tile, in[k], cg::plus<int>());
  const int most = cg::reduce(tile, in[k] ^ k, cg::greater<int>());
  if (tile.thread_rank() == 0) out[k / 16] = sum - most;
}

/// Where a float4 lies behind four floats, and where none does.
template <bool HasWide>
__global__ void store_rows(const float* in, float* out, int width) {
  float* const to = out + blockIdx.x * width + threadIdx.x * 4;
  const float a = in[threadIdx.x], b = in[threadIdx.x + 1];
  to[0] = a + 1;
  to[1] = b + 2;
  to[2] = a * b;
  to[3] = a - b;
  if (HasWide) *reinterpret_cast<float4*>(to + 256) = make_float4(a, b, a, b);
}

/// An array that begins behind a variable of four bytes, and one of which all but one word is read.
__global__ void sums_of_warps(const int* in, int* out, bool behind) {
  __shared__ int before, sums[11];
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) before = behind;
  const int sum = __reduce_add_sync(~0u, in[k]);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  int all = before;
  for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) all += sums[warp];
  out[k] = all;
}

__global__ void most_of_warps(const int* in, int* out) {
  __shared__ int most[8];
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int own = __reduce_max_sync(~0u, in[k]);
  if (threadIdx.x % 32 == 0) most[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < 8; ++warp) own = max(own, most[warp]);
  out[blockIdx.x] = own;
}

enum Far { kLoads, kStores, kAdds };

template <Far What>
__global__ void __cluster_dims__(4, 1, 1) reach(int* out, int stride, bool own) {
  __shared__ int words[1024];
  const auto cluster = cg::this_cluster();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) words[k] = k;
  cluster.sync();
  const unsigned lane_rank = own ? threadIdx.x / 4 % 4 : cluster.block_rank() + 1;
  int* const to = cluster.map_shared_rank(words, lane_rank % 4) + threadIdx.x * stride % 1024;
  int sum = 0;
  if (What == kLoads) sum = *to;
  if (What == kStores) *to = threadIdx.x;
  if (What == kAdds) atomicAdd(to, 1);
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + words[threadIdx.x];
}

__global__ void powers_of_two(const float* in, float* out, float* out_and_number) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  out[k] = exp2f(in[k]);
  const float number = in[k] * 2;
  out_and_number[k] = exp2f(number) + number;
}

__global__ void quotients(const float* in, const float* by, float* out) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  out[k] = -in[k] / by[k];
  out[k + 1024] = fabsf(in[k + 1]) / by[k];
  out[k + 2048] = in[k + 2] / by[k];
}

__global__ void magnitudes(const float* in, const double* doubles, float* out,
                           double* out_doubles) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  out[k] = fabsf(in[k]);
  out_doubles[k] = fabs(doubles[k]);
  out[k + 1024] = fabsf(in[k]) + in[k + 1];
  out_doubles[k + 1024] = fabs(doubles[k]) * doubles[k + 1];
}

void queues() {
  constexpr int n = 4096;
  launch("queue of a warp's work", warp_queue, 4, 128, 0, {}, zeros<int>(1), zeros<int>(n), n);
  launch("queue of a block's work", block_queue, 4, 128, 0,
         {"launch", "ptxas gives whole 16 bytes of shared memory, the driver does not"},
         zeros<int>(1), zeros<int>(n), n);
  launch("steps of Collatz", steps_of_collatz, 8, 128, 0, {}, zeros<int>(8 * 1024), 1024);
  launch("ways out at the side", leave_by_the_side, 4, 128, 0, {}, zeros<int>(33), zeros<int>(2048),
         32);
}

void accesses() {
  launch("reduce twice", reduce_twice, 4, 128, 0, {}, zeros<int>(512), zeros<int>(32));
  launch("floats before a float4", store_rows<true>, 2, 64, 0, {}, zeros<float>(65),
         zeros<float>(1024), 512);
  launch("floats alone", store_rows<false>, 2, 64, 0, {}, zeros<float>(65), zeros<float>(1024),
         512);
  launch("sums of warps behind a word", sums_of_warps, 4, 256, 0, {}, zeros<int>(1024),
         zeros<int>(1024), true);
  launch("most of warps", most_of_warps, 4, 256, 0, {}, zeros<int>(1024), zeros<int>(4));
}

void clusters() {
  for (const int stride : {0, 1, 32}) {
    char name[80];
    for (const bool own : {false, true}) {
      const auto titled = [&](const char* what) {
        std::snprintf(name, sizeof name, "%s %s, stride %d", what,
                      own ? "all blocks of a cluster" : "another block", stride);
        return name;
      };
      launch(titled("load from"), reach<kLoads>, 8, 256, 0, {}, zeros<int>(2048), stride, own);
      launch(titled("store to"), reach<kStores>, 8, 256, 0,
             {"bytes", "ncu counts the bytes of every generic access as global"}, zeros<int>(2048),
             stride, own);
      launch(titled("add to"), reach<kAdds>, 8, 256, 0, {}, zeros<int>(2048), stride, own);
    }
  }
}

void arithmetic() {
  std::vector<float> numbers(1026), divisors(1024, 3);
  std::vector<double> doubles(1026);
  for (size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = k % 3 == 0 ? 0.f : static_cast<float>(k % 7) * -40.f + 20;
    doubles[k] = numbers[k];
  }
  const float* const in = on_device(numbers);
  launch("powers of two", powers_of_two, 4, 256, 0, {}, in, zeros<float>(1024), zeros<float>(1024));
  launch("quotients of zeros and others", quotients, 4, 256, 0, {}, in, on_device(divisors),
         zeros<float>(3072));
  launch("magnitudes", magnitudes, 4, 256, 0, {}, in, on_device(doubles), zeros<float>(2048),
         zeros<double>(2048));
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  queues();
  accesses();
  clusters();
  arithmetic();
}
