// SPDX-License-Identifier: MIT
// How long calls of the Runtime API take, in us at the median: each is a round trip to the device's process.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void nothing() {}

template <class Call>
void measure(const char* name, Call call) {
  constexpr int kCalls = 4000;
  std::vector<double> us;
  for (int i = 0; i < kCalls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                     .count());
  }
  std::sort(us.begin(), us.end());
  std::printf("%-28s %8.2f us at the median, %8.2f at 99 %%\n", name, us[kCalls / 2],
              us[kCalls * 99 / 100]);
}

int main() {
  float host[1024] = {}, *memory = nullptr;
  if (cudaMalloc(&memory, sizeof host) != cudaSuccess) return 1;
  measure("cudaGetLastError", [] { cudaGetLastError(); });
  measure("cudaMalloc and cudaFree", [] {
    void* piece = nullptr;
    cudaMalloc(&piece, 256);
    cudaFree(piece);
  });
  measure("cudaMemcpy, 4 KiB to device",
          [&] { cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice); });
  measure("cudaMemcpy, 4 KiB to host",
          [&] { cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost); });
  measure("an empty kernel", [] { nothing<<<1, 32>>>(); });
  measure("cudaDeviceSynchronize", [] { cudaDeviceSynchronize(); });
  return cudaFree(memory) == cudaSuccess ? 0 : 1;
}
