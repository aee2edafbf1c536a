// SPDX-License-Identifier: MIT
// How much of the memory's bandwidth an access pattern leaves you. The statement is in
// assignments/bandwidth/handout.md, the contract in bandwidth.h. Work through the TODOs in order;
// test with: meson test -C build --suite bandwidth
#include "bandwidth.h"

// TODO 1: Thread i of the whole grid adds 1 to element i + s, if i < n.
template <class T>
__global__ void offset(T* a, int n, int s) {
  (void)a, (void)n, (void)s;
}

// TODO 2: Thread i of the whole grid adds 1 to element i * s, if i < n. Which type does i * s need
// where n is 2^27 and s is 32?
template <class T>
__global__ void stride(T* a, int n, int s) {
  (void)a, (void)n, (void)s;
}

// TODO 3: Launch one of the two, in blocks of 256 threads. A template needs its type now: make `a` an
// int*, float* or double*.
void touch(Access access, Type type, void* a, int n, int s) {
  (void)access, (void)type, (void)a, (void)n, (void)s;
  (void)offset<float>, (void)stride<float>;  // goes when you launch them
}

// TODO 4: Bytes read and written, in units of 10^9 bytes, over seconds.
double gb_per_s(int n, int element_bytes, float ms) {
  (void)n, (void)element_bytes, (void)ms;
  return 0.0;
}

// TODO 5: Allocate enough for the last element of the largest s, and clear all of it. Launch once to
// warm up. For each s record an event, launch, record another, wait for it, and fill in a row: s,
// the milliseconds between the events, GB/s. Free the memory and destroy the events.
void sweep(Access access, Type type, int n, Measurement* rows) {
  (void)access, (void)type, (void)n, (void)rows;
}

// TODO 6: Thread i copies one word to to[i]. Which one, bandwidth.h says for each pattern.
__global__ void gather_kernel(Pattern pattern, int* to, const int* from, int n) {
  (void)pattern, (void)to, (void)from, (void)n;
}

void gather(Pattern pattern, int* to, const int* from, int n) {
  (void)pattern, (void)to, (void)from, (void)n;
  (void)gather_kernel;  // goes when you launch it
}

// TODO 7: Count the different bytes, the different lines (address / 128) and the different sectors
// (address / 32) of the 32 addresses.
Traffic traffic_of(const uint64_t* addresses, int element_bytes) {
  (void)addresses, (void)element_bytes;
  return {0, 0, 0};
}
