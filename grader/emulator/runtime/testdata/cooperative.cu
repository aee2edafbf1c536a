// SPDX-License-Identifier: MIT
// Cooperative groups: blocks, tiles, coalesced threads and the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "emulator/runtime/testdata/expect.h"

namespace cg = cooperative_groups;

// out[i] = sum of all data, through two grid-wide steps.
__global__ void sum_over_grid(const int* data, int* partial, int* out, int count) {
  const cg::grid_group grid = cg::this_grid();
  int sum = 0;
  for (int i = grid.thread_rank(); i < count; i += grid.size()) sum += data[i];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  sum = cg::reduce(tile, sum, cg::plus<int>());
  __shared__ int sums[32];
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    for (int i = 1; i < tile.meta_group_size(); ++i) sums[0] += sums[i];
    partial[grid.block_rank()] = sums[0];
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    for (unsigned i = 1; i < grid.num_blocks(); ++i) partial[0] += partial[i];
  }
  grid.sync();
  out[grid.thread_rank()] = partial[0];
}

__global__ void count_coalesced(int* out) {
  const auto block = cg::this_thread_block();
  if (block.thread_rank() % 3 == 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(out, active.size());
    const int ranks = cg::reduce(active, static_cast<int>(active.thread_rank()), cg::plus<int>());
    if (active.thread_rank() == 0) atomicAdd(out + 1, ranks);
  }
  const auto tile = cg::tiled_partition<4>(block);
  if (tile.shfl(block.thread_rank(), 0) == tile.meta_group_rank() * 4) atomicAdd(out + 2, 1);
  if (tile.all(tile.size() == 4)) atomicAdd(out + 3, 1);
}

/// A barrier of one's own, by a counter: right where the whole grid is resident.
__global__ void wait_for_all(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*reinterpret_cast<volatile int*>(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
}

void fill_the_device() {
  int for_each, multiprocessors, *arrived;
  EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&for_each, wait_for_all, 32, 0));
  EXPECT_SUCCESS(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_SUCCESS(cudaMallocManaged(&arrived, sizeof(int)));
  *arrived = 0;
  const int blocks = for_each * multiprocessors;
  EXPECT(blocks > 1024);
  wait_for_all<<<blocks, 32>>>(arrived);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(*arrived == blocks);
  EXPECT_SUCCESS(cudaFree(arrived));
}

int main() {
  fill_the_device();
  constexpr int kBlocks = 24, kThreads = 128, kCount = 10'000;
  int *data, *partial, *out;
  EXPECT_SUCCESS(cudaMallocManaged(&data, kCount * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&partial, kBlocks * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&out, kBlocks * kThreads * sizeof(int)));
  int sum = 0, count = kCount;
  for (int i = 0; i < kCount; ++i) sum += data[i] = i % 17;
  void* arguments[] = {&data, &partial, &out, &count};
  auto* kernel = reinterpret_cast<void*>(sum_over_grid);
  EXPECT_SUCCESS(cudaLaunchCooperativeKernel(kernel, kBlocks, kThreads, arguments));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == sum && out[kBlocks * kThreads - 1] == sum);

  out[0] = 0;
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = kThreads;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  EXPECT_SUCCESS(cudaLaunchKernelExC(&config, kernel, arguments));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == sum);

  int per_sm = 0, sms = 0;
  EXPECT_SUCCESS(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum_over_grid, kThreads, 0));
  EXPECT_SUCCESS(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_ERROR(cudaLaunchCooperativeKernel(kernel, per_sm * sms + 1, kThreads, arguments),
               cudaErrorCooperativeLaunchTooLarge);

  for (int i = 0; i < 4; ++i) out[i] = 0;
  count_coalesced<<<1, 96>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 32 && out[2] == 96 && out[3] == 96);
  EXPECT(out[1] == 55 + 55 + 45);
  return failures;
}
