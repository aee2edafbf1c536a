// SPDX-License-Identifier: MIT
// Barriers and masks, right and wrong. findings_test.py runs each kernel in a process of its own and
// wants the findings that the lines name, and no others.
#include "emulator/checkers/testdata/one_of.cuh"

namespace {

constexpr unsigned kAll = ~0u;

// A macro, so that findings are in the lines that use it.
#define BARRIER(number, threads) \
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")

__global__ void barriers_of_two_branches(int* out) {
  __shared__ int values[96];
  const int t = threadIdx.x;
  values[t] = t;
  if (t < 64) {
    __syncthreads();
    out[t] = values[95 - t];
  } else {
    __syncthreads();  // finds: sync.other_barrier( & threads=64
    out[t] = values[t - 64] * 2;
  }
}

__global__ void barriers_of_odd_and_even_threads(int* out) {
  const int t = threadIdx.x;
  if (t % 3 == 0) {
    __syncthreads();  // finds: sync.other_barrier(
    out[t] = 1;
  } else {
    __syncthreads();
    out[t] = 2;
  }
}

__global__ void barrier_skipped_by_some(int* out) {
  const int t = threadIdx.x;
  if (t < 16) {
    __syncthreads();  // finds: sync.other_barrier( & threads=80
    out[t] = t;
  }
  out[t + 96] = t;
  __syncthreads();
  out[t] += out[t + 96];
}

__global__ void part_of_two_warps(int* out) {
  const int t = threadIdx.x;
  if (t < 64 && t % 32 < 16) BARRIER(1, 32);  // finds: sync.part_of_warp & lanes=16-31
  out[t] = t;
  __syncthreads();
}

__global__ void count_of_48(int* out) {
  if (threadIdx.x < 64) BARRIER(1, 48);  // finds: sync.uneven_count(threads=48)
  out[threadIdx.x] = 1;
}

__global__ void count_too_large(int* out) {
  BARRIER(1, 128);  // finds: sync.large_count(block=96, threads=128) | sync.deadlock( & threads=96
  out[threadIdx.x] = 1;
}

__global__ void waits_for_another_barrier(int* out) {
  if (threadIdx.x < 32) {
    BARRIER(1, 64);  // finds: sync.deadlock( & place.line( & threads=32
    out[0] = 1;
  } else if (threadIdx.x < 64) {
    BARRIER(2, 64);
    out[1] = 1;
  }
}

__global__ void outside_its_own_mask(int* out) {
  const int t = threadIdx.x;
  out[t] = __shfl_xor_sync(0xFFFFu, t, 1);  // finds: call=call.shuffle & mask=0x0000ffff
}

__global__ void lanes_that_never_come(int* out) {
  const int t = threadIdx.x;
  int value = t;
  if (t % 32 < 16) {
    value = __shfl_xor_sync(kAll, value, 1);  // finds: sync.never_come_but( & lanes=16-31
    out[t] = value;
  }
  __syncthreads();
  out[t] += value;
}

__global__ void vote_in_two_places(int* out) {
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    out[t] = __any_sync(kAll, t == 4);  // finds: sync.never_come & call=call.vote
  } else {
    out[t] = __ballot_sync(kAll, t == 5) + 1;  // finds: sync.never_come
  }
}

/// Ended threads are not waited for.
__global__ void early_return(int* out) {
  const int t = threadIdx.x;
  if (t > 70) return;
  __syncthreads();
  __syncwarp();
  out[t] = __shfl_sync(kAll, t, 0) + __any_sync(kAll, t == 3);
}

/// A warp may meet in several places.
__global__ void syncwarp_in_two_places(int* out) {
  __shared__ int values[96];
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    values[t] = t;
    __syncwarp();
    out[t] = values[t ^ 1];
  } else {
    values[t] = 2 * t;
    __syncwarp();
    out[t] = values[t ^ 1] + 1;
  }
}

/// A loop whose barrier the compiler may unroll, and one in a function called from two places.
__device__ __noinline__ int shared_sum(int* values, int value) {
  values[threadIdx.x] = value;
  __syncthreads();
  const int other = values[95 - threadIdx.x];
  __syncthreads();
  return value + other;
}
__global__ void the_same_for_all(int* out) {
  __shared__ int values[96];
  int value = threadIdx.x;
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    values[threadIdx.x] = value;
    __syncthreads();
    value += values[(threadIdx.x + step) % 96];
    __syncthreads();
  }
  value = shared_sum(values, value);
  if (gridDim.x == 1) value = shared_sum(values, value);
  out[threadIdx.x] = value;
}

/// Warps with tasks of their own meet in different places.
__global__ void tasks_of_warps(int* out) {
  __shared__ int value;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) value = 5;
    BARRIER(3, 64);
  } else if (threadIdx.x < 64) {
    BARRIER(3, 64);
    out[threadIdx.x] = value;
  }
}

/// Halves, quarters and the lanes of a branch, each with a mask of its own.
__global__ void masks_of_parts(int* out) {
  const int t = threadIdx.x, lane = t % 32;
  const unsigned quarter = 0xFFu << (lane & 24);
  int sum = t;
  for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(quarter, sum, offset);
  __syncwarp(lane < 16 ? 0xFFFFu : 0xFFFF0000u);
  if (lane % 3 == 0) sum += __popc(__ballot_sync(__activemask(), lane > 5));
  out[t] = sum;
}

/// The tree goes on beyond the lanes that are there.
__global__ void sum_of_active_lanes(int* out) {
  const int t = threadIdx.x;
  if (t % 32 >= 20) return;
  int sum = t;
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(__activemask(), sum, offset);  // finds: idle_source( & idle.not_named
  if (t % 32 == 0) out[t / 32] = sum;
}

__global__ void sum_with_ended_lanes(int* out) {
  const int t = threadIdx.x;
  if (t % 32 >= 20) return;
  int sum = t;
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(kAll, sum, offset);  // finds: sync.idle_source( & idle.ended
  if (t % 32 == 0) out[t / 32] = sum;
}

__global__ void sum_of_named_lanes(int* out) {
  const int t = threadIdx.x, lane = t % 32;
  if (lane >= 20) return;
  const unsigned mask = __activemask();
  int sum = t;
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(mask, sum, offset);
    if (lane + offset < 20) sum += other;
  }
  if (lane == 0) out[t / 32] = sum;
}

/// Every lane adds what it gets, and only the first of each eight, which gets what is there, is used.
__global__ void sums_of_eight(int* out) {
  const int t = threadIdx.x, lane = t % 32;
  const unsigned mask = 0xFFu << (lane & 24);
  int sum = t;
  for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset);
  if (lane % 8 == 0) out[t / 8] = sum;
}

__global__ void scan_of_lanes(int* out) {
  const int t = threadIdx.x, lane = t % 32;
  if (lane >= 20) return;
  int sum = t;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int other = __shfl_up_sync(0xFFFFFu, sum, offset);
    if (lane >= offset) sum += other;
  }
  out[t] = sum;
}

/// The last lane gets its own value.
__global__ void sum_of_a_whole_warp(int* out) {
  int sum = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(kAll, sum, offset);
  out[threadIdx.x] = sum;
}

/// Threads that end while others wait are not waited for, whatever they did before.
__global__ void barrier_skipped_to_the_end(int* out) {
  const int t = threadIdx.x;
  if (t < 32) __syncthreads();
  out[t] = t;
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf kernels[] = {
      ONE_OF(barriers_of_two_branches),
      ONE_OF(barriers_of_odd_and_even_threads),
      ONE_OF(barrier_skipped_by_some),
      ONE_OF(part_of_two_warps),
      ONE_OF(count_of_48),
      ONE_OF(count_too_large),
      ONE_OF(waits_for_another_barrier),
      ONE_OF(outside_its_own_mask),
      ONE_OF(lanes_that_never_come),
      ONE_OF(vote_in_two_places),
      ONE_OF(early_return),
      ONE_OF(syncwarp_in_two_places),
      ONE_OF(the_same_for_all),
      ONE_OF(tasks_of_warps),
      ONE_OF(masks_of_parts),
      ONE_OF(sum_of_active_lanes),
      ONE_OF(sum_with_ended_lanes),
      ONE_OF(sum_of_named_lanes),
      ONE_OF(sums_of_eight),
      ONE_OF(scan_of_lanes),
      ONE_OF(sum_of_a_whole_warp),
      ONE_OF(barrier_skipped_to_the_end),
  };
  return run_one_of(kernels, argc, argv);
}
