// SPDX-License-Identifier: MIT
// Host code whose faults are told with their line; see host_lines_test.py.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

static __global__ void fill(int* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = i;
}

template <class T>
static T* many(size_t count) {
  T* memory = nullptr;
  cudaMallocManaged(&memory, count * sizeof(T));
  return memory;
}

static void ask(cudaError_t result) {
  if (result != cudaSuccess) cudaGetLastError();
}

static void copies_too_much() {
  int here[20] = {}, *there = nullptr;
  cudaMalloc(&there, sizeof here / 2);
  ask(cudaMemcpy(there, here,  // finds: memory.call_sizeof
                 sizeof here, cudaMemcpyHostToDevice));
  cudaFree(there);
}

static void launches_too_many() {
  fill<<<1, 4096>>>(nullptr,  // finds: api.not_launched
                    0);
  ask(cudaGetLastError());
}

static void launches_by_a_call() {
  int* to = nullptr;
  int count = 0;
  void* arguments[] = {&to, &count};
  fill<<<1, 32>>>(to, count);
  const dim3 block(2048);
  ask(cudaLaunchKernel(fill, 1, block, arguments, 0, nullptr));  // finds: api.not_launched
}

static void fails_in_a_thread() {
  std::thread([] {
    ask(cudaMemset(many<int>(4) + 2, 0, 16));  // finds: memory.call_past
  }).join();
}

static void fails_in_a_callback() {
  const auto free_it = [](cudaStream_t, cudaError_t, void* memory) {
    ask(cudaFreeHost(static_cast<int*>(memory) + 1));  // finds: memory.bad_pointer
  };
  void* memory = nullptr;
  cudaMallocHost(&memory, 64);
  cudaStreamAddCallback(nullptr, free_it, memory, 0);
  cudaDeviceSynchronize();
}

static void touches_too_early() {
  int* const memory = many<int>(1 << 20);
  fill<<<1, 256>>>(memory, 1 << 20);
  memory[5] = 1;  // finds: race.host
  cudaDeviceSynchronize();
}

static void copies_too_early() {
  static int here[1024];
  volatile size_t bytes = sizeof here;
  int* const memory = many<int>(1 << 20);
  fill<<<1, 256>>>(memory, 1 << 20);
  std::memcpy(here, memory, bytes);  // finds: race.host
  cudaDeviceSynchronize();
}

static void follows_a_pointer() {
  int* there = nullptr;
  cudaMalloc(&there, 64);
  fill<<<1, 16>>>(there, 16);
  std::printf("%d\n", there[2]);  // finds: memory.host_access
}

static void leaves_its_array() {
  constexpr size_t kPages = 1 << 14;
  auto* const page =
      static_cast<char*>(mmap(nullptr, kPages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  cudaFree(nullptr);
  page[1] = 1;  // finds: memory.host_nowhere
}

static void copies_from_nowhere() {
  cudaFree(nullptr);
  volatile size_t bytes = 4096;
  static char to[4096];
  const char* volatile from = nullptr;
  std::memcpy(to, from, bytes);  // finds: memory.host_null
  std::puts(to);
}

static void runs_too_long() {
  cudaFree(nullptr);
  while (std::clock() < 2 * CLOCKS_PER_SEC) {  // finds: time.host
  }
  std::raise(SIGKILL);
}

int main(int count, char** arguments) {
  struct Case {
    const char* name;
    void (*run)();
  };
  const Case cases[] = {{"copies_too_much", copies_too_much},
                        {"launches_too_many", launches_too_many},
                        {"launches_by_a_call", launches_by_a_call},
                        {"fails_in_a_thread", fails_in_a_thread},
                        {"fails_in_a_callback", fails_in_a_callback},
                        {"touches_too_early", touches_too_early},
                        {"copies_too_early", copies_too_early},
                        {"follows_a_pointer", follows_a_pointer},
                        {"leaves_its_array", leaves_its_array},
                        {"copies_from_nowhere", copies_from_nowhere},
                        {"runs_too_long", runs_too_long}};
  for (const Case& each : cases) {
    if (count < 2) {
      std::puts(each.name);
    } else if (std::strcmp(arguments[1], each.name) == 0) {
      each.run();
    }
  }
  return 0;
}
