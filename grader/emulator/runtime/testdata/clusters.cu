// SPDX-License-Identifier: MIT
// Thread block clusters: ranks, distributed shared memory, barriers, shapes that a device does not take.
#include <cooperative_groups.h>
#include <algorithm>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 2, 1) ranks(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 at = cluster.block_index(), shape = cluster.dim_blocks();
  const int block = blockIdx.x + gridDim.x * blockIdx.y;
  if (threadIdx.x != 0) return;
  out[block] = cluster.block_rank() + 10 * (at.x + 2 * at.y) + 100 * cluster.num_blocks() +
               1000 * (shape.x + shape.y + shape.z);
}

void ranks_of_blocks() {
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 24 * sizeof(int)));
  ranks<<<dim3(6, 4), 32>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  int wrong = 0;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) wrong += out[x + 6 * y] != 5400 + 11 * (x % 2 + 2 * (y % 2));
  }
  EXPECT(wrong == 0);
  EXPECT_SUCCESS(cudaFree(out));
}

/// Each block reads what its neighbour wrote, and writes into the next one's memory.
__global__ void ring(int* out) {
  __shared__ int own[64], given[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  own[threadIdx.x] = 100 * rank + threadIdx.x;
  cluster.sync();
  const int* const before = cluster.map_shared_rank(own, (rank + blocks - 1) % blocks);
  int* const after = cluster.map_shared_rank(given, (rank + 1) % blocks);
  after[threadIdx.x] = before[threadIdx.x];
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      given[threadIdx.x] + 10000 * cluster.query_shared_rank(after);
}

/// The bins of a histogram lie in the blocks of the cluster, who add to each other's.
__global__ void histogram(const int* values, int count, int* bins, int bins_of_block) {
  extern __shared__ int part[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int* const there = cluster.map_shared_rank(part, values[i] / bins_of_block);
    atomicAdd(there + values[i] % bins_of_block, 1);
  }
  cluster.sync();
  int* const to = bins + cluster.block_rank() * bins_of_block;
  for (int i = threadIdx.x; i < bins_of_block; i += blockDim.x) atomicAdd(to + i, part[i]);
}

cudaLaunchConfig_t configured(int blocks, int threads, cudaLaunchAttribute& cluster,
                              unsigned size) {
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = size;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return config;
}

void memory_of_others() {
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 16 * 64 * sizeof(int)));
  cudaLaunchAttribute cluster;
  const cudaLaunchConfig_t config = configured(16, 64, cluster, 8);
  EXPECT_SUCCESS(cudaLaunchKernelEx(&config, ring, out));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  int wrong = 0;
  for (int block = 0; block < 16; ++block) {
    for (int t = 0; t < 64; ++t)
      wrong += out[block * 64 + t] != 10000 * ((block + 1) % 8) + 100 * ((block + 6) % 8) + t;
  }
  EXPECT(wrong == 0);
  EXPECT_SUCCESS(cudaFree(out));
}

void shared_histogram() {
  constexpr int kCount = 5000, kBins = 64;
  int *values = nullptr, *bins = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&values, kCount * sizeof(int)));
  EXPECT_SUCCESS(cudaMallocManaged(&bins, kBins * sizeof(int)));
  std::vector<int> wanted(kBins);
  for (int i = 0; i < kCount; ++i) ++wanted[values[i] = (i * 37 + i / 11) % kBins];
  EXPECT_SUCCESS(cudaMemset(bins, 0, kBins * sizeof(int)));
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t config = configured(12, 96, cluster, 4);
  config.dynamicSmemBytes = kBins / 4 * sizeof(int);
  EXPECT_SUCCESS(cudaLaunchKernelEx(&config, histogram, static_cast<const int*>(values), kCount,
                                    bins, kBins / 4));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(std::equal(wanted.begin(), wanted.end(), bins));
  EXPECT_SUCCESS(cudaFree(values));
  EXPECT_SUCCESS(cudaFree(bins));
}

/// What one block wrote to global memory before the cluster met, another reads after it.
__global__ void __cluster_dims__(4) hand_on(int* data, int rounds) {
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned first = blockIdx.x - cluster.block_rank();
  for (int round = 0; round < rounds; ++round) {
    const unsigned from = first + (cluster.block_rank() + 1) % 4;
    const int value = data[from * blockDim.x + threadIdx.x];
    cluster.sync();
    data[blockIdx.x * blockDim.x + threadIdx.x] = value + 1;
    cluster.sync();
  }
}

/// A block that ends early counts no more.
__global__ void __cluster_dims__(4) some_end(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 3) return;
  cluster.barrier_arrive();
  const int value = threadIdx.x;
  cluster.barrier_wait();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

void barriers() {
  int* data = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&data, 8 * 64 * sizeof(int)));
  for (int i = 0; i < 8 * 64; ++i) data[i] = 1000 * (i / 64);
  hand_on<<<8, 64>>>(data, 6);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < 8 * 64; ++i) {
    const int block = i / 64, from = block / 4 * 4 + (block + 6) % 4;
    wrong += data[i] != 1000 * from + 6;
  }
  EXPECT(wrong == 0);
  some_end<<<8, 64>>>(data);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(data[63] == 63 && data[6 * 64 + 5] == 5);
  EXPECT_SUCCESS(cudaFree(data));
}

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ unsigned in_block(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// Each thread sends 16 bytes to the next block of its cluster, whose mbarrier counts them.
__global__ void __cluster_dims__(4) send_on(int* out, int rounds) {
  __shared__ alignas(8) unsigned long long arrived;
  __shared__ alignas(8) int pairs[64][2];
  __shared__ unsigned long long wide[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned own = shared_address(&arrived), next = (cluster.block_rank() + 1) % 4;
  const unsigned barrier = in_block(own, next);
  const unsigned pair = in_block(shared_address(pairs[threadIdx.x]), next);
  const unsigned number = in_block(shared_address(&wide[threadIdx.x]), next);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
  cluster.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(own), "r"(64 * 16)
                   : "memory");
    const int value = static_cast<int>(1000 * cluster.block_rank() + threadIdx.x) + round;
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s32 [%0], {%1, %2}, [%3];" ::"r"(
            pair),
        "r"(value), "r"(-value), "r"(barrier)
        : "memory");
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];" ::"r"(
            number),
        "l"(1ull * value), "r"(barrier)
        : "memory");
    for (unsigned done = 0; done == 0;)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
          " selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(own), "r"(round & 1)
          : "memory");
    sum += pairs[63 - threadIdx.x][0] + pairs[threadIdx.x][1] + static_cast<int>(wide[threadIdx.x]);
    cluster.sync();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void asynchronous_stores() {
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 8 * 64 * sizeof(int)));
  send_on<<<8, 64>>>(out, 3);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < 8 * 64; ++i)
    wrong += out[i] != 3 * (1000 * ((i / 64 + 3) % 4) + 63 - i % 64 + 1);
  EXPECT(wrong == 0);
  EXPECT_SUCCESS(cudaFree(out));
}

void shapes() {
  int* out = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 32 * 64 * sizeof(int)));
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t config = configured(16, 64, cluster, 3);
  EXPECT(cudaLaunchKernelEx(&config, ring, out) == cudaErrorInvalidClusterSize);
  config = configured(16, 64, cluster, 16);
  EXPECT(cudaLaunchKernelEx(&config, ring, out) == cudaErrorInvalidClusterSize);
  int blocks = 0, clusters = 0;
  EXPECT(cudaOccupancyMaxPotentialClusterSize(&blocks, ring, &config) ==
         cudaErrorInvalidClusterSize);
  EXPECT(cudaOccupancyMaxActiveClusters(&clusters, ring, &config) == cudaErrorInvalidClusterSize);
  config = configured(16, 64, cluster, 3);
  EXPECT(cudaOccupancyMaxPotentialClusterSize(&blocks, ring, &config) ==
         cudaErrorInvalidClusterSize);
  config = configured(16, 64, cluster, 8);
  EXPECT_SUCCESS(cudaOccupancyMaxPotentialClusterSize(&blocks, ring, &config));
  EXPECT(blocks == 8);
  config = configured(64, 64, cluster, 32);
  EXPECT_SUCCESS(cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  EXPECT_SUCCESS(cudaOccupancyMaxPotentialClusterSize(&blocks, ring, &config));
  EXPECT(blocks == 16);
  EXPECT_SUCCESS(cudaOccupancyMaxActiveClusters(&clusters, ring, &config));
  EXPECT(clusters == 0);
  config = configured(16, 64, cluster, 16);
  EXPECT_SUCCESS(cudaLaunchKernelEx(&config, ring, out));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 10000 + 1400);
  EXPECT_SUCCESS(cudaOccupancyMaxActiveClusters(&clusters, ring, &config));
  EXPECT(clusters > 0);
  cudaFuncAttributes attributes;
  EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, ranks));
  EXPECT(attributes.requiredClusterWidth == 2 && attributes.requiredClusterDepth == 1);
  int launches = 0;
  EXPECT_SUCCESS(cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, 0));
  EXPECT(launches == 1);
  EXPECT_SUCCESS(cudaFree(out));
}

int main() {
  ranks_of_blocks();
  memory_of_others();
  shared_histogram();
  barriers();
  asynchronous_stores();
  shapes();
  return failures;
}
