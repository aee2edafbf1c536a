// SPDX-License-Identifier: MIT
// Lost updates, atomics and a lock. The statement is in assignments/race-atomics/handout.md, the
// contract in race-atomics.h. Work through the TODOs in order; test with:
// meson test -C build --suite race-atomics
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "race-atomics.h"

// The demonstration: leave it as it is. Reading, adding and writing are three steps, and other
// threads get in between.
__global__ void add_racy(int* counter) { *counter += 1; }

// TODO 1: Set *counter to 0 (cudaMemset), record an event, launch add_racy, record another event,
// and return the milliseconds between the two.
float count_racy(int* counter, int blocks, int threads) {
  (void)counter, (void)blocks, (void)threads;
  return 0.0f;
}

// TODO 2: The same with a kernel of your own that adds by atomicAdd.
float count_atomic(int* counter, int blocks, int threads) {
  (void)counter, (void)blocks, (void)threads;
  return 0.0f;
}

// TODO 3: The same with a kernel whose blocks count in shared memory first: set the shared counter
// to 0, barrier, count, barrier, and then one thread adds it to *counter.
float count_by_blocks(int* counter, int blocks, int threads) {
  (void)counter, (void)blocks, (void)threads;
  return 0.0f;
}

// TODO 4: Copy a Statistics to *result that holds what the contract says in brackets, then launch a
// kernel of n threads whose thread i brings in values[i]: atomicMin, Max, And, Or, Xor, and
// atomicInc or atomicDec. Mind what the second argument of those two is.
void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock) {
  (void)result, (void)values, (void)n, (void)seats, (void)stock;
}

// TODO 5: Set *baton to 0; then thread i puts i + 1 there and keeps what was there, by atomicExch.
void relay(unsigned* baton, unsigned* received, int n) { (void)baton, (void)received, (void)n; }

// TODO 6: Put value into *address where it is larger than what is there. Look at what is there; as
// long as value is larger, try to replace exactly that by atomicCAS, and if somebody was faster,
// go on with what they put there. __float_as_int and __int_as_float keep the bits.
__device__ void atomic_max(float* address, float value) { (void)address, (void)value; }

// TODO 7: Set all maxima to -FLT_MAX, then bring in each value with atomic_max.
void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n) {
  (void)maxima, (void)group_count, (void)values, (void)groups, (void)n;
}

// TODO 8: acquire() waits until it has changed `taken` from 0 to 1, release() sets it back to 0,
// both by atomics. __threadfence() keeps what lies between the two from slipping out.
struct Lock {
  int taken;

  __device__ void acquire() {}
  __device__ void release() {}
};

// TODO 9: Set *record to what the contract says in brackets, make a lock in device memory that
// nobody has taken, and let each of n threads update all three fields while it holds the lock.
void locked_record(Record* record, const int* values, int n) {
  (void)record, (void)values, (void)n;
}
