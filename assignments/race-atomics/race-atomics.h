// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your race-atomics.cu implements and driver.cu calls.
//
// Every pointer is device memory. What a function writes to holds garbage when it is called: set it
// to where its result starts, then launch. Each function returns when its kernels are done or
// before; the driver's cudaMemcpy waits for them. What a function makes for itself (memory, events,
// streams), it frees.

/// blocks * threads threads add 1 to *counter by an ordinary `*counter += 1`, so updates are lost.
/// Returns the kernel's milliseconds, measured by events.
float count_racy(int* counter, int blocks, int threads);

/// The same by one atomicAdd of each thread on *counter, so none is lost.
float count_atomic(int* counter, int blocks, int threads);

/// The same with fewer atomics on *counter: the threads of a block add to a counter in shared
/// memory, and the block adds that to *counter once.
float count_by_blocks(int* counter, int blocks, int threads);

/// What statistics() tells of an array. In brackets: the value for an empty array.
struct Statistics {
  int smallest;      ///< [INT_MAX]
  int largest;       ///< [INT_MIN]
  unsigned in_all;   ///< the bits that are set in every value [all]
  unsigned in_any;   ///< the bits that are set in some value [none]
  unsigned in_odd;   ///< the bits that are set in an odd number of values [none]
  unsigned seat;     ///< walks 0, 1, ..., seats - 1, 0, ...: a step for each value >= 0 [0]
  unsigned tickets;  ///< walks stock, stock - 1, ..., 0, stock, ...: a step for each value < 0
                     ///< [stock]
};

/// Describes values[0..n) by seven atomics: Min, Max, And, Or, Xor, Inc and Dec. n may be 0.
void statistics(Statistics* result, const int* values, int n, unsigned seats, unsigned stock);

/// A relay of n runners. Runner i puts i + 1 into *baton and what was there before, whatever it
/// was, into received[i], in one step. *baton starts at 0. The order is free.
void relay(unsigned* baton, unsigned* received, int n);

/// maxima[g] = the largest of those values[i] whose groups[i] is g; -FLT_MAX where there is none.
/// CUDA has no atomicMax for float: make one out of another atomic, as atomicCAS. Every value is finite,
/// and -0.0 is one like 0. n may be 0.
void group_maxima(float* maxima, int group_count, const float* values, const int* groups, int n);

/// Three fields that belong together.
struct Record {
  int visits;   ///< how many values were looked at [0]
  int largest;  ///< the largest of them [INT_MIN]
  int where;    ///< its index, the smallest one where several are largest [-1]
};

/// One thread for each value brings *record up to date, all three fields in one critical section
/// under a lock. n may be 0.
void locked_record(Record* record, const int* values, int n);
