// SPDX-License-Identifier: MIT
// Asynchronous copies of sm_80 and sm_90 as CUDA C++ writes them: pipelines, barriers, bulk copies;
// tiles larger than a warp, which use the memory that such devices reserve.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "emulator/runtime/testdata/expect.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int kThreads = 128;
constexpr int kBytes = kThreads * sizeof(int);

__global__ void by_primitives(const int4* in, int4* out) {
  __shared__ int4 tile[32];
  const int t = threadIdx.x;
  // The last 12 bytes are zeros.
  __pipeline_memcpy_async(&tile[t], &in[t], 16, 12);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[31 - t];
}

template <int Stages>
__global__ void by_pipeline(const int* in, int* out, int batches) {
  const auto block = cg::this_thread_block();
  __shared__ alignas(16) int tiles[Stages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int batch = 0, fetched = 0; batch < batches; ++batch) {
    for (; fetched < batches && fetched < batch + Stages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tiles[fetched % Stages], in + fetched * kThreads,
                         cuda::aligned_size_t<16>(kBytes), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[batch * kThreads + threadIdx.x] = tiles[batch % Stages][kThreads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
}

__global__ void by_roles(const int* in, int* out, int rounds) {
  const auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tiles[2][32];
  const bool produces = threadIdx.x < 32;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int round = 0; round < rounds; ++round) {
    const int t = threadIdx.x % 32;
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&tiles[round % 2][t], &in[round * 32 + t], sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      out[round * 32 + t] = tiles[round % 2][31 - t];
      pipeline.consumer_release();
    }
  }
}

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void by_barrier(const int* in, int* out) {
  __shared__ BlockBarrier barrier;
  __shared__ alignas(16) int tile[kThreads];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(kBytes), barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
  if (threadIdx.x < 64) return barrier.arrive_and_drop();
  barrier.arrive_and_wait();
  out[kThreads + threadIdx.x] = 7;
}

__global__ void in_bulk(const int* in, int* out) {
  __shared__ alignas(128) int tile[kThreads];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, kBytes, &barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   kBytes);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  tile[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x != 0) return;
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, kBytes);
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out + kThreads, tile,
                            kBytes);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

/// Blocks reduce into the same memory: each reduction is an atomic of the whole device (PTX ISA, cp.reduce.async.bulk).
__global__ void reduce_in_bulk(int* out) {
  __shared__ alignas(128) int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncwarp();
  if (threadIdx.x != 0) return;
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile,
                            sizeof tile);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

__global__ void large_tiles(int* out) {
  const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
}

__global__ void cluster_of_one(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  __shared__ int value;
  if (threadIdx.x == 0) value = 5;
  cluster.sync();
  const int* const mapped = cluster.map_shared_rank(&value, cluster.block_rank());
  out[threadIdx.x] = *mapped + cluster.num_blocks();
}

int main() {
  int *in, *out;
  constexpr int kCount = 10 * kThreads;
  EXPECT_SUCCESS(cudaMallocManaged(&in, kCount * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&out, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i) in[i] = i;
  const auto reversed = [&](int width, int count) {
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i) {
      if (out[i] != i / width * width + width - 1 - i % width) return false;
    }
    return true;
  };
  by_primitives<<<1, 32>>>(reinterpret_cast<int4*>(in), reinterpret_cast<int4*>(out));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 124 && out[1] == 0 && out[3] == 0 && out[124] == 0);
  by_pipeline<2><<<1, kThreads>>>(in, out, 10);
  EXPECT(reversed(kThreads, kCount));
  by_pipeline<4><<<1, kThreads>>>(in, out, 10);
  EXPECT(reversed(kThreads, kCount));
  by_roles<<<1, 64>>>(in, out, 6);
  EXPECT(reversed(32, 6 * 32));
  by_barrier<<<1, kThreads>>>(in, out);
  EXPECT(reversed(kThreads, kThreads));
  EXPECT(out[kThreads + 64] == 7 && out[2 * kThreads - 1] == 7);
  for (int i = 0; i < kThreads; ++i) out[kThreads + i] = 100;
  in_bulk<<<1, kThreads>>>(in, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 1 && out[127] == 128 && out[kThreads + 127] == 228);
  for (int i = 0; i < 32; ++i) out[i] = 1;
  reduce_in_bulk<<<4, 32>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 1 && out[31] == 125);
  large_tiles<<<1, 256>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 8128 && out[255] == 8128 + 128 * 128);
  cluster_of_one<<<2, 64>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[63] == 6);
  return failures;
}
