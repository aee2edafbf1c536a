// SPDX-License-Identifier: MIT
// What is read of a bulk copy or an asynchronous store before its mbarrier says that it is over; see findings_test.py.
#include <cuda/barrier>

#include "emulator/checkers/testdata/one_of.cuh"

namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Either before the wait or behind it.
template <bool Racy>
__global__ void copied_in_bulk(int* out) {
  __shared__ alignas(16) int tile[96];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::memcpy_async(tile, out + 96, cuda::aligned_size_t<16>(sizeof tile), barrier);
  auto token = barrier.arrive();
  int value = 0;
  if (Racy) value = tile[threadIdx.x];  // finds: act.copies_in_bulk & advice.wait_at_mbarrier
  barrier.wait(std::move(token));
  out[threadIdx.x] = value + tile[threadIdx.x];
}

/// The first thread sends to all others.
template <bool Racy>
__global__ void stored_asynchronously(int* out) {
  __shared__ alignas(8) unsigned long long barrier;
  __shared__ int box;
  const unsigned own = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" ::"r"(own) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     shared_address(&box)),
                 "r"(7), "r"(own)
                 : "memory");
  int value = 0;
  if (Racy) value = box;  // finds: act.stores_asynchronously & advice.wait_at_mbarrier
  for (unsigned done = 0; done == 0;)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(own)
        : "memory");
  out[threadIdx.x] = value + box;
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf kernels[] = {
      {"copied_in_bulk", copied_in_bulk<true>},
      {"copied_in_bulk_and_waited_for", copied_in_bulk<false>},
      {"stored_asynchronously", stored_asynchronously<true>},
      {"stored_asynchronously_and_waited_for", stored_asynchronously<false>},
  };
  return run_one_of(kernels, argc, argv);
}
