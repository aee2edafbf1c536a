// SPDX-License-Identifier: MIT
// Memory that was freed, never allocated, or is not where a call says; see findings_test.py.
#include <sys/mman.h>

#include "emulator/checkers/testdata/one_of.cuh"

namespace {

__global__ void add_one(int* values) {
  ++values[threadIdx.x];  // finds: call=cudaFree after launch 1 | where.not_device
}

int* device_ints(int count) {
  int* ints = nullptr;
  cudaMalloc(&ints, count * sizeof(int));
  cudaMemset(ints, 0, count * sizeof(int));
  return ints;
}

void wait_and_ask() {
  if (cudaDeviceSynchronize() != cudaSuccess) cudaGetLastError();
}

void used_after_it_was_freed(int*) {
  int* const ints = device_ints(32);
  add_one<<<1, 32>>>(ints);
  cudaFree(ints);
  add_one<<<1, 32>>>(ints);
  wait_and_ask();
}

void pointer_of_the_host(int*) {
  static int ints[32];
  add_one<<<1, 32>>>(ints);
  wait_and_ask();
}

// finds at again: memory.bad_pointer(call=cudaFree, where=where.freed_by(call=cudaFree before the first launch, where=where.start(allocation=allocation.made(bytes=40, origin=cudaMalloc))))
void freed_twice(int*) {
  int* const ints = device_ints(10);
  cudaFree(ints);
  cudaFree(ints);  // again
  cudaGetLastError();
}

// finds at ints + 1: memory.bad_pointer(call=cudaFree, where=where.into(allocation=allocation.made(bytes=40, origin=cudaMalloc), bytes=4))
void freed_in_the_middle(int*) {
  int* const ints = device_ints(10);
  cudaFree(ints + 1);
  cudaGetLastError();
  cudaFree(ints);
}

// finds at cudaFree(host): memory.other_origin(call=cudaFree, origin=cudaMallocHost)
void freed_by_the_wrong_call(int*) {
  void* host = nullptr;
  cudaMallocHost(&host, 64);
  cudaFree(host);
  cudaGetLastError();
  cudaFreeHost(host);
}

// finds at cudaMemcpy(: memory.call_past(act=act.writes, allocation=allocation.made(bytes=40, origin=cudaMalloc), bytes=4, call=cudaMemcpy)
void copied_too_much(int*) {
  static int host[11];
  int* const ints = device_ints(10);
  cudaMemcpy(ints, host, sizeof host, cudaMemcpyHostToDevice);
  cudaGetLastError();
  cudaFree(ints);
}

// finds at cudaMemcpy(: memory.call_past(act=act.writes, allocation=allocation.made(bytes=40, origin=cudaMalloc), bytes=8152, call=cudaMemcpy)
void copied_more_than_both_have(int*) {
  constexpr size_t kPage = 4096;
  int* const ints = device_ints(10);
  auto* const pages = static_cast<char*>(
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(pages + kPage, kPage);
  cudaMemcpy(ints, pages, 2 * kPage, cudaMemcpyHostToDevice);
  cudaGetLastError();
  munmap(pages, kPage);
  cudaFree(ints);
}

// finds at cudaMemcpy(: memory.wrong_direction(act=act.writes_to, call=cudaMemcpy, kind=cudaMemcpyHostToDevice)
void copied_the_wrong_way_round(int*) {
  static int host[10];
  int* const ints = device_ints(10);
  cudaMemcpy(host, ints, sizeof host, cudaMemcpyHostToDevice);
  cudaGetLastError();
  cudaFree(ints);
}

// finds at cudaMemset(: memory.host_pointer(call=cudaMemset)
void host_memory_set(int*) {
  static int host[10];
  cudaMemset(host, 0, sizeof host);
  cudaGetLastError();
}

// finds at cudaMemset(: memory.call_past(act=act.writes, allocation=allocation.made(bytes=40, origin=cudaMalloc), bytes=60, call=cudaMemset)
void set_too_much(int*) {
  int* const ints = device_ints(10);
  cudaMemset(ints, 0, 100);
  cudaGetLastError();
  cudaFree(ints);
}

__global__ void heap_block_freed_twice(int* out) {
  if (threadIdx.x != 0) return;
  int* const block = static_cast<int*>(malloc(64));
  block[0] = 1;
  out[0] = block[0];
  free(block);
  free(block);  // finds: memory.freed_twice(bytes=64)
}

__global__ void heap_block_overrun(int* out) {
  if (threadIdx.x != 0) return;
  int* const block = new int[10];
  for (int i = 0; i < 10; ++i) block[i] = i;
  block[10 + out[0]] = 1;  // finds: act=act.writes, bytes=4, where=where.right_past( & bytes=40
  delete[] block;
}

__global__ void heap_block_underrun(int* out) {
  if (threadIdx.x != 0) return;
  int* const block = static_cast<int*>(malloc(40));
  out[1] = block[out[0] - 2];  // finds: act.reads, bytes=4 & where.before( & bytes=40 & bytes=8
  free(block);
}

__global__ void heap_block_used_after_free(int* out) {
  if (threadIdx.x != 0) return;
  int* const block = static_cast<int*>(malloc(40));
  block[3] = 1;
  free(block);
  int* const next = static_cast<int*>(malloc(40));
  next[3] = 2;
  volatile int* const freed = block;
  out[1] = freed[3];  // finds: where.freed( & allocation.in_kernel(
  free(next);
}

__global__ void heap_block_freed_in_the_middle(int* out) {
  if (threadIdx.x != 0) return;
  char* const block = static_cast<char*>(malloc(40));
  free(block + 8 + out[0]);  // finds: memory.frees_inside( & bytes=40 & bytes=8
}

/// Each thread has blocks of its own, of all sizes, and uses all of them.
__global__ void heap_blocks_used_well(int* out) {
  const int t = threadIdx.x;
  unsigned char* blocks[8];
  for (int i = 0; i < 8; ++i) {
    blocks[i] = new unsigned char[t + i + 1];
    for (int at = 0; at <= t + i; ++at) blocks[i][at] = at;
  }
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += blocks[i][t + i];
    delete[] blocks[i];
  }
  out[t] = sum;
}

/// A compare-and-swap of a word may reach beyond an object as long as it changes nothing there.
__global__ void swap_word(unsigned* word, unsigned wanted, unsigned value) {
  atomicCAS(word, wanted, value);  // finds: bytes=4, where=where.right_past( & bytes=2
}

__global__ void read_word(const unsigned* word) {
  if (*word == 1) __trap();  // finds: act=act.reads, bytes=4, where=where.right_past( & bytes=2
}

template <class Use>
void use_two_bytes(Use use) {
  void* two = nullptr;
  cudaMalloc(&two, 2);
  cudaMemset(two, 0, 2);
  use(static_cast<unsigned*>(two));
  wait_and_ask();
  cudaFree(two);
}

void word_swapped_beyond_two_bytes(int*) {
  use_two_bytes([](unsigned* two) { swap_word<<<1, 1>>>(two, 0, 0x10001); });
}

void word_read_beyond_two_bytes(int*) {
  use_two_bytes([](unsigned* two) { read_word<<<1, 1>>>(two); });
}

void two_bytes_swapped_well(int*) {
  use_two_bytes([](unsigned* two) { swap_word<<<1, 1>>>(two, 0xABCD0000, 0xABCD0001); });
}

__global__ void heap_block_of_nobody(int* out) {
  if (threadIdx.x == 0) free(out);  // finds: memory.frees_unknown(
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf cases[] = {
      ONE_OF_HOST(used_after_it_was_freed),
      ONE_OF_HOST(pointer_of_the_host),
      ONE_OF_HOST(freed_twice),
      ONE_OF_HOST(freed_in_the_middle),
      ONE_OF_HOST(freed_by_the_wrong_call),
      ONE_OF_HOST(copied_too_much),
      ONE_OF_HOST(copied_more_than_both_have),
      ONE_OF_HOST(copied_the_wrong_way_round),
      ONE_OF_HOST(host_memory_set),
      ONE_OF_HOST(set_too_much),
      ONE_OF_HOST(word_swapped_beyond_two_bytes),
      ONE_OF_HOST(word_read_beyond_two_bytes),
      ONE_OF_HOST(two_bytes_swapped_well),
      ONE_OF(heap_block_freed_twice),
      ONE_OF(heap_block_of_nobody),
      ONE_OF(heap_block_overrun),
      ONE_OF(heap_block_underrun),
      ONE_OF(heap_block_used_after_free),
      ONE_OF(heap_block_freed_in_the_middle),
      ONE_OF(heap_blocks_used_well),
  };
  return run_one_of(cases, argc, argv);
}
