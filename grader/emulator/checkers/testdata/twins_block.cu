// SPDX-License-Identifier: MIT
// Twins whose threads share a block's memory and order themselves by its barrier.
#include "emulator/checkers/testdata/twins.cuh"

namespace {

constexpr int kBlock = 128;
constexpr int kTile = 16;

TWIN(reverse) {
  __shared__ int tile[kBlock];
  const int t = threadIdx.x;
  tile[t] = in[t];  // race
  if (!Racy) __syncthreads();
  out[t] = tile[kBlock - 1 - t];  // race
}

TWIN(matmul_before_use) {
  __shared__ int a[kTile][kTile], b[kTile][kTile];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  int sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    a[y][x] = in[y * 64 + tile * kTile + x];    // race
    b[y][x] = in[(tile * kTile + y) * 64 + x];  // race
    if (!Racy) __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      const int left = a[y][k];   // race
      const int right = b[k][x];  // race
      sum += left * right;
    }
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TWIN(matmul_after_use) {
  __shared__ int a[kTile][kTile], b[kTile][kTile];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  int sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    a[y][x] = in[y * 64 + tile * kTile + x];    // race
    b[y][x] = in[(tile * kTile + y) * 64 + x];  // race
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      const int left = a[y][k];   // race
      const int right = b[k][x];  // race
      sum += left * right;
    }
    if (!Racy) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TWIN(tree_reduction) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];  // race
    if (!Racy) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

TWIN(use_of_a_total) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) {
    int sum = 0;
    for (int i = 0; i < kBlock; ++i) sum += in[i];
    total = sum;  // race
  }
  if (!Racy) __syncthreads();
  out[t] = in[t] + total;  // race
}

TWIN(reuse_of_a_broadcast) {
  __shared__ int value;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) value = in[round];  // race
    __syncthreads();
    sum += value;  // race
    if (!Racy) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TWIN(scan_in_place) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < kBlock; distance *= 2) {
    const int left = t >= distance ? sums[t - distance] : 0;  // race
    if (!Racy) __syncthreads();
    sums[t] += left;  // race
    __syncthreads();
  }
  out[t] = sums[t];
}

/// One barrier a step is enough, as each step writes the other half.
TWIN(scan_double_buffered) {
  __shared__ int sums[2][kBlock];
  const int t = threadIdx.x;
  int now = 0;
  sums[0][t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < kBlock; distance *= 2) {
    const int next = Racy ? now : 1 - now;
    const int left = t >= distance ? sums[now][t - distance] : 0;  // race
    sums[next][t] = sums[now][t] + left;                           // race
    now = next;
    __syncthreads();
  }
  out[t] = sums[now][t];
}

TWIN(scan_up_and_down) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x;
  sums[t] = in[t];
  for (int width = 1; width < kBlock; width *= 2) {
    __syncthreads();
    const int right = (t + 1) * width * 2 - 1;
    if (right < kBlock) sums[right] += sums[right - width];
  }
  __syncthreads();
  if (t == 0) sums[kBlock - 1] = 0;  // race
  for (int width = kBlock / 2; width > 0; width /= 2) {
    if (!Racy) __syncthreads();
    const int right = (t + 1) * width * 2 - 1;
    if (right >= kBlock) continue;
    const int left = sums[right - width];  // race
    sums[right - width] = sums[right];     // race
    sums[right] += left;                   // race
  }
  __syncthreads();
  out[t] = sums[t];
}

TWIN(transpose) {
  __shared__ int tile[kTile][kTile + 1];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  tile[y][x] = in[y * kTile + x];  // race
  if (!Racy) __syncthreads();
  out[y * kTile + x] = tile[x][y];  // race
}

TWIN(transpose_several_tiles) {
  __shared__ int tile[kTile][kTile + 1];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  for (int number = 0; number < 3; ++number) {
    const int at = number * kTile * kTile + y * kTile + x;
    tile[y][x] = in[at];  // race
    __syncthreads();
    out[at] = tile[x][y];  // race
    if (!Racy) __syncthreads();
  }
}

TWIN(stencil_halo) {
  __shared__ int tile[kBlock + 2];
  const int t = threadIdx.x, i = blockIdx.x * kBlock + t + 1;
  tile[t + 1] = in[i];  // race
  if (t == 0) {
    tile[0] = in[i - 1];                // race
    tile[kBlock + 1] = in[i + kBlock];  // race
  }
  if (!Racy) __syncthreads();
  const int left = tile[t];       // race
  const int right = tile[t + 2];  // race
  out[i] = left + tile[t + 1] + right;
}

/// Every second barrier is one too few: a warp may be a step ahead of another.
TWIN(double_buffer) {
  __shared__ int buffer[2][kBlock];
  const int t = threadIdx.x;
  int sum = 0;
  buffer[0][t] = in[t];
  __syncthreads();
  for (int step = 0; step < 6; ++step) {
    buffer[(step + 1) % 2][t] = in[(step + 1) * kBlock + t];  // race
    sum += buffer[step % 2][(t + 40) % kBlock];               // race
    if (!Racy || step % 2 == 0) __syncthreads();
  }
  out[t] = sum;
}

TWIN(histogram) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  for (int i = t; i < 1024; i += kBlock) {
    const int bin = in[i] % 16;
    if (Racy) {
      ++bins[bin];  // race
    } else {
      atomicAdd(&bins[bin], 1);
    }
  }
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}

TWIN(histogram_not_cleared_in_time) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;  // race
  if (!Racy) __syncthreads();
  atomicAdd(&bins[in[t] % 16], 1);  // race
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}

TWIN(histogram_read_too_early) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % 16], 1);  // race
  if (!Racy) __syncthreads();
  if (t < 16) out[t] = bins[t];  // race
}

TWIN(bitonic_sort) {
  __shared__ int keys[kBlock];
  const int t = threadIdx.x;
  keys[t] = in[t] * 131 + t;
  __syncthreads();
  for (int size = 2; size <= kBlock; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = t ^ stride;
      if (other > t) {
        const int mine = keys[t];        // race
        const int theirs = keys[other];  // race
        if ((mine > theirs) == ((t & size) == 0)) {
          keys[t] = theirs;    // race
          keys[other] = mine;  // race
        }
      }
      if (!Racy) __syncthreads();
    }
  }
  __syncthreads();
  out[t] = keys[t];
}

TWIN(odd_even_sort) {
  __shared__ int keys[2 * kBlock];
  const int t = threadIdx.x;
  keys[2 * t] = in[2 * t];
  keys[2 * t + 1] = in[2 * t + 1];
  __syncthreads();
  for (int phase = 0; phase < 8; ++phase) {
    const int left = 2 * t + phase % 2;
    if (left + 1 < 2 * kBlock) {
      const int a = keys[left];      // race
      const int b = keys[left + 1];  // race
      keys[left] = min(a, b);        // race
      keys[left + 1] = max(a, b);    // race
    }
    if (!Racy) __syncthreads();
  }
  __syncthreads();
  out[t] = keys[2 * t] + keys[2 * t + 1];
}

TWIN(compaction) {
  __shared__ int keep[kBlock], places[kBlock];
  const int t = threadIdx.x;
  keep[t] = in[t] % 3 == 0;  // race
  if (!Racy) __syncthreads();
  if (t == 0) {
    int next = 0;
    for (int i = 0; i < kBlock; ++i) {
      places[i] = next;
      next += keep[i] != 0;  // race
    }
  }
  __syncthreads();
  if (keep[t]) out[places[t]] = in[t];
}

/// Threads that have returned no longer count at barriers.
TWIN(early_return) {
  __shared__ int tile[kBlock];
  const int t = threadIdx.x;
  if (t >= 100) return;
  tile[t] = in[t];  // race
  if (!Racy) __syncthreads();
  out[t] = tile[99 - t];  // race
}

/// Warps that do unequal amounts of work between the same barriers.
TWIN(uneven_work) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    int sum = 0;
    for (int i = 0; i <= t / 32 * 5 + t % 7; ++i) sum += in[i + round];
    sums[t] = sum;  // race
    if (!Racy) __syncthreads();
    out[round * kBlock + t] = sums[(t * 5 + 3) % kBlock];  // race
    __syncthreads();
  }
}

__device__ __noinline__ void barrier_of_a_function(int* value) {
  *value += 1;
  __syncthreads();
}
__device__ __noinline__ void no_barrier_of_a_function(int* value) { *value += 1; }

TWIN(barrier_in_a_function) {
  __shared__ int tile[kBlock];
  const int t = threadIdx.x;
  int value = in[t];
  tile[t] = value;  // race
  if (Racy) {
    no_barrier_of_a_function(&value);
  } else {
    barrier_of_a_function(&value);
  }
  out[t] = value + tile[(t + 64) % kBlock];  // race
}

/// All who write it write the same.
TWIN(found_flag) {
  __shared__ int found;
  const int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (in[t] > 50) found = Racy ? t + 1 : 1;  // race
  __syncthreads();
  out[t] = found;
}

TWIN(sum_of_warps) {
  __shared__ int sums[kBlock / 32];
  const int t = threadIdx.x;
  int sum = in[t];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (t % 32 == 0) sums[t / 32] = sum;  // race
  if (!Racy) __syncthreads();
  if (t == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3];  // race
}

TWIN(relaxation) {
  __shared__ int cells[kBlock + 2];
  const int t = threadIdx.x + 1;
  cells[t] = in[t];
  if (t == 1) cells[0] = cells[kBlock + 1] = 0;
  __syncthreads();
  for (int sweep = 0; sweep < 4; ++sweep) {
    const int next = (cells[t - 1] + cells[t + 1]) / 2;  // race
    if (!Racy) __syncthreads();
    cells[t] = next;  // race
    __syncthreads();
  }
  out[t] = cells[t];
}

TWIN(maximum) {
  __shared__ int most;
  const int t = threadIdx.x;
  if (t == 0) most = 0;
  __syncthreads();
  if (Racy) {
    if (in[t] > most) most = in[t];  // race
  } else {
    atomicMax(&most, in[t]);
  }
  __syncthreads();
  out[t] = most;
}

TWIN(shift_in_place) {
  __shared__ int row[kBlock + 1];
  const int t = threadIdx.x;
  row[t] = in[t];
  if (t == 0) row[kBlock] = 0;
  __syncthreads();
  const int next = row[t + 1];  // race
  if (!Racy) __syncthreads();
  row[t] = next;  // race
  __syncthreads();
  out[t] = row[t];
}

/// A volatile loop variable makes no barrier of it, and the ring has one slot too few.
TWIN(ring) {
  constexpr int kSlots = Racy ? 1 : 2;
  __shared__ int ring[kSlots][32];
  const int t = threadIdx.x;
  int sum = 0;
  for (int step = 0; step < 5; ++step) {
    if (t < 32) ring[step % kSlots][t] = in[step * 32 + t];  // race
    __syncthreads();
    if (t >= 32) sum += ring[step % kSlots][t % 32];  // race
  }
  out[t] = sum;
}

/// The first thread puts the counter back while others still draw from it.
TWIN(counter_put_back) {
  __shared__ int next;
  const int t = threadIdx.x;
  if (t == 0) next = 0;
  __syncthreads();
  int sum = atomicAdd(&next, 1);  // race
  if (!Racy) __syncthreads();
  if (t == 0) next = 1000;  // race
  __syncthreads();
  sum += atomicAdd(&next, 1);
  atomicAdd(out, sum);
}

/// Thread 0 alone prepares what all use; a fence is no barrier.
TWIN(fence_is_no_barrier) {
  __shared__ int prepared;
  if (threadIdx.x == 0) prepared = in[0];  // race
  if (Racy) {
    __threadfence_block();
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = prepared;  // race
}

/// A barrier in a loop that all threads run equally often, whatever their number.
TWIN(barrier_in_a_loop) {
  __shared__ int line[kBlock];
  const int t = threadIdx.x;
  int value = in[t];
  for (int n = in[0] + 5; n > 0; n /= 2) {
    line[t] = value;  // race
    if (!Racy) __syncthreads();
    value = line[(t + n) % kBlock];  // race
    __syncthreads();
  }
  out[t] = value;
}

/// More barriers than a small number of a time could count.
TWIN(many_barriers) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  int sum = 0;
  values[t] = 0;
  __syncthreads();
  for (int round = 0; round < 3000; ++round) {
    values[t] = round + t;  // race
    if (!Racy) __syncthreads();
    sum ^= values[(t + 32) % kBlock];  // race
    __syncthreads();
  }
  out[t] = sum;
}

/// The compiler asks both conditions at once, and lets all threads load.
TWIN(own_sum_of_the_first) {
  __shared__ int sums[kBlock];
  const int t = threadIdx.x;
  sums[t] = in[t];
  for (int left = kBlock; left > 1; left -= left / 2) {
    __syncthreads();
    if (t < left / 2) sums[t] += sums[left - 1 - t];  // race
  }
  if (t == (Racy ? 1 : 0) && sums[0] != 0) out[0] = sums[0];  // race
}
/// The source asks one thread for what compilers let all threads load.
TWIN(loads_of_one_thread) {
  __shared__ int counts[kBlock], flags[kBlock];
  const int t = threadIdx.x;
  counts[t] = in[t];
  flags[t] = in[t + 1];
  __syncthreads();
  counts[t] += 1;
  flags[t] ^= 1;
  const bool is_first = Racy ? t < 2 : t == 0;
  int sum = is_first && counts[0] > 3;                       // race
  sum += is_first ? counts[0] & 7 : 0;                       // race
  if (is_first && sum < 50 && flags[0] == 0) sum += 3;       // race
  if (!is_first || flags[0] * 2 > counts[0]) sum -= t;       // race
  if (t % 64 == (Racy ? 1 : 0) && t < 64) sum += counts[0];  // race
  out[t] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(reverse, 2, kBlock),
      CASE(matmul_before_use, 1, kTile * kTile),
      CASE(matmul_after_use, 1, kTile * kTile),
      CASE(tree_reduction, 3, kBlock),
      CASE(use_of_a_total, 1, kBlock),
      CASE(reuse_of_a_broadcast, 1, kBlock),
      CASE(scan_in_place, 1, kBlock),
      CASE(scan_double_buffered, 1, kBlock),
      CASE(scan_up_and_down, 1, kBlock),
      CASE(transpose, 1, kTile * kTile),
      CASE(transpose_several_tiles, 1, kTile * kTile),
      CASE(stencil_halo, 4, kBlock),
      CASE(double_buffer, 1, kBlock),
      CASE(histogram, 1, kBlock),
      CASE(histogram_not_cleared_in_time, 1, kBlock),
      CASE(histogram_read_too_early, 1, kBlock),
      CASE(bitonic_sort, 1, kBlock),
      CASE(odd_even_sort, 1, kBlock),
      CASE(compaction, 1, kBlock),
      CASE(early_return, 1, kBlock),
      CASE(uneven_work, 1, kBlock),
      CASE(barrier_in_a_function, 1, kBlock),
      CASE(found_flag, 1, kBlock),
      CASE(sum_of_warps, 1, kBlock),
      CASE(relaxation, 1, kBlock),
      CASE(maximum, 1, kBlock),
      CASE(shift_in_place, 1, kBlock),
      CASE(ring, 1, kBlock),
      CASE(counter_put_back, 1, kBlock),
      CASE(fence_is_no_barrier, 1, kBlock),
      CASE(barrier_in_a_loop, 1, kBlock),
      CASE(many_barriers, 1, kBlock),
      CASE(own_sum_of_the_first, 1, kBlock),
      CASE(loads_of_one_thread, 1, kBlock),
  };
  return run_twins(cases, argc, argv);
}
