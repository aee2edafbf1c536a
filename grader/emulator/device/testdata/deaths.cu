// SPDX-License-Identifier: MIT
// A program that ends in the way that its argument names. Where it goes on, it ends with 0 if CUDA answered as it should.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

__global__ void twice(int* value) { *value *= 2; }
__global__ void forever(volatile int* value) {
  while (*value != 1) {
  }
}

static int* fresh(int first) {
  int* value = nullptr;
  cudaMalloc(&value, sizeof *value);
  cudaMemcpy(value, &first, sizeof first, cudaMemcpyHostToDevice);
  return value;
}

static bool works() {
  int result = 0;
  int* const value = fresh(21);
  twice<<<1, 1>>>(value);
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  return cudaFree(value) == cudaSuccess && result == 42;
}

static int child_has_no_device() {
  const pid_t child = fork();
  if (child == 0) _exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status != 0 || !works();
}

static void launch_again(void*) { cudaLaunchHostFunc(nullptr, launch_again, nullptr); }

static int many_threads() {
  std::vector<std::thread> threads;
  bool all[64] = {};
  for (bool& one : all) threads.emplace_back([&one] { one = works(); });
  for (std::thread& thread : threads) thread.join();
  for (const bool one : all)
    if (!one) return 1;
  return 0;
}

int main(int count, char** words) {
  const std::string how = count > 1 ? words[1] : "";
  if (how == "has a child that comes first") {
    const pid_t child = fork();
    if (child == 0) _exit(works() && works() ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0 || !works();
  }
  if (!works()) return 9;
  if (how == "returns") return 0;
  if (how == "exits at once") _exit(0);
  if (how == "aborts") abort();
  if (how == "kills itself") raise(SIGKILL);
  if (how == "becomes another program") execl("/bin/true", "true", nullptr);
  if (how == "is killed in a kernel") {
    std::thread([] {
      usleep(200000);
      kill(getpid(), SIGKILL);
    }).detach();
    forever<<<1, 1>>>(fresh(0));
  }
  if (how == "closes its descriptors") {
    close_range(3, ~0U, 0);
    // The device may serve some more calls before it sees the end of the connection.
    while (works()) {
    }
    return 1;
  }
  if (how == "calls back for ever") cudaLaunchHostFunc(nullptr, launch_again, nullptr);
  if (how == "has a child") return child_has_no_device();
  if (how == "has many threads") return many_threads();
  if (how == "ends in a thread") std::thread([] { std::exit(works() ? 0 : 1); }).join();
  return 8;
}
