// SPDX-License-Identifier: MIT
// Twins whose threads share global memory: counters, flags, locks, and blocks that wait for blocks.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "emulator/checkers/testdata/twins.cuh"

namespace {

namespace cg = cooperative_groups;

constexpr int kBlock = 64;
constexpr int kBlocks = 8;

__device__ int thread_of_grid() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

TWIN(counter) {
  if (in[thread_of_grid()] % 2 != 0) return;
  if (Racy) {
    ++out[0];  // race
  } else {
    atomicAdd(out, 1);
  }
}

TWIN(sum_of_blocks) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[thread_of_grid()]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (Racy) {
    out[0] += sum;  // race
  } else {
    atomicAdd(out, sum);
  }
}

/// volatile brings a store to memory, and says nothing of when other blocks see it.
TWIN(volatile_sums_of_blocks) {
  volatile float* const sums = reinterpret_cast<float*>(out) + 1;
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = static_cast<float>(in[thread_of_grid()]);
    if (!Racy) __threadfence();
    is_last = atomicAdd(&words[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  float sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) sum += sums[block];  // race
  out[0] = static_cast<int>(sum);
}

/// Who compares a value can wait for it.
TWIN(volatile_values_that_are_waited_for) {
  volatile double* const values = reinterpret_cast<double*>(out + 2);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    values[blockIdx.x] = 1.5 * in[thread_of_grid()];
    is_last = atomicAdd(&words[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= gridDim.x) return;
  double value = 0;
  if (Racy) {
    value = values[threadIdx.x];  // race
  } else {
    while (value == 0) value = values[threadIdx.x];
  }
  out[100 + threadIdx.x] = static_cast<int>(value);
}

TWIN(maximum_of_a_grid) {
  const int value = in[thread_of_grid()] * 10 + static_cast<int>(blockIdx.x);
  if (Racy) {
    if (value > out[0]) out[0] = value;  // race
  } else {
    atomicMax(out, value);
  }
}

/// The loop of the CUDA C++ Programming Guide: its first look is a plain one, which only costs a
/// turn when it is stale.
TWIN(compare_and_swap) {
  const unsigned value = static_cast<unsigned>(in[thread_of_grid()]);
  unsigned old = words[0];  // race
  if (Racy) {
    words[0] = old + value;  // race
  } else {
    unsigned assumed;
    do {
      assumed = old;
      old = atomicCAS(&words[0], assumed, assumed + value);
    } while (assumed != old);
  }
}

/// The guess is read at an address that is a register and a number; the atomic function's is a sum.
TWIN(compare_and_swap_of_an_element) {
  const unsigned value = static_cast<unsigned>(in[thread_of_grid()]);
  unsigned old = words[2];  // race
  if (Racy) {
    words[2] = old + value;  // race
  } else {
    unsigned assumed;
    do {
      assumed = old;
      old = atomicCAS(&words[2], assumed, assumed + value);
    } while (assumed != old);
  }
}

TWIN(last_block) {
  int* const partial = out + 100;
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < kBlock; ++i) sum += in[blockIdx.x * kBlock + i];
    partial[blockIdx.x] = sum;  // race
    if (!Racy) __threadfence();
    is_last = atomicInc(&words[0], gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x < kBlocks) {
    const int part = partial[threadIdx.x];  // race
    atomicAdd(out, part);
  }
}

/// Every thread writes and fences; the barrier hands all of it to the thread that tells.
TWIN(last_block_of_many_writers) {
  int* const results = out + 1000;
  __shared__ bool is_last;
  results[thread_of_grid()] = in[thread_of_grid()];  // race
  if (!Racy) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&words[0], 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = threadIdx.x; i < kBlock * kBlocks; i += kBlock) sum += results[i];  // race
  atomicAdd(out, sum);
}

/// One fence after the barrier is enough for the whole block's writes.
TWIN(fence_behind_a_barrier) {
  int* const results = out + 1000;
  __shared__ bool is_last;
  results[thread_of_grid()] = in[thread_of_grid()] * 2;  // race
  __syncthreads();
  if (threadIdx.x == 0) {
    if (!Racy) __threadfence();
    is_last = atomicAdd(&words[0], 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int i = threadIdx.x; i < kBlock * kBlocks; i += kBlock) sum += results[i];  // race
  atomicAdd(out, sum);
}

TWIN(flag) {
  volatile unsigned* const ready = words;
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    out[1] = in[1];  // race
    if (!Racy) __threadfence();
    *ready = 1;
  } else {
    if (threadIdx.x != 0) return;
    while (*ready == 0) {
    }
    __threadfence();
    out[1 + blockIdx.x] = out[1] + 1;  // race
  }
}

/// A barrier of one block says nothing to another.
TWIN(barrier_between_blocks) {
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  out[block * kBlock + t] = in[t] + block;  // race
  __syncthreads();
  const int from = Racy ? (block + 1) % kBlocks : block;
  out[1000 + block * kBlock + t] = out[from * kBlock + kBlock - 1 - t];  // race
}

TWIN(lock) {
  if (threadIdx.x != 0) return;
  if (!Racy) {
    while (atomicCAS(&words[0], 0u, 1u) != 0u) {
    }
    __threadfence();
  }
  out[0] += in[blockIdx.x];  // race
  out[1] = out[0] * 2;       // race
  if (!Racy) {
    __threadfence();
    atomicExch(&words[0], 0u);
  }
}

TWIN(two_locks) {
  if (threadIdx.x != 0) return;
  unsigned* const mutex = words + (Racy ? blockIdx.x % 2 : 0);
  while (atomicCAS(mutex, 0u, 1u) != 0u) __nanosleep(20);
  __threadfence();
  out[0] += in[blockIdx.x];  // race
  __threadfence();
  atomicExch(mutex, 0u);
}

TWIN(unlock_without_a_fence) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&words[0], 0u, 1u) != 0u) {
  }
  __threadfence();
  out[0] += in[blockIdx.x];  // race
  if (!Racy) __threadfence();
  atomicExch(&words[0], 0u);
}

TWIN(reader_without_the_lock) {
  if (threadIdx.x != 0) return;
  const bool takes = !Racy || blockIdx.x % 2 == 0;
  if (takes) {
    while (atomicCAS(&words[0], 0u, 1u) != 0u) {
    }
    __threadfence();
  }
  if (blockIdx.x % 2 == 0) {
    out[0] += in[blockIdx.x];  // race
  } else if (out[0] < 0) {     // race
    out[1] = 1;
  }
  if (takes) {
    __threadfence();
    atomicExch(&words[0], 0u);
  }
}

TWIN(phases_of_a_grid) {
  const int i = thread_of_grid();
  const int n = kBlock * kBlocks;
  out[i] = in[i];  // race
  if (!Racy) cg::this_grid().sync();
  out[1000 + i] = out[(i + kBlock) % n];  // race
}

TWIN(scope_of_a_block) {
  const int value = in[thread_of_grid()];
  if (Racy) {
    atomicAdd_block(out, value);  // race
  } else {
    atomicAdd(out, value);
  }
}

TWIN(plain_look_at_a_counter) {
  if (threadIdx.x % 32 != 0) return;
  if (blockIdx.x % 2 == 0) {
    atomicAdd(&words[0], 1u);  // race
  } else {
    const unsigned seen = Racy ? words[0] : atomicAdd(&words[0], 0u);  // race
    if (seen > 1000u) out[0] = 1;
  }
}

/// Filters rows of an image; the racy twin writes into the image that its neighbours read.
TWIN(filter_in_place) {
  const int i = thread_of_grid(), n = kBlock * kBlocks;
  int* const image = out;
  image[i] = in[i];
  __syncthreads();
  const int t = static_cast<int>(threadIdx.x);
  const int left = t > 0 ? image[i - 1] : 0;            // race
  const int right = t < kBlock - 1 ? image[i + 1] : 0;  // race
  int* const target = Racy ? image : out + n;
  target[i] = (left + in[i] + right) / 3;  // race
}

/// Each pair of elements is swapped by one thread; in the racy twin by both.
TWIN(transpose_in_place) {
  constexpr int kSide = 32;
  const int y = static_cast<int>(blockIdx.x), x = static_cast<int>(threadIdx.x);
  int* const square = out;
  if (x >= kSide || y >= kSide) return;
  if (Racy ? x == y : x <= y) return;
  const int a = square[y * kSide + x];  // race
  const int b = square[x * kSide + y];  // race
  square[y * kSide + x] = b + x + 1;    // race
  square[x * kSide + y] = a + y + 2;    // race
}

/// The last column of each block's tile is the first one of the next.
TWIN(overlapping_blocks) {
  const int t = static_cast<int>(threadIdx.x);
  const int stride = Racy ? kBlock - 1 : kBlock;
  out[blockIdx.x * stride + t] = in[t] + static_cast<int>(blockIdx.x) * 1000;  // race
}

/// Both blocks at an edge write it, with the same value or with two.
TWIN(edges_written_twice) {
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int i = block * (kBlock - 1) + t;
  out[i] = in[i] + (Racy ? block : 0);  // race
}

TWIN(one_too_far) {
  const int i = thread_of_grid();
  for (int k = 0; k < (Racy ? 3 : 2); ++k) out[2 * i + k] = in[i] + k * 200;  // race
}

/// Level after level, whoever reaches a node first puts it on the list.
TWIN(breadth_first) {
  const int t = thread_of_grid();
  const int node = in[t] * 5 % 40;
  int* const frontier = out;
  if (Racy) {
    if (words[100 + node] == 0) {                          // race
      words[100 + node] = static_cast<unsigned>(t) + 1;    // race
      frontier[atomicAdd(&words[0], 1u) % kBlock] = node;  // race
    }
  } else if (atomicCAS(&words[100 + node], 0u, 1u) == 0u) {
    frontier[atomicAdd(&words[0], 1u)] = node;
  }
}

/// A node pulls from its neighbours, or pushes to one that others push to as well.
TWIN(push_instead_of_pull) {
  const int node = thread_of_grid();
  const int neighbour = in[node] % 50;
  if (Racy) {
    out[neighbour] += node;  // race
  } else {
    out[node] = in[neighbour] + in[neighbour + 1];
  }
}

TWIN(work_list) {
  const int item = thread_of_grid();
  if (in[item] % 4 != 0) return;
  unsigned slot = 0;
  if (Racy) {
    slot = words[0];      // race
    words[0] = slot + 1;  // race
  } else {
    slot = atomicAdd(&words[0], 1u);
  }
  out[slot] = item;  // race
}

/// Blocks number themselves in the order in which they begin, and look back at those before.
TWIN(look_back) {
  __shared__ int number, before;
  volatile int* const status = out;
  volatile int* const values = out + 100;
  int* const plain = out + 100;
  if (threadIdx.x == 0) {
    number = static_cast<int>(atomicAdd(&words[0], 1u));
    before = 0;
    if (number > 0) {
      while (status[number - 1] == 0) {
      }
      __threadfence();
      if (Racy) {
        before = plain[number - 1];  // race
      } else {
        before = values[number - 1];
      }
    }
    plain[number] = before + in[number];  // race
    if (!Racy) __threadfence();
    status[number] = 1;
  }
  __syncthreads();
  out[200 + number * kBlock + threadIdx.x] = before;
}

/// Value and flag in one word need no fence.
TWIN(value_and_flag_in_one_word) {
  if (threadIdx.x != 0) return;
  volatile unsigned* const flagged = words;
  if (blockIdx.x == 0) {
    if (Racy) {
      out[0] = in[5];  // race
      flagged[0] = 0x80000000u;
    } else {
      flagged[0] = 0x80000000u | static_cast<unsigned>(in[5]);
    }
  } else {
    unsigned seen = 0;
    while ((seen = flagged[0]) == 0) {
    }
    out[blockIdx.x] = Racy ? out[0] : static_cast<int>(seen & 0x7FFFFFFFu);  // race
  }
}

/// Each block waits for the one before and hands on a sum.
TWIN(chain_of_blocks) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  if (blockIdx.x > 0) {
    while (atomicAdd(&words[blockIdx.x], 0u) == 0u) {
    }
    __threadfence();
    sum = out[blockIdx.x - 1];  // race
  }
  out[blockIdx.x] = sum + in[blockIdx.x];  // race
  if (!Racy) __threadfence();
  atomicExch(&words[blockIdx.x + 1], 1u);
}

TWIN(release_and_acquire) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(words[0]);
  constexpr auto kStore = Racy ? cuda::memory_order_relaxed : cuda::memory_order_release;
  constexpr auto kLoad = Racy ? cuda::memory_order_relaxed : cuda::memory_order_acquire;
  if (blockIdx.x == 0) {
    out[1] = in[1];  // race
    ready.store(1, kStore);
  } else {
    while (ready.load(kLoad) == 0) {
    }
    out[1 + blockIdx.x] = out[1] + 1;  // race
  }
}

/// A relaxed counter orders nothing, and here nothing needs an order.
TWIN(relaxed_counter) {
  const int i = thread_of_grid();
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(words[0]);
  const unsigned place = count.fetch_add(1, cuda::memory_order_relaxed);
  out[Racy ? place / 2 : place] = i;  // race
}

TWIN(acquire_and_release_of_a_lock) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> mutex(words[0]);
  constexpr auto kUnlock = Racy ? cuda::memory_order_relaxed : cuda::memory_order_release;
  while (mutex.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  out[0] += in[blockIdx.x];  // race
  mutex.store(0, kUnlock);
}

/// Pixels of one byte: each thread changes its own, next to its neighbours'.
TWIN(pixels) {
  unsigned char* const image = reinterpret_cast<unsigned char*>(out);
  const int i = thread_of_grid();
  const int mine = Racy ? i ^ (i & 1) : i;
  image[mine] = static_cast<unsigned char>(image[mine] / 2 + in[i]);  // race
}

TWIN(grid_stride) {
  const int stride = Racy ? kBlock : kBlock * kBlocks;
  for (int i = thread_of_grid(); i < 2048; i += stride) out[i] += in[i] + 1;  // race
}

/// Strided columns of one matrix, four bytes here, one there.
TWIN(columns) {
  const int i = thread_of_grid();
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(out);
  if (i % 2 == 0) {
    out[2 * i] = in[i] + 0x01010100;  // race
  } else {
    bytes[8 * (i - 1) + (Racy ? 3 : 4)] = static_cast<unsigned char>(in[i]);  // race
  }
}

/// A result that is handed to another block by an atomic exchange of its place.
TWIN(handed_over_by_exchange) {
  if (threadIdx.x != 0) return;
  const int half = kBlocks / 2, block = static_cast<int>(blockIdx.x);
  if (block < half) {
    out[block] = in[block] + 5;  // race
    if (!Racy) __threadfence();
    atomicExch(&words[block], static_cast<unsigned>(block) + 1u);
  } else {
    unsigned place = 0;
    while ((place = atomicExch(&words[block - half], 0u)) == 0u) __nanosleep(10);
    __threadfence();
    out[100 + block] = out[place - 1] + 1;  // race
  }
}

/// What one block knows it hands on: A to B by one flag, B to C by another.
TWIN(handed_on_twice) {
  if (threadIdx.x != 0 || blockIdx.x > 2) return;
  volatile unsigned* const flags = words;
  if (blockIdx.x == 0) {
    out[0] = in[3];  // race
    if (!Racy) __threadfence();
    flags[0] = 1;
  } else if (blockIdx.x == 1) {
    while (flags[0] == 0) {
    }
    __threadfence();
    flags[1] = 1;
  } else {
    while (flags[1] == 0) {
    }
    __threadfence();
    out[1] = out[0];  // race
  }
}

/// The whole block learns by its barrier what one of its threads has seen.
TWIN(seen_by_one_for_all) {
  volatile unsigned* const ready = words;
  const int t = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0) {
    out[t] = in[t];  // race
    if (!Racy) __threadfence();
    __syncthreads();
    if (t == 0) *ready = 1;
  } else {
    if (t == 0) {
      while (*ready == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * kBlock + t] = out[kBlock - 1 - t];  // race
  }
}

/// A barrier of all blocks made by hand: counts up, then waits for a multiple of all.
TWIN(barrier_of_a_grid_by_hand) {
  const int t = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  for (int round = 0; round < 3; ++round) {
    int* const now = out + round * 1000;
    now[block * kBlock + t] = in[t] * (round + 1) + block;  // race
    if (!Racy) __threadfence();
    __syncthreads();
    if (t == 0) {
      const unsigned all = static_cast<unsigned>(kBlocks * (round + 1));
      atomicAdd(&words[0], 1u);
      while (*static_cast<volatile unsigned*>(&words[0]) < all) {
      }
      __threadfence();
    }
    __syncthreads();
    out[4000 + round * 1000 + block * kBlock + t] =
        now[(block + 1) % kBlocks * kBlock + kBlock - 1 - t];  // race
  }
}

/// More blocks than a small number of a block could tell apart.
TWIN(many_blocks) {
  const int i = thread_of_grid() % 4096;
  if (Racy) {
    if (i < 64) out[i] += static_cast<int>(blockIdx.x);  // race
  } else {
    atomicAdd(&out[i], 1);
  }
}
}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(counter, kBlocks, kBlock),
      CASE(sum_of_blocks, kBlocks, kBlock),
      CASE(volatile_sums_of_blocks, kBlocks, kBlock),
      CASE(volatile_values_that_are_waited_for, kBlocks, kBlock),
      CASE(maximum_of_a_grid, kBlocks, kBlock),
      CASE(compare_and_swap, kBlocks, kBlock),
      CASE(compare_and_swap_of_an_element, kBlocks, kBlock),
      CASE(last_block, kBlocks, kBlock),
      CASE(last_block_of_many_writers, kBlocks, kBlock),
      CASE(fence_behind_a_barrier, kBlocks, kBlock),
      CASE(flag, kBlocks, kBlock),
      CASE(barrier_between_blocks, kBlocks, kBlock),
      CASE(lock, kBlocks, kBlock),
      CASE(two_locks, kBlocks, kBlock),
      CASE(unlock_without_a_fence, kBlocks, kBlock),
      CASE(reader_without_the_lock, kBlocks, kBlock),
      CASE(phases_of_a_grid, kBlocks, kBlock, 0, true),
      CASE(scope_of_a_block, kBlocks, kBlock),
      CASE(plain_look_at_a_counter, kBlocks, kBlock),
      CASE(filter_in_place, kBlocks, kBlock),
      CASE(transpose_in_place, 32, 32),
      CASE(overlapping_blocks, kBlocks, kBlock),
      CASE(edges_written_twice, kBlocks, kBlock),
      CASE(one_too_far, kBlocks, kBlock),
      CASE(breadth_first, kBlocks, kBlock),
      CASE(push_instead_of_pull, kBlocks, kBlock),
      CASE(work_list, kBlocks, kBlock),
      CASE(look_back, kBlocks, kBlock),
      CASE(value_and_flag_in_one_word, kBlocks, kBlock),
      CASE(chain_of_blocks, kBlocks, kBlock),
      CASE(release_and_acquire, kBlocks, kBlock),
      CASE(relaxed_counter, kBlocks, kBlock),
      CASE(acquire_and_release_of_a_lock, kBlocks, kBlock),
      CASE(pixels, kBlocks, kBlock),
      CASE(grid_stride, kBlocks, kBlock),
      CASE(columns, kBlocks, kBlock),
      CASE(handed_over_by_exchange, kBlocks, kBlock),
      CASE(handed_on_twice, kBlocks, kBlock),
      CASE(seen_by_one_for_all, kBlocks, kBlock),
      CASE(barrier_of_a_grid_by_hand, kBlocks, kBlock),
      CASE(many_blocks, 20000, 32),
  };
  return run_twins(cases, argc, argv);
}
