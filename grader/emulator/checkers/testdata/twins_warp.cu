// SPDX-License-Identifier: MIT
// Twins whose threads order themselves inside a warp, or by barriers for some warps of a block.
#include <cooperative_groups.h>

#include "emulator/checkers/testdata/twins.cuh"

namespace {

namespace cg = cooperative_groups;

constexpr int kBlock = 128, kWarp = 32;

__device__ void barrier(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void arrive(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

TWIN(warp_reduction) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x, lane = t % 32;
  sums[t] = in[t];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    const int other = lane < half ? sums[t + half] : 0;  // race
    if (!Racy) __syncwarp();
    sums[t] += other;  // race
    if (!Racy) __syncwarp();
  }
  if (lane == 0) out[t / 32] = sums[t];
}

/// A part of a warp meets, and its first lane hands on what all of it wrote: so does cuda::barrier where no mbarrier is.
TWIN(parts_of_a_warp_hand_on) {
  __shared__ int values[32];
  __shared__ unsigned arrived;
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    const bool is_apart = lane % 8 == 5;
    const unsigned apart = __ballot_sync(~0u, is_apart);
    const unsigned part = is_apart ? apart : ~apart;
    values[lane] = in[lane];  // race
    if (is_apart) {
      if (!Racy) __syncwarp(part);
      if (lane == 5) __threadfence_block(), atomicAdd(&arrived, 4u);
    } else {
      if (!Racy) __syncwarp(part);
      if (lane == 0) __threadfence_block(), atomicAdd(&arrived, 28u);
    }
  } else if (threadIdx.x < 64) {
    while (*const_cast<volatile unsigned*>(&arrived) != 32) {
    }
    __threadfence_block();
    out[lane] = values[31 - lane];  // race
  }
}

/// Lanes that all read the same store the same, and one addition is left.
TWIN(equal_counts) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  volatile unsigned* const shared = &count;
  volatile unsigned* const global = words;
  if (Racy) {
    *shared = *shared + 1;  // race
    *global = *global + 1;  // race
    __threadfence();
    *global = *global * 2 + in[0];  // race
    __threadfence();
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(words + 3));
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(words + 3), "r"(value + 1));  // race
  } else {
    atomicAdd(&count, 1u);
    atomicAdd(words, 1u);
  }
  __syncwarp();
  if (threadIdx.x == 0) out[0] = static_cast<int>(*shared);
}

/// A flag and a bit that all set are none the worse.
TWIN(equal_flags) {
  volatile unsigned *const flag = words, *const bits = words + 1;
  if (*flag == 0) *flag = Racy ? 1 + threadIdx.x : 1;  // race
  *bits = *bits | 4;
  __syncwarp();
  if (threadIdx.x == 0) out[0] = static_cast<int>(*flag + *bits);
}

/// As it was written for devices whose warps ran in lockstep.
TWIN(volatile_reduction) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  if (t < 32) {
    if (Racy) {
      volatile int* const lockstep = sums;
      lockstep[t] = lockstep[t] + lockstep[t + 32];  // race
      lockstep[t] = lockstep[t] + lockstep[t + 16];  // race
      lockstep[t] = lockstep[t] + lockstep[t + 8];   // race
      lockstep[t] = lockstep[t] + lockstep[t + 4];   // race
      lockstep[t] = lockstep[t] + lockstep[t + 2];   // race
      lockstep[t] = lockstep[t] + lockstep[t + 1];   // race
    } else {
      int sum = sums[t] + sums[t + 32];
      for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
      if (t == 0) sums[0] = sum;
    }
  }
  if (t == 0) out[0] = sums[0];
}

TWIN(tile_of_eight) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  values[t] = in[t];  // race
  if (!Racy) tile.sync();
  out[t] = values[t ^ 7];  // race
}

/// The last warp to arrive adds what all have left, as cooperative groups do for tiles of several warps.
TWIN(last_warp_by_shuffle) {
  __shared__ int sums[4], arrived;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) arrived = 0;
  __syncthreads();
  int sum = in[t];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) sums[warp] = sum;  // race
  __syncwarp();
  int before = 0;
  if (lane == 0) {
    const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
    if (Racy)
      asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], 1;"
                   : "=r"(before)
                   : "r"(place)
                   : "memory");
    else
      asm volatile("atom.acq_rel.cta.shared.add.u32 %0, [%1], 1;"
                   : "=r"(before)
                   : "r"(place)
                   : "memory");
  }
  before = __shfl_sync(~0u, before, 0);
  if (before == 3 && lane < 4) out[lane] = sums[lane];  // race
}

/// Exchanges over eight lanes what only tiles of four have waited for.
TWIN(tile_too_small) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  const auto tile = cg::tiled_partition<(Racy ? 4 : 8)>(cg::this_thread_block());
  values[t] = in[t];  // race
  tile.sync();
  out[t] = values[t ^ 7];  // race
}

TWIN(half_warps) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  const unsigned half = t % 32 < 16 ? 0x0000FFFFu : 0xFFFF0000u;
  values[t] = in[t];  // race
  __syncwarp(half);
  out[t] = values[Racy ? t ^ 16 : t ^ 15];  // race
}

TWIN(coalesced_lanes) {
  __shared__ int leaders[kBlock];
  const int t = threadIdx.x;
  if (in[t] % 3 != 0) {
    const auto group = cg::coalesced_threads();
    const int leader = group.shfl(t, 0);
    if (t == leader) leaders[t] = in[t];  // race
    if (!Racy) group.sync();
    out[t] = leaders[leader];  // race
  }
}

TWIN(rows_to_columns) {
  __shared__ int square[kBlock / 32][8][8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  square[warp][lane / 8][lane % 8] = in[threadIdx.x];           // race
  square[warp][lane / 8 + 4][lane % 8] = in[threadIdx.x] + 50;  // race
  if (!Racy) __syncwarp();
  out[threadIdx.x] = square[warp][lane % 8][lane / 8];  // race
}

/// A shuffle exchanges registers; it orders no memory.
TWIN(shuffle_is_no_fence) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  values[t] = in[t];  // race
  int neighbour = 0;
  if (Racy) {
    neighbour = __shfl_xor_sync(~0u, in[t], 1);
  } else {
    __syncwarp();
    neighbour = values[t ^ 1];
  }
  out[t] = neighbour + values[t ^ 3];  // race
}

/// Two pairs of warps, each with a barrier of its own.
TWIN(barrier_of_a_pair) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  values[t] = in[t];  // race
  barrier(1 + t / 64, 64);
  out[t] = values[Racy ? t ^ 64 : t ^ 32];  // race
}

/// Each warp opens the barrier alone.
TWIN(count_too_small) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  values[t] = in[t];  // race
  barrier(1 + (Racy ? t / 32 : t / 64), Racy ? 32 : 64);
  out[t] = values[t ^ 32];  // race
}

/// Warp 0 produces, warp 1 consumes; the racy one says too early that it has.
TWIN(producer_and_consumer) {
  constexpr int kFull = 1, kEmpty = 2;
  __shared__ int slot[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x / 32 == 0) {
    for (int step = 0; step < 4; ++step) {
      if (step > 0) barrier(kEmpty, 64);
      slot[lane] = in[step * 32 + lane];  // race
      arrive(kFull, 64);
    }
  } else {
    int sum = 0;
    for (int step = 0; step < 4; ++step) {
      barrier(kFull, 64);
      if (Racy && step < 3) arrive(kEmpty, 64);
      sum += slot[31 - lane];  // race
      if (!Racy && step < 3) arrive(kEmpty, 64);
    }
    out[lane] = sum;
  }
}

TWIN(consumer_does_not_wait) {
  constexpr int kFull = 1;
  __shared__ int slot[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x / 32 == 0) {
    slot[lane] = in[lane];  // race
    arrive(kFull, 64);
  } else {
    if (Racy) {
      arrive(kFull, 64);
    } else {
      barrier(kFull, 64);
    }
    out[lane] = slot[31 - lane];  // race
  }
}

/// __syncthreads_count is a barrier; a vote is not.
TWIN(count_of_a_block) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  values[t] = in[t];  // race
  const int odd =
      Racy ? __popc(__ballot_sync(~0u, in[t] % 2)) : __syncthreads_count(in[t] % 2 != 0);
  out[t] = values[kBlock - 1 - t] + odd;  // race
}

TWIN(branches_of_a_warp) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    values[t] = in[t];  // race
  } else {
    values[t] = in[t] * 3;  // race
  }
  if (!Racy) __syncwarp();
  out[t] = values[t ^ 1];  // race
}

TWIN(part_of_a_warp_each) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  values[t] = in[t];  // race
  __syncwarp();
  const int from = Racy ? (warp + 1) % 4 : warp;
  out[t] = values[from * 32 + 31 - lane];  // race
}

/// Every thread takes the lock in turn, so those of a warp must let each other through.
TWIN(lock_in_a_warp) {
  const int t = threadIdx.x;
  bool done = false;
  while (!done) {
    if (Racy || atomicCAS(&words[0], 0u, 1u) == 0u) {
      if (!Racy) __threadfence();
      out[0] += in[t];  // race
      if (!Racy) __threadfence();
      if (!Racy) atomicExch(&words[0], 0u);
      done = true;
    }
  }
}

/// One atomic for all the lanes that count in the same bin.
TWIN(leaders_of_a_match) {
  const int t = threadIdx.x, bin = in[t] % 8;
  const unsigned same = __match_any_sync(~0u, bin);
  if (__ffs(same) - 1 != t % 32) return;
  if (Racy) {
    out[bin] += __popc(same);  // race
  } else {
    atomicAdd(&out[bin], __popc(same));
  }
}

/// Lanes that return early are not waited for.
TWIN(lanes_that_left) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  if (t % 32 >= 20) return;
  values[t] = in[t];  // race
  if (!Racy) __syncwarp(0x000FFFFFu);
  out[t] = values[t - t % 32 + 19 - t % 32];  // race
}

/// Tiles of 32 threads in a block sort their own part before the block merges.
TWIN(tiles_then_block) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  values[t] = in[t];  // race
  tile.sync();
  const int other = values[t ^ 31];
  tile.sync();
  values[t] = max(other, in[t]);  // race
  if (Racy) {
    tile.sync();
  } else {
    block.sync();
  }
  out[t] = values[(t + 32) % kBlock];  // race
}

/// The lanes exchange through memory inside a loop that they leave at different times.
TWIN(loop_left_one_by_one) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x, lane = t % 32;
  values[t] = 0;
  __syncwarp();
  int sum = 0;
  unsigned present = ~0u;
  for (int step = 0; step < 32; ++step) {
    present = __ballot_sync(present, lane >= step);
    if (lane < step) break;
    values[t] = in[t] + step;  // race
    if (!Racy) __syncwarp(present);
    sum += values[t - lane + 31];  // race
    if (!Racy) __syncwarp(present);
  }
  out[t] = sum;
}

/// The first lane of each warp writes what all its lanes then read together.
TWIN(leader_of_a_warp) {
  __shared__ int values[kBlock / 32];
  const int t = threadIdx.x, warp = t / 32;
  if (t % 32 == 0) values[warp] = in[t];  // race
  if (!Racy) __syncwarp();
  out[t] = values[warp] + t;  // race
}

TWIN(read_by_all_then_written_by_one) {
  __shared__ int values[kBlock / 32];
  const int t = threadIdx.x, warp = t / 32;
  if (t % 32 == 0) values[warp] = in[t];
  __syncwarp();
  const int value = values[warp];  // race
  if (!Racy) __syncwarp();
  if (t % 32 == 31) values[warp] = value + 1;  // race
  __syncwarp();
  out[t] = value + values[warp];
}

/// The lanes of one warp, in global memory.
TWIN(neighbours_in_place) {
  const int t = threadIdx.x;
  out[t] = in[t];
  __syncwarp();
  const int next = t % 32 == 31 ? 0 : out[t + 1];  // race
  if (!Racy) __syncwarp();
  out[t] = next + in[t];  // race
}

TWIN(doubles_and_halves_of_them) {
  __shared__ double values[kBlock];
  const int t = threadIdx.x;
  values[t] = in[t];  // race
  if (!Racy) __syncwarp();
  const int* const halves = reinterpret_cast<const int*>(values);
  out[t] = halves[2 * (t ^ 1) + 1] & 0xFFF00;  // race
}
}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(warp_reduction, 1, kBlock),
      CASE(volatile_reduction, 1, 64),
      CASE(equal_counts, 1, kWarp),
      CASE(equal_flags, 1, kWarp),
      CASE(tile_of_eight, 1, kBlock),
      CASE(tile_too_small, 1, kBlock),
      CASE(half_warps, 1, kBlock),
      CASE(coalesced_lanes, 1, kBlock),
      CASE(rows_to_columns, 1, kBlock),
      CASE(shuffle_is_no_fence, 1, kBlock),
      CASE(barrier_of_a_pair, 1, kBlock),
      CASE(count_too_small, 1, kBlock),
      CASE(producer_and_consumer, 1, 64),
      CASE(consumer_does_not_wait, 1, 64),
      CASE(count_of_a_block, 1, kBlock),
      CASE(branches_of_a_warp, 1, kBlock),
      CASE(part_of_a_warp_each, 1, kBlock),
      CASE(lock_in_a_warp, 2, 64),
      CASE(leaders_of_a_match, 1, kBlock),
      CASE(lanes_that_left, 1, kBlock),
      CASE(parts_of_a_warp_hand_on, 1, kBlock),
      CASE(tiles_then_block, 1, kBlock),
      CASE(loop_left_one_by_one, 1, kBlock),
      CASE(leader_of_a_warp, 1, kBlock),
      CASE(read_by_all_then_written_by_one, 1, kBlock),
      CASE(neighbours_in_place, 1, kBlock),
      CASE(doubles_and_halves_of_them, 1, kBlock),
      CASE(last_warp_by_shuffle, 1, kBlock),
  };
  return run_twins(cases, argc, argv);
}
