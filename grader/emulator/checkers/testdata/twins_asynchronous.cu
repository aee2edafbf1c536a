// SPDX-License-Identifier: MIT
// Twins that copy asynchronously or split a barrier into arriving and waiting.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "emulator/checkers/testdata/twins.cuh"

namespace {

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kBlock = 128;

TWIN(barrier_object) {
  __shared__ int values[kBlock];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ BlockBarrier barrier;
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, kBlock);
  __syncthreads();
  values[t] = in[t];  // race
  auto token = barrier.arrive();
  if (!Racy) barrier.wait(std::move(token));
  out[t] = values[kBlock - 1 - t];  // race
}

/// Arrives before it has written.
TWIN(arrives_too_early) {
  __shared__ int values[kBlock];
  __shared__ BlockBarrier barrier;
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, kBlock);
  __syncthreads();
  if (!Racy) values[t] = in[t];
  auto token = barrier.arrive();
  if (Racy) values[t] = in[t];  // race
  barrier.wait(std::move(token));
  out[t] = values[kBlock - 1 - t];  // race
}

TWIN(barrier_with_phases) {
  __shared__ int values[kBlock];
  __shared__ BlockBarrier barrier;
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, kBlock);
  __syncthreads();
  int sum = 0;
  for (int phase = 0; phase < 3; ++phase) {
    values[t] = in[phase * kBlock + t];  // race
    barrier.arrive_and_wait();
    sum += values[(t + 64) % kBlock];  // race
    if (!Racy) barrier.arrive_and_wait();
  }
  out[t] = sum;
}

/// The copy is under way until it is waited for.
TWIN(copy_not_waited_for) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&values[t], &in[t], sizeof(int));  // race
  __pipeline_commit();
  if (!Racy) __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = values[kBlock - 1 - t];  // race
}

/// A thread has waited for its own copies only.
TWIN(copies_of_other_threads) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&values[t], &in[t], sizeof(int));  // race
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (!Racy) __syncthreads();
  out[t] = values[kBlock - 1 - t];  // race
}

/// Two stages; the racy twin waits for all copies but the one that it uses.
TWIN(stages_of_a_pipeline) {
  __shared__ int stage[2][kBlock];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(int));  // race
  __pipeline_commit();
  for (int step = 0; step < 4; ++step) {
    if (step + 1 < 4) {
      int* const next = &stage[(step + 1) % 2][t];
      __pipeline_memcpy_async(next, &in[(step + 1) * kBlock + t], sizeof(int));  // race
    }
    __pipeline_commit();
    __pipeline_wait_prior(Racy ? 2 : 1);
    __syncthreads();
    sum += stage[step % 2][(t + 32) % kBlock];  // race
    __syncthreads();
  }
  out[t] = sum;
}

TWIN(copy_by_a_group) {
  __shared__ int values[kBlock];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, values, in, sizeof values);  // race
  if (Racy) {
    cg::wait(cg::tiled_partition<32>(block));
  } else {
    cg::wait(block);
  }
  out[threadIdx.x] = values[kBlock - 1 - threadIdx.x];  // race
}

/// The second use of the buffer begins before all have read the first.
TWIN(buffer_filled_too_early) {
  __shared__ int values[kBlock];
  const int t = threadIdx.x;
  int sum = 0;
  for (int step = 0; step < 3; ++step) {
    __pipeline_memcpy_async(&values[t], &in[step * kBlock + t], sizeof(int));  // race
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += values[(t + 64) % kBlock];  // race
    if (!Racy) __syncthreads();
  }
  out[t] = sum;
}

/// A later copy to the place that was waited for is under way.
TWIN(one_stage_too_many) {
  __shared__ int stage[2][kBlock];
  const int t = threadIdx.x;
  for (int step = 0; step < (Racy ? 3 : 2); ++step) {
    __pipeline_memcpy_async(&stage[step % 2][t], &in[step * kBlock + t], sizeof(int));  // race
    __pipeline_commit();
  }
  __pipeline_wait_prior(Racy ? 2 : 1);
  out[t] = stage[0][t];  // race
}

}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(barrier_object, 1, kBlock),          CASE(arrives_too_early, 1, kBlock),
      CASE(barrier_with_phases, 1, kBlock),     CASE(copy_not_waited_for, 1, kBlock),
      CASE(copies_of_other_threads, 1, kBlock), CASE(stages_of_a_pipeline, 1, kBlock),
      CASE(copy_by_a_group, 1, kBlock),         CASE(buffer_filled_too_early, 1, kBlock),
      CASE(one_stage_too_many, 1, kBlock),
  };
  return run_twins(cases, argc, argv);
}
