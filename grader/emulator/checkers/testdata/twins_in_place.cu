// SPDX-License-Identifier: MIT
// Twins that change memory in place: an array over several blocks, in the order in which blocks see each other's flags,
// and a word by an atomic that only looks.
#include "emulator/checkers/testdata/twins.cuh"

namespace {

constexpr int kBlock = 64;
constexpr int kBlocks = 8;

__device__ void wait_for(const volatile unsigned* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
}

/// A block stores into the tile that the block before it has loaded.
TWIN(shift_by_a_tile) {
  volatile unsigned* const loaded = words;
  const int i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  const int value = out[i];  // race
  if (!Racy) __syncthreads();
  if (threadIdx.x == 0) loaded[blockIdx.x] = 1;
  if (blockIdx.x == 0) return;
  wait_for(&loaded[blockIdx.x - 1]);
  out[i - kBlock] = value + in[i];  // race
}

/// It stores into an earlier one, and has seen only the block between, which has seen that one.
TWIN(shift_by_two_tiles) {
  volatile unsigned* const loaded = words;
  const int block = static_cast<int>(blockIdx.x);
  const int i = block * kBlock + static_cast<int>(threadIdx.x);
  const int value = out[i];  // race
  __syncthreads();
  if (!Racy && block > 0) wait_for(&loaded[block - 1]);
  if (threadIdx.x == 0) loaded[block] = 1;
  if (block < 2) return;
  if (Racy) wait_for(&loaded[block - 1]);
  out[i - 2 * kBlock] = value + in[i];  // race
}

/// The threads that store have not met the one that has seen the flag.
TWIN(seen_by_another_warp) {
  volatile unsigned* const loaded = words;
  const int i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  const int value = out[i];  // race
  __syncthreads();
  if (threadIdx.x == 0) loaded[blockIdx.x] = 1;
  if (blockIdx.x == 0) return;
  if (threadIdx.x == 0) {
    while (loaded[blockIdx.x - 1] == 0) {
    }
  }
  if (!Racy) __syncthreads();
  out[i - kBlock] = value + in[i];  // race
}

/// A flag alone orders no load behind a store.
TWIN(stored_before_the_flag) {
  volatile unsigned* const stored = words;
  const int i = static_cast<int>(blockIdx.x * kBlock + threadIdx.x);
  out[i] = in[i];  // race
  if (!Racy) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) stored[blockIdx.x] = 1;
  if (blockIdx.x == 0) return;
  wait_for(&stored[blockIdx.x - 1]);
  if (!Racy) __threadfence();
  out[kBlocks * kBlock + i] = out[i - kBlock];  // race
}

/// An atomic that only looks, and a store of more than it saw.
TWIN(stored_after_a_look) {
  if (threadIdx.x != 0) return;
  const unsigned before = atomicAdd(&words[0], Racy ? 0u : 1u);        // race
  if (Racy) *static_cast<volatile unsigned*>(&words[0]) = before + 1;  // race
}

}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(shift_by_a_tile, kBlocks, kBlock),      CASE(shift_by_two_tiles, kBlocks, kBlock),
      CASE(seen_by_another_warp, kBlocks, kBlock), CASE(stored_before_the_flag, kBlocks, kBlock),
      CASE(stored_after_a_look, kBlocks, kBlock),
  };
  return run_twins(cases, argc, argv);
}
