// SPDX-License-Identifier: MIT
// Twins whose threads change one word by several accesses: what another thread changes in between is lost.
#include <cuda/atomic>

#include "emulator/checkers/testdata/twins.cuh"

namespace {

constexpr int kBlock = 64;
constexpr int kBlocks = 8;

using Atomic = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ unsigned number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ bool is_first_of_warp() { return threadIdx.x % 32 == 0; }
__device__ unsigned look(const unsigned* at) { return *static_cast<const volatile unsigned*>(at); }
__device__ float look(const float* at) { return *static_cast<const volatile float*>(at); }

TWIN(exchange_of_a_sum) {
  if (!is_first_of_warp()) return;
  float* const sum = reinterpret_cast<float*>(words);
  const float value = static_cast<float>(in[number()]);
  if (Racy) {
    atomicExch(sum, look(sum) + value);  // race
  } else {
    // The exchanges hand on what they find: none is lost.
    float more = value;
    while ((more = atomicExch(sum, atomicExch(sum, 0.0f) + more)) != 0.0f) {
    }
  }
}

TWIN(exchange_in_a_block) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (is_first_of_warp() && Racy) atomicExch(&sum, look(&sum) + 3);  // race
  if (!Racy && threadIdx.x % 32 < 2) atomicAdd(&sum, 3u);
  __syncthreads();
  // One thread alone goes on from the sum, behind a barrier.
  if (threadIdx.x == 0) atomicExch(&sum, look(&sum) + 1);
  __syncthreads();
  out[number()] = static_cast<int>(sum);
}

TWIN(single_swap) {
  if (!is_first_of_warp()) return;
  const unsigned old = look(&words[0]);
  const unsigned found = atomicCAS(&words[0], old, old + number());  // race
  if (!Racy && found != old) atomicAdd(&words[0], number());
}

/// The float that is expected, not its bits, is compared.
TWIN(swap_of_a_float) {
  if (!is_first_of_warp()) return;
  float* const sum = reinterpret_cast<float*>(words);
  float old = look(sum), assumed;
  do {
    assumed = old;
    const int bits = __float_as_int(assumed), next = __float_as_int(assumed + 2.0f);
    old = __int_as_float(atomicCAS(reinterpret_cast<int*>(sum), bits, next));  // race
  } while (!Racy && assumed != old);
}

/// Who looks at some other number than the one that was expected has not looked.
TWIN(swap_and_another_look) {
  if (!is_first_of_warp()) return;
  const unsigned old = look(&words[0]);
  const unsigned found = atomicCAS(&words[0], old, old + 1);  // race
  if (Racy ? found == 100000u : found != old) atomicAdd(&words[1], 1u);
}

TWIN(swap_of_a_maximum) {
  if (!is_first_of_warp()) return;
  const unsigned value = atomicAdd(&words[1], 1u) + 1, old = look(&words[0]);
  if (Racy) {
    atomicCAS(&words[0], old, max(old, value));  // race
  } else if (value > old) {
    atomicMax(&words[0], value);
  }
}

TWIN(exchange_of_a_maximum) {
  if (!is_first_of_warp()) return;
  const unsigned value = atomicAdd(&words[1], 1u) + 1;
  if (value <= look(&words[0])) return;
  if (Racy) {
    atomicExch(&words[0], value);  // race
  } else {
    atomicMax(&words[0], value);
  }
}

/// A maximum of what was there, and one more, is no count.
TWIN(maximum_as_a_counter) {
  if (!is_first_of_warp()) return;
  if (Racy) {
    atomicMax(&words[0], look(&words[0]) + 1);  // race
  } else {
    atomicMax(&words[0], in[number()] + look(&words[1]));
  }
}

TWIN(difference_by_xor) {
  if (!is_first_of_warp()) return;
  const unsigned old = look(&words[0]);
  const unsigned next = old + number() + 1;
  if (Racy) {
    atomicXor(&words[0], next ^ old);  // race
  } else {
    atomicXor(&words[0], number());
  }
}

TWIN(acquired_and_released) {
  if (!is_first_of_warp()) return;
  const Atomic word(words[0]);
  if (Racy) {
    const unsigned old = word.load(cuda::memory_order_acquire);
    word.store(old + 1, cuda::memory_order_release);  // race
  } else {
    word.fetch_add(1, cuda::memory_order_acq_rel);
  }
}

TWIN(relaxed_and_fenced) {
  if (!is_first_of_warp()) return;
  unsigned* const word = words;
  if (Racy) {
    const unsigned old = look(word);
    __threadfence();
    atomicExch(word, old + 1);  // race
  } else {
    __threadfence();
    atomicAdd(word, 1u);
  }
}

/// A swap of a value with itself, an addition of nothing: atomics that only look.
TWIN(look_by_swap) {
  if (!is_first_of_warp()) return;
  if (Racy) {
    atomicExch(&words[0], atomicCAS(&words[0], 7u, 7u) + 1);  // race
  } else {
    while (atomicCAS(&words[1], 0u, 1u) != 0u) {
    }
    __threadfence();
    atomicExch(&words[0], atomicCAS(&words[0], 7u, 7u) + 1);
    __threadfence();
    atomicExch(&words[1], 0u);
  }
}

TWIN(look_by_or) {
  if (!is_first_of_warp()) return;
  const unsigned old = atomicOr(&words[0], 0u);
  if (Racy) {
    atomicExch(&words[0], old + 1);  // race
  } else if (old < 1000000u) {
    atomicAdd(&words[0], 1u);
  }
}

/// A second load of the place is no second opinion.
TWIN(look_twice) {
  if (!is_first_of_warp()) return;
  const unsigned old = look(&words[0]);
  if (look(&words[0]) != old) return;
  if (Racy) {
    atomicExch(&words[0], old + 1);  // race
  } else {
    atomicAdd(&words[0], 1u);
  }
}

/// Another atomic between, which changes nothing.
TWIN(atomic_between) {
  if (!is_first_of_warp()) return;
  const unsigned old = look(&words[0]);
  atomicAdd(&words[0], 0u);
  if (Racy) {
    atomicExch(&words[0], old + 1);  // race
  } else {
    atomicAdd(&words[0], 1u);
  }
}

/// What is put back by an addition was taken away before, with what others had added.
TWIN(wiped_and_added) {
  if (!is_first_of_warp()) return;
  const unsigned old = Racy ? look(&words[0]) : 0;
  if (Racy) {
    atomicExch(&words[0], 0u);
    atomicAdd(&words[0], old + 1);  // race
  } else {
    atomicAdd(&words[0], atomicExch(&words[0], 0u) + 1);
  }
}

/// One pointer reads, another writes; the compiler knows neither.
TWIN(two_pointers) {
  if (!is_first_of_warp()) return;
  unsigned* const from = words + in[number()] / 1000;
  unsigned* const to = words + in[number() + 1] / 1000;
  const unsigned old = look(from);
  if (Racy) {
    atomicExch(to, old + 1);  // race
  } else {
    atomicAdd(to, 1u);
  }
}

__device__ void put(unsigned* to, unsigned value);
__device__ __noinline__ unsigned get(const unsigned* from) { return look(from); }

TWIN(functions_of_their_own) {
  if (!is_first_of_warp()) return;
  if (Racy) {
    const unsigned old = get(words);
    put(words, old + 1);
  } else {
    put(words + number(), get(words) + 1);
  }
}

__device__ __noinline__ void put(unsigned* to, unsigned value) {
  atomicExch(to, value);  // race
}

/// A thread that waits for another value than the one it changes has not been given a turn.
TWIN(wait_for_no_value) {
  if (!is_first_of_warp()) return;
  unsigned old;
  while ((old = look(&words[0])) == 0xFFFF'FFFFu) {
  }
  if (Racy) {
    atomicExch(&words[0], old + 1);  // race
  } else {
    atomicAdd(&words[0], 1u);
  }
}

/// The word says whose turn it is.
TWIN(turns) {
  if (threadIdx.x != 0) return;
  unsigned turn = 0;
  while (!Racy && (turn = look(&words[0])) != blockIdx.x) {
  }
  if (Racy) turn = look(&words[0]);
  atomicExch(&words[0], turn + 1);  // race
}

TWIN(turns_by_parity) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  for (int i = 0; i < 4; ++i) {
    unsigned turn;
    do {
      turn = look(&words[0]);
    } while (!Racy && (turn & 1) != blockIdx.x);
    *static_cast<volatile unsigned*>(&words[0]) = turn + 1;  // race
    if (Racy) atomicExch(&words[0], look(&words[0]) + 1);    // race
  }
}

TWIN(ticket_lock) {
  if (threadIdx.x != 0) return;
  const unsigned ticket = atomicAdd(&words[0], 1u);
  while (!Racy && look(&words[1]) != ticket) {
  }
  __threadfence();
  out[0] += in[blockIdx.x];  // race
  __threadfence();
  atomicExch(&words[1], look(&words[1]) + 1);  // race
}

TWIN(test_and_test_and_set) {
  if (threadIdx.x != 0) return;
  bool done = false;
  while (!done) {
    if (look(&words[0]) == 0 && atomicExch(&words[0], 1u) == 0) {
      __threadfence();
      unsigned* const sum = words + 1;
      atomicExch(sum, look(sum) + 1);  // race
      __threadfence();
      atomicExch(&words[0], 0u);
      done = true;
    }
  }
  if (Racy) atomicExch(&words[1], look(&words[1]) + 1);  // race
}

/// A lock that is a bit of the word itself.
TWIN(lock_in_the_word) {
  if (threadIdx.x != 0) return;
  constexpr unsigned kLocked = 0x80000000u;
  unsigned old = look(&words[0]);
  if (Racy) {
    atomicExch(&words[0], (old & ~kLocked) + 1);  // race
  } else {
    while ((old & kLocked) != 0 || atomicCAS(&words[0], old, old | kLocked) != old)
      old = look(&words[0]);
    __threadfence();
    atomicExch(&words[0], (old & ~kLocked) + 1);
  }
}

/// The value is taken out while its owner works on it.
TWIN(taken_out) {
  if (threadIdx.x != 0) return;
  constexpr unsigned kTaken = 0xFFFF'FFFFu;
  unsigned value;
  while ((value = Racy ? look(&words[0]) : atomicExch(&words[0], kTaken)) == kTaken) {
  }
  atomicExch(&words[0], value + 1);  // race
}

/// Who counts alone needs no atomic.
TWIN(one_writer) {
  if (threadIdx.x != 0) return;
  unsigned* const mine = words + (Racy ? 0 : blockIdx.x);
  for (int i = 0; i < 4; ++i) atomicExch(mine, look(mine) + 1);  // race
  if (look(&words[(blockIdx.x + 1) % kBlocks]) > 100u) out[0] = 1;
}

TWIN(generations) {
  if (threadIdx.x == 0) {
    for (int round = 0; round < 3; ++round) {
      const unsigned generation = look(&words[1]);
      __threadfence();
      if (Racy || atomicAdd(&words[0], 1u) == gridDim.x - 1) {
        atomicExch(&words[0], 0u);
        __threadfence();
        atomicExch(&words[1], generation + 1);  // race
      } else {
        while (look(&words[1]) == generation) {
        }
      }
    }
  }
}

TWIN(last_block_scales) {
  if (threadIdx.x != 0) return;
  atomicAdd(&words[0], static_cast<unsigned>(in[blockIdx.x]));
  __threadfence();
  const bool is_last = atomicInc(&words[1], gridDim.x) == gridDim.x - 1;
  if (Racy || is_last) {
    __threadfence();
    atomicExch(&words[0], look(&words[0]) * 2);  // race
  }
}

/// In the racy twin, the head counts the pushes as well.
TWIN(pushes) {
  if (threadIdx.x != 0) return;
  const unsigned node = blockIdx.x + 1;
  if (Racy) {
    const unsigned head = look(&words[0]);
    out[node] = static_cast<int>(head & 0xFF);
    atomicCAS(&words[0], head, ((head & ~0xFFu) + 0x100) | node);  // race
  } else if (blockIdx.x % 2 == 0) {
    unsigned head = look(&words[0]), assumed;
    do {
      assumed = head;
      words[node] = assumed;
      head = atomicCAS(&words[0], assumed, node);
    } while (head != assumed);
  } else {
    words[node] = atomicExch(&words[0], node);
  }
}

/// Paths to a root grow shorter; a swap that fails leaves them as long as they are.
TWIN(paths) {
  unsigned* const parents = words + (Racy ? 0 : blockIdx.x * kBlock);
  unsigned node = threadIdx.x;
  if (!Racy) parents[node] = node == 0 ? 0 : node - 1;
  __syncthreads();
  for (int i = 0; i < 8; ++i) {
    const unsigned parent = look(&parents[node]);
    const unsigned above = look(&parents[parent]);
    if (Racy)
      atomicCAS(&parents[node], parent, parent + 1 + above % 2);  // race
    else if (parent != above)
      atomicCAS(&parents[node], parent, above);
    node = Racy ? 0 : above;
  }
}

TWIN(sequence) {
  if (threadIdx.x != 0) return;
  volatile unsigned* const number = words;
  unsigned before = *number;
  if (Racy) {
    *number = before + 1;  // race
  } else {
    while ((before & 1) != 0 || atomicCAS(&words[0], before, before + 1) != before)
      before = *number;
    __threadfence();
    static_cast<volatile unsigned*>(words)[1] = blockIdx.x;
    __threadfence();
    *number = before + 2;
  }
}

/// Bits that are found set are cleared; those that others set in the meantime stay.
TWIN(pending_bits) {
  if (threadIdx.x != 0) return;
  atomicOr(&words[0], 1u << blockIdx.x);
  const unsigned found = look(&words[0]);
  if (Racy) {
    atomicExch(&words[0], found & ~(1u << blockIdx.x) ^ 0x100u);  // race
  } else {
    atomicAnd(&words[0], ~found);
  }
}

/// Steps that are made of the weights themselves, and are added.
TWIN(descent) {
  float* const weight = reinterpret_cast<float*>(words);
  const float at = look(weight);
  const float step = 0.25f * (1.0f - at);
  if (Racy) {
    if (is_first_of_warp()) atomicExch(weight, at + step);  // race
  } else {
    atomicAdd(weight, step * 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Case cases[] = {
      CASE(exchange_of_a_sum, kBlocks, kBlock),
      CASE(exchange_in_a_block, kBlocks, kBlock),
      CASE(single_swap, kBlocks, kBlock),
      CASE(swap_of_a_float, kBlocks, kBlock),
      CASE(swap_and_another_look, kBlocks, kBlock),
      CASE(swap_of_a_maximum, kBlocks, kBlock),
      CASE(exchange_of_a_maximum, kBlocks, kBlock),
      CASE(maximum_as_a_counter, kBlocks, kBlock),
      CASE(difference_by_xor, kBlocks, kBlock),
      CASE(acquired_and_released, kBlocks, kBlock),
      CASE(relaxed_and_fenced, kBlocks, kBlock),
      CASE(look_by_swap, kBlocks, kBlock),
      CASE(look_by_or, kBlocks, kBlock),
      CASE(look_twice, kBlocks, kBlock),
      CASE(atomic_between, kBlocks, kBlock),
      CASE(wiped_and_added, kBlocks, kBlock),
      CASE(two_pointers, kBlocks, kBlock),
      CASE(functions_of_their_own, kBlocks, kBlock),
      CASE(wait_for_no_value, kBlocks, kBlock),
      CASE(turns, kBlocks, kBlock),
      CASE(turns_by_parity, kBlocks, kBlock),
      CASE(ticket_lock, kBlocks, kBlock),
      CASE(test_and_test_and_set, kBlocks, kBlock),
      CASE(lock_in_the_word, kBlocks, kBlock),
      CASE(taken_out, kBlocks, kBlock),
      CASE(one_writer, kBlocks, kBlock),
      CASE(generations, kBlocks, kBlock),
      CASE(last_block_scales, kBlocks, kBlock),
      CASE(pushes, kBlocks, kBlock),
      CASE(paths, kBlocks, kBlock),
      CASE(sequence, kBlocks, kBlock),
      CASE(pending_bits, kBlocks, kBlock),
      CASE(descent, kBlocks, kBlock),
  };
  return run_twins(cases, argc, argv);
}
