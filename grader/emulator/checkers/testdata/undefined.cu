// SPDX-License-Identifier: MIT
// Values that nothing has written: found at the line of the load where they decide something, and
// nowhere where they are dropped; see findings_test.py.
#include "emulator/checkers/testdata/one_of.cuh"

namespace {

constexpr unsigned kAll = ~0u;

/// Sets `*found` for some keys only.
__device__ __noinline__ bool find(int key, int* found) {
  if (key % 3 != 0) return false;
  *found = key;
  return true;
}

/// The compiler loads `found` before it knows whether it is set, and chooses afterwards.
__global__ void out_parameter_used_where_set(int* out) {
  const int t = threadIdx.x;
  int found;
  const bool is_found = find(t, &found);
  out[t] = is_found ? found : -1;
}

__global__ void out_parameter_used_always(int* out) {
  const int t = threadIdx.x;
  int found;
  find(t, &found);
  out[t] = found;  // finds: init.local(bytes=4)
}

/// As out_parameter_used_where_set, whatever the compiler makes of that.
__global__ void loaded_first_and_chosen_later(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  int next;
  asm volatile(
      "{ .reg .pred p; .reg .b32 v; cvt.u32.u64 v, %1; ld.shared.u32 %0, [v+4]; setp.lt.s32 p, %2, "
      "95; selp.b32 %0, %0, 7, p; }"
      : "=r"(next)
      : "l"(__cvta_generic_to_shared(values + t)), "r"(t)
      : "memory");
  out[t] = next;
}

/// The same by predicates, as a compiler joins two conditions.
__global__ void compared_beyond_the_end(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  int larger;
  asm volatile(
      "{ .reg .pred p, q, r; .reg .b32 v; cvt.u32.u64 v, %1; ld.shared.u32 v, [v+4]; setp.lt.s32 "
      "p, "
      "%2, 95; setp.gt.s32 q, v, 40; and.pred r, p, q; or.pred r, r, !p; selp.b32 %0, 1, 0, r; "
      "@!p bra NEXT; add.s32 %0, %0, 1; NEXT: }"
      : "=r"(larger)
      : "l"(__cvta_generic_to_shared(values + t)), "r"(t)
      : "memory");
  out[t] = larger;
}

/// The value lives on in a register that nothing reads, round after round.
__global__ void loaded_one_ahead(int* out) {
  __shared__ int values[97];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  int sum = 0, next = *static_cast<volatile int*>(values + t);
  for (int at = t; at < 96; at += 32) {
    const int here = next;
    next = *static_cast<volatile int*>(values + min(at + 32, 96));
    sum += here;
  }
  out[t] = sum;
}

__global__ void summed(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += values[i];  // finds: init.unwritten( & index=96
  out[t] = sum;
}

__global__ void branched_on(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int other = values[t + 32];  // finds: init.unwritten( & array=values, index=96
  if (other > 50) atomicAdd(out, 1);
}

__global__ void taken_for_an_index(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int index = values[t + 32] & 63;  // finds: init.unwritten( & array=values, index=96
  atomicAdd(out + index, 1);
}

__global__ void handed_to_another_lane(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int mine = values[t + 1];  // finds: init.unwritten( & array=values, index=96
  out[t] = __shfl_xor_sync(kAll, mine, 1);
}

/// Only lane 31 of the last warp has an undefined value, and no lane takes it.
__global__ void handed_to_no_lane(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int mine = *static_cast<volatile int*>(values + t + 1);
  out[t] = __shfl_sync(kAll, mine, t % 32 / 2);
}

__global__ void kept_in_a_local_array(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  int kept[8];
  for (int i = 0; i < 8; ++i)
    kept[i] = values[t + i];  // finds: init.unwritten( & index=96 or index=98
  out[t] = kept[out[t + 200] + 5 & 7];
}

__global__ void voted_on(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int mine = values[t + 1];  // finds: init.unwritten( & array=values, index=96
  out[t] = __any_sync(kAll, mine == 17);
}

/// nvcc makes a variable of each element of the array.
__global__ void of_elements_by_constants(int* out) {
  __shared__ int pair[2];
  if (threadIdx.x == 0) {
    pair[0] = out[200];
    if (out[201] == 12345) pair[1] = out[202];
  }
  __syncthreads();
  const int second = pair[1];  // finds: init.unwritten( & array=pair[1] or array=pair, index=1
  if (pair[0] + second > 5) out[threadIdx.x] = second;
}

__device__ __noinline__ int next_of(const int* values, int t) {
  return values[t + 1];  // finds: init.unwritten( & array=values, index=96
}
__device__ __noinline__ int first_of(int a, int b, bool choose) { return choose ? a : b; }

/// Only the last thread's value is undefined, and the function that gets it returns the other one.
__global__ void handed_to_a_function_that_drops_it(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int next = next_of(values, t);
  out[t] = first_of(next, t, t < 95);
}

__global__ void returned_by_functions(int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = t;
  __syncthreads();
  const int next = next_of(values, t);
  out[t] = first_of(next, t, t > 50);
}

struct Particle {
  float x, v;
  int unused;
  int key;
};

/// A sort or a compaction moves whole structures, and one member was never set.
__device__ void set_and_move(Particle* particles, int t) {
  particles[t].x = particles[t].v = static_cast<float>(t);
  particles[t].key = t;
  particles[191 - t] = particles[t];
  __syncthreads();
}

__global__ void moved_with_an_unset_member(int* out) {
  __shared__ Particle particles[192];
  const int t = threadIdx.x;
  set_and_move(particles, t);
  out[t] = particles[191 - t].key;
}

__global__ void used_where_it_was_moved_to(int* out) {
  __shared__ Particle particles[192];
  const int t = threadIdx.x;
  set_and_move(particles, t);
  out[t] = particles[100 + t % 90].unused + 1;  // finds: init.unwritten( & array=particles
}

struct Fields {
  unsigned low : 5, high : 7;
};

/// The bits that belong to no field stay as they are.
__global__ void fields_set_in_shared_memory(int* out) {
  __shared__ Fields fields[96];
  const int t = threadIdx.x;
  fields[t].low = static_cast<unsigned>(t);
  fields[t].high = 3;
  out[t] = static_cast<int>(fields[t].low + fields[t].high);
}

__global__ void flag_set_in_nothing(int* out) {
  __shared__ unsigned flags[96];
  const int t = threadIdx.x;
  flags[t] |= 1u << (t & 7);  // finds: init.unwritten( & array=flags
  __syncthreads();
  out[t] = static_cast<int>(flags[95 - t]);
}

__global__ void taken_of_the_heap(int* out) {
  int* block = static_cast<int*>(malloc(24));
  // The compiler must not know that nothing is there.
  asm volatile("" : "+l"(block)::"memory");
  block[0] = 1;
  out[threadIdx.x] = block[3];  // finds: init.unwritten( & allocation.in_kernel(bytes=24) & index=3
  free(block);
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf kernels[] = {
      ONE_OF(out_parameter_used_where_set),
      ONE_OF(out_parameter_used_always),
      ONE_OF(loaded_first_and_chosen_later),
      ONE_OF(compared_beyond_the_end),
      ONE_OF(loaded_one_ahead),
      ONE_OF(summed),
      ONE_OF(branched_on),
      ONE_OF(taken_for_an_index),
      ONE_OF(handed_to_another_lane),
      ONE_OF(handed_to_no_lane),
      ONE_OF(kept_in_a_local_array),
      ONE_OF(voted_on),
      ONE_OF(of_elements_by_constants),
      ONE_OF(handed_to_a_function_that_drops_it),
      ONE_OF(returned_by_functions),
      ONE_OF(moved_with_an_unset_member),
      ONE_OF(used_where_it_was_moved_to),
      ONE_OF(fields_set_in_shared_memory),
      ONE_OF(flag_set_in_nothing),
      ONE_OF(taken_of_the_heap),
  };
  return run_one_of(kernels, argc, argv);
}
