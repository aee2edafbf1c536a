// SPDX-License-Identifier: MIT
// The kernels of launch_test.cpp. A mark names the line on which a finding is expected.

#include <mma.h>

#include <cstdio>

extern "C" {

__global__ void print_forms(int* returned, const char* none) {
  void* const pointer = reinterpret_cast<void*>(0x1234);
  returned[0] = printf("[%24p] [%-10p] [%p]\n", pointer, pointer, static_cast<void*>(nullptr));
  returned[1] = printf("[%hd] [%hhx] [%02hhx] [%lld] [%5.1f] [%c] [%k] [%5%]\n", 70000, -1, 0x1234,
                       -6ll, 3.14, 'x');
  returned[2] = printf("no arguments\n");
  returned[3] = printf(none);
  printf("%s\n", static_cast<const char*>(nullptr));
  printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6,
         7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3);
}

__global__ void wait_at(volatile int* flag) {
  while (*flag == 0) {  // mark: wait_at
  }
}

__global__ void write_at(float* out, int index) {
  out[index + threadIdx.x] = 1.0f;  // mark: write_at
}

__global__ void read_byte(const unsigned char* in, unsigned char* out, int index) {
  out[0] = in[index];  // mark: read_byte
}

__global__ void shared_past_end(float* out, int index) {
  __shared__ float first[8], second[8];
  second[threadIdx.x % 8] = 2.0f;
  first[index] = 1.0f;  // mark: shared_past_end
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x % 8] + second[threadIdx.x % 8];
}

__global__ void other_dynamic(float* out, int index) {
  extern __shared__ float other[];
  other[index] = 1.0f;
  out[threadIdx.x] = other[0];
}

__global__ void dynamic_past_end(float* out, int index) {
  extern __shared__ float dynamic[];
  dynamic[index] = 1.0f;  // mark: dynamic_past_end
  __syncthreads();
  out[threadIdx.x] = dynamic[0];
}

__global__ void local_past_end(float* out, int index) {
  float local[4] = {1, 2, 3, 4};
  local[index & 3] = 5;
  out[threadIdx.x] = local[index];  // mark: local_past_end
}

__global__ void misaligned(char* bytes) {
  *reinterpret_cast<int*>(bytes + 1) = 7;  // mark: misaligned
}

__global__ void touch_padding(float* rows, int column) {
  rows[column] = rows[column] + 1;  // mark: touch_padding
}

__global__ void sum_of_four_lanes(int* values) {
  int value = values[threadIdx.x];
  if (threadIdx.x < 4) {
#pragma unroll 1
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_down_sync(0xf, value, offset);  // mark: sum_of_four_lanes
  }
  values[threadIdx.x] = value;
}

__global__ void vote_in_two_branches(int* out, int k) {
  const int lane = threadIdx.x;
  if (lane < 16) {
    out[lane] = __popc(__ballot_sync(~0u, lane % 2 == k)) + 100;
    out[64 + lane] = 1;
  } else {
    out[lane] = __popc(__ballot_sync(~0u, lane % 4 == k)) + __shfl_sync(~0u << 16, lane, 20) * 1000;
    out[64 + lane] = 2;
  }
}

__device__ __noinline__ int over_all_lanes(int value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__global__ void call_from_two_branches(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = over_all_lanes(1);
  else
    out[threadIdx.x] = over_all_lanes(2) + 100;
}

/// Another warp waits for the lanes that meet, or lanes of theirs that are no members.
__global__ void call_while_others_spin(int* out, int lanes) {
  __shared__ volatile int done;
  const int t = threadIdx.x;
  const unsigned members = lanes == 32 ? ~0u : 0xFFFF;
  if (t == 0) done = 0;
  __syncthreads();
  if (t < lanes) {
    int sum = t;
    if (t % 2 != 0)
      for (int offset = lanes / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(members, sum, offset);
    else
      for (int offset = lanes / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(members, sum, offset) + (out == nullptr);
    out[t] = sum;
    __syncwarp(members);
    if (t == 0) done = 1;
  } else {
    while (done == 0) {
    }
  }
}

/// Four lanes, each of which waits for the others in a place of its own.
__global__ void stages_in_a_warp(volatile int* box, int n, int* out) {
  const int lane = threadIdx.x;
  if (lane == 3) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      while (box[2] == 0) {
      }
      sum += box[2];
      box[2] = 0;
    }
    *out = sum;
  } else if (lane == 0) {
    for (int i = 0; i < n; ++i) {
      while (box[0] != 0) {
      }
      box[0] = i + 1;
    }
  } else if (lane == 1) {
    for (int i = 0; i < n; ++i) {
      while (box[0] == 0) {
      }
      const int value = box[0];
      box[0] = 0;
      while (box[1] != 0) {
      }
      box[1] = value * 2;
    }
  } else if (lane == 2) {
    for (int i = 0; i < n; ++i) {
      while (box[1] == 0) {
      }
      const int value = box[1];
      box[1] = 0;
      while (box[2] != 0) {
      }
      box[2] = value + 1;
    }
  }
}

__global__ void dine_in_a_warp(int* forks, int* meals, int rounds) {
  const int n = blockDim.x, i = threadIdx.x, next = (i + 1) % n;
  const int first = min(i, next), second = max(i, next);
  for (int round = 0; round < rounds; ++round) {
    while (atomicCAS(&forks[first], 0, 1) != 0) {
    }
    while (atomicCAS(&forks[second], 0, 1) != 0) {
    }
    __threadfence();
    meals[i] += 1;
    __threadfence();
    atomicExch(&forks[second], 0);
    atomicExch(&forks[first], 0);
  }
}

__global__ void call_after_a_loop(int* out, const int* in) {
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < static_cast<int>(threadIdx.x); ++k) sum += in[k];
  out[threadIdx.x] = over_all_lanes(sum);
}

__global__ void leave_out_an_exchange(int* out) {
  int value = threadIdx.x;
  if (value < 16) value += __shfl_down_sync(~0u, value, 8);  // mark: leave_out_an_exchange
  out[threadIdx.x] = value;
  value += __shfl_down_sync(~0u, value, 8);
  out[threadIdx.x] += value;
}

__global__ void vote_among_lower_lanes(unsigned* out) {
  const unsigned lower = (1u << threadIdx.x) - 1;
  out[threadIdx.x] = __ballot_sync(lower, threadIdx.x % 2);  // mark: vote_among_lower_lanes
}

__global__ void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void sleep_until_set(volatile int* flag) {
  if (threadIdx.x == blockDim.x - 1) *flag = 1;
  while (*flag == 0) __nanosleep(100);
}

__global__ void read_the_clock_until_set(volatile int* flag, unsigned* upper_halves) {
  if (threadIdx.x == blockDim.x - 1) *flag = 1;
  unsigned long long now = 0;
  while (*flag == 0) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  unsigned clock, timer;
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(clock));
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(timer));
  atomicAdd(upper_halves, clock + timer);
}

__global__ void half_a_barrier() {
  // The second half of the block waits for a barrier that the first half never reaches.
  if (threadIdx.x >= 32) asm volatile("bar.sync 1, 96;");
}

__global__ void sum_floats(float* total, const float* values, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(total, values[i]);
}

__global__ void spin_lock_in_a_warp(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
  __threadfence();
  atomicExch(lock, 0);
}

/// Each lane polls by an atomic that changes nothing, and one of them may go on.
__global__ void ticket_lock_in_a_warp(unsigned* lock, int* counter) {
  const unsigned mine = atomicAdd(lock, 1u);
  while ((mine % 2 == 0 ? atomicAdd(lock + 1, 0u) : atomicOr(lock + 1, 0u)) != mine) {
  }
  __threadfence();
  *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
  __threadfence();
  atomicAdd(lock + 1, 1u);
}

__global__ void blocks_wait_for_each_other(volatile int* arrived) {
  atomicAdd(const_cast<int*>(arrived), 1);
  while (*arrived < static_cast<int>(gridDim.x)) {
  }
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*const functions[])(int) = {twice, square};
__global__ void function_pointers(int* out, int which) {
  out[threadIdx.x] = functions[(threadIdx.x + which) % 2](threadIdx.x);
}

__global__ void divergent_loop(int* out) {
  int steps = 0;
  for (int n = threadIdx.x; n > 0; n /= 2) steps += n % 2;
  out[threadIdx.x] = steps;
}

__global__ void traps() { asm volatile("trap;"); }

__global__ void strided(const float* in, float* out, int stride) {
  out[threadIdx.x] = in[threadIdx.x * stride];
}

__constant__ float constant_words[32];

__global__ void constants(float* out, int stride) {
  out[threadIdx.x] = constant_words[threadIdx.x * stride % 32];
}

__global__ void bank_conflicts(float* out, int stride) {
  __shared__ float words[1024];
  words[threadIdx.x * stride] = 1;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x * stride];
}

__global__ void tickets(int* block_tickets, int* warp_tickets, int* lane_tickets, int* next) {
  if (threadIdx.x == 0) block_tickets[blockIdx.x] = atomicAdd(next, 1);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    warp_tickets[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = atomicAdd(next + 1, 1);
  if (threadIdx.x % 2 == 0) {
    lane_tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next + 2, 1);
  } else {
    lane_tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next + 2, 2);
  }
}

// Half of the lanes change the sum, all of them write to it.
__global__ void some_add(int* sum, int* alone) {
  atomicAdd(sum, static_cast<int>(threadIdx.x % 2));
  atomicMax(sum, -1);
  atomicCAS(sum, -7, 5);
  if (threadIdx.x == 3) {
    for (int i = 0; i < 9; ++i) alone[i] = i;
  }
}

// Writes 32 values that weak loads give, 32 through a generic address, 32 that volatile loads give, 32 results of an
// atomic, and the sum of an atomic whose result the kernel does not read.
__global__ void meet_in_shared(int* out, int in_global) {
  __shared__ int values[32], counts[2];
  values[threadIdx.x] = 5;
  if (threadIdx.x < 2) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[0], 1);
  const int turn = atomicAdd(&counts[1], 1);
  __syncthreads();
  const unsigned other = 31 - threadIdx.x;
  const int* const from = in_global != 0 ? out : values;
  out[threadIdx.x] = values[other];
  out[32 + threadIdx.x] = from[other];
  out[64 + threadIdx.x] = *const_cast<volatile int*>(&values[other]);
  out[96 + threadIdx.x] = turn;
  if (threadIdx.x == 0) out[128] = *const_cast<volatile int*>(&counts[0]);
}

__global__ void count_lanes(unsigned long long* sums) {
  atomicAdd(sums, 1ull);
  atomicAdd(sums + 1, static_cast<unsigned long long>(threadIdx.x));
}

__device__ int by_columns() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  return i % 128 * 128 + i / 128;
}

__global__ void load_by_columns(float* to, const float* from) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[by_columns()];
}

__global__ void copy_by_columns(float* to, const float* from) {
  __shared__ float word[128];
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(&word[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(from + by_columns()));
  asm volatile("cp.async.wait_all;");
  to[blockIdx.x * blockDim.x + threadIdx.x] = word[threadIdx.x];
}

__global__ void fetch_by_columns(float* to, cudaTextureObject_t from) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = tex1Dfetch<float>(from, by_columns());
}

__global__ void store_by_columns(float* to, const float* from) {
  to[by_columns()] = from[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void put_by_columns(cudaSurfaceObject_t to, const float* from) {
  surf1Dwrite(from[blockIdx.x * blockDim.x + threadIdx.x], to, by_columns() * 4);
}

__global__ void fill_pairs(float* to, const float* from) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) % 4096;
  to[2 * i] = from[i];
  to[2 * i + 1] = from[4096 + i];
}

__global__ void fill_pairs_from_constants(float* to, const float* from) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) % 4096;
  to[2 * i] = __ldg(from + i);
  to[2 * i + 1] = __ldg(from + 4096 + i);
}

__global__ void copy_by_matrices(float* to, const float* from) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 % 64 * 256;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> matrix;
  nvcuda::wmma::load_matrix_sync(matrix, from + first, 16, nvcuda::wmma::mem_row_major);
  nvcuda::wmma::store_matrix_sync(to + first, matrix, 16, nvcuda::wmma::mem_row_major);
}
}
