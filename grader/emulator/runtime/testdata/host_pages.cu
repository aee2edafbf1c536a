// SPDX-License-Identifier: MIT
// Memory of the program's that devices reach: registered pages that share neighbours, lie on the stack or come back; copies
// of every size and shape between memory of all kinds; callbacks and threads that make calls of their own; managed memory of
// several threads.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

__global__ void add(int* values, int count, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += what;
}

static void run_on(int* values, int count, int what) {
  add<<<(count + 127) / 128, 128>>>(values, count, what);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
}

static bool all_are(const int* values, int count, int what) {
  return std::all_of(values, values + count, [what](int value) { return value == what; });
}

static void check_registered_neighbours() {
  const long page = sysconf(_SC_PAGESIZE);
  auto* const bytes = static_cast<char*>(
      mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* const first = reinterpret_cast<int*>(bytes + 100);
  auto* const second = reinterpret_cast<int*>(bytes + 400);
  auto* const third = reinterpret_cast<int*>(bytes + page - 200);
  for (int* const one : {first, second, third}) std::fill_n(one, 64, 1);
  std::fill_n(third, 100, 1);
  EXPECT(cudaHostRegister(first, 256, cudaHostRegisterDefault) == cudaSuccess);
  EXPECT(cudaHostRegister(second, 256, cudaHostRegisterMapped) == cudaSuccess);
  EXPECT(cudaHostRegister(third, 400, cudaHostRegisterDefault) == cudaSuccess);
  run_on(first, 64, 1);
  run_on(second, 64, 2);
  run_on(third, 100, 3);
  EXPECT(all_are(first, 64, 2));
  EXPECT(all_are(second, 64, 3));
  EXPECT(all_are(third, 100, 4));
  EXPECT(cudaHostUnregister(second) == cudaSuccess);
  second[0] = 7;
  run_on(first, 64, 1);
  EXPECT(all_are(first, 64, 3));
  EXPECT(second[0] == 7);
  EXPECT(cudaHostUnregister(first) == cudaSuccess);
  EXPECT(cudaHostUnregister(third) == cudaSuccess);
  EXPECT(all_are(third, 100, 4));
  // The same addresses as new memory.
  munmap(bytes, 4 * page);
  auto* const again =
      static_cast<int*>(mmap(bytes, 4 * page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  std::fill_n(again, 64, 10);
  EXPECT(cudaHostRegister(again, 256, cudaHostRegisterDefault) == cudaSuccess);
  run_on(again, 64, 1);
  EXPECT(all_are(again, 64, 11));
  EXPECT(cudaHostUnregister(again) == cudaSuccess);
  munmap(again, 4 * page);
}

static void check_registered_stack_and_heap() {
  int on_stack[256];
  std::fill_n(on_stack, 256, 5);
  EXPECT(cudaHostRegister(on_stack, sizeof on_stack, cudaHostRegisterDefault) == cudaSuccess);
  run_on(on_stack, 256, 1);
  EXPECT(all_are(on_stack, 256, 6));
  EXPECT(cudaHostUnregister(on_stack) == cudaSuccess);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> on_heap(100 + 1000 * round, round);
    EXPECT(cudaHostRegister(on_heap.data(), on_heap.size() * 4, cudaHostRegisterDefault) ==
           cudaSuccess);
    run_on(on_heap.data(), static_cast<int>(on_heap.size()), 1);
    EXPECT(all_are(on_heap.data(), static_cast<int>(on_heap.size()), round + 1));
    EXPECT(cudaHostUnregister(on_heap.data()) == cudaSuccess);
  }
}

static void check_pages_out_of_reach() {
  const long page = sysconf(_SC_PAGESIZE);
  auto* const bytes = static_cast<char*>(
      mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  EXPECT(cudaHostRegister(bytes, 4 * page, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  mprotect(bytes, page, PROT_READ | PROT_WRITE);
  EXPECT(cudaHostRegister(bytes, 4 * page, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaHostRegister(bytes, page, cudaHostRegisterDefault) == cudaSuccess);
  EXPECT(cudaHostUnregister(bytes) == cudaSuccess);
  munmap(bytes, 4 * page);
  EXPECT(cudaHostRegister(bytes, page, cudaHostRegisterDefault) == cudaErrorInvalidValue);
  EXPECT(cudaHostRegister(bytes, ~size_t{0}, cudaHostRegisterDefault) == cudaErrorInvalidValue);
}

static void check_copies_of_every_size() {
  for (const size_t bytes :
       {size_t{1}, size_t{4095}, size_t{1} << 20, (size_t{1} << 20) + 1, size_t{5000001}}) {
    std::vector<char> from(bytes), to(bytes, 0);
    std::iota(from.begin(), from.end(), 1);
    char *device = nullptr, *other = nullptr, *pinned = nullptr;
    EXPECT(cudaMalloc(&device, bytes) == cudaSuccess && cudaMalloc(&other, bytes) == cudaSuccess);
    EXPECT(cudaMallocHost(&pinned, bytes) == cudaSuccess);
    EXPECT(cudaMemcpy(device, from.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaMemcpy(other, device, bytes, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(cudaMemcpyAsync(pinned, other, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaMemcpy(to.data(), pinned, bytes, cudaMemcpyHostToHost) == cudaSuccess);
    EXPECT(from == to);
    std::fill(to.begin(), to.end(), 0);
    EXPECT(cudaMemcpy(to.data(), device, bytes, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(from == to);
    std::vector<char> plain(bytes, 0);
    EXPECT(cudaMemcpy(plain.data(), from.data(), bytes, cudaMemcpyHostToHost) == cudaSuccess);
    EXPECT(plain == from);
    EXPECT(cudaFree(device) == cudaSuccess && cudaFree(other) == cudaSuccess &&
           cudaFreeHost(pinned) == cudaSuccess);
  }
}

static void check_rows_with_gaps() {
  constexpr size_t kRows = 3000, kWidth = 97, kHostPitch = 131;
  std::vector<char> from(kRows * kHostPitch), to(kRows * kHostPitch, 'x');
  std::iota(from.begin(), from.end(), 3);
  char* device = nullptr;
  size_t pitch = 0;
  EXPECT(cudaMallocPitch(&device, &pitch, kWidth, kRows) == cudaSuccess);
  EXPECT(cudaMemcpy2D(device, pitch, from.data(), kHostPitch, kWidth, kRows,
                      cudaMemcpyHostToDevice) == cudaSuccess);
  EXPECT(cudaMemcpy2D(to.data(), kHostPitch, device, pitch, kWidth, kRows,
                      cudaMemcpyDeviceToHost) == cudaSuccess);
  bool same = true, gaps_kept = true;
  for (size_t row = 0; row < kRows; ++row) {
    same = same && std::memcmp(&from[row * kHostPitch], &to[row * kHostPitch], kWidth) == 0;
    gaps_kept = gaps_kept && to[row * kHostPitch + kWidth] == 'x';
  }
  EXPECT(same);
  EXPECT(gaps_kept);
  EXPECT(cudaFree(device) == cudaSuccess);
}

struct Called {
  std::atomic<int> times{0};
  int* device = nullptr;
  int seen = 0;
};

// A host function may use other threads that make calls.
static void called(void* data) {
  auto* const call = static_cast<Called*>(data);
  std::thread([call] {
    EXPECT(cudaMemcpy(&call->seen, call->device, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  }).join();
  ++call->times;
}

static void check_callbacks_that_use_threads() {
  Called call;
  EXPECT(cudaMalloc(&call.device, 4) == cudaSuccess &&
         cudaMemset(call.device, 0, 4) == cudaSuccess);
  for (int i = 1; i <= 5; ++i) {
    add<<<1, 1>>>(call.device, 1, 1);
    EXPECT(cudaLaunchHostFunc(nullptr, called, &call) == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(call.times == i && call.seen == i);
  }
  EXPECT(cudaFree(call.device) == cudaSuccess);
}

// Each thread has a stream and managed memory of its own, and touches it while others' kernels run.
static void check_threads_with_managed_memory() {
  constexpr int kThreads = 4, kRounds = 50, kCount = 1000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      cudaStream_t stream;
      EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
      for (int round = 0; round < kRounds; ++round) {
        int* values = nullptr;
        EXPECT(cudaMallocManaged(&values, kCount * sizeof *values) == cudaSuccess);
        std::fill_n(values, kCount, round);
        add<<<8, 128, 0, stream>>>(values, kCount, 1);
        EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
        EXPECT(all_are(values, kCount, round + 1));
        EXPECT(cudaFree(values) == cudaSuccess);
      }
      EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int main() {
  check_registered_neighbours();
  check_threads_with_managed_memory();
  check_registered_stack_and_heap();
  check_pages_out_of_reach();
  check_copies_of_every_size();
  check_rows_with_gaps();
  check_callbacks_that_use_threads();
  return failures;
}
