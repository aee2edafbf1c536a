// SPDX-License-Identifier: MIT
// Mistakes that students make, one for each name on the command line.
#include <cstdio>
#include <cstring>

__global__ void add_one(float* a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] += 1;
}

__global__ void count(int* counter) { *counter = *counter + 1; }

__global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void columns(const float* in, float* out, int n) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[row * n + k];
  out[row] = sum;
}

__global__ void share_and_spin(int* shared, volatile int* flag) {
  *shared = static_cast<int>(threadIdx.x);
  while (*flag == 0) {
  }
}

static float* array(size_t bytes) {
  float* memory = nullptr;
  cudaMalloc(&memory, bytes);
  cudaMemset(memory, 0, bytes);
  return memory;
}

static void run(const char* lesson) {
  constexpr int kMany = 1024;
  float host[kMany] = {};
  const auto is = [&](const char* name) { return std::strcmp(lesson, name) == 0; };
  float* const a = array(is("sizeof") ? kMany : kMany * sizeof(float));
  if (is("sizeof") || is("clean")) add_one<<<kMany / 256, 256>>>(a, kMany);
  if (is("host")) a[3] = 1;
  if (is("swapped")) cudaMemcpy(host, a, sizeof host, cudaMemcpyHostToDevice);
  if (is("no memory")) add_one<<<1, 32>>>(array(size_t{1} << 50), 32);
  if (is("count")) count<<<4, 64>>>(reinterpret_cast<int*>(a));
  if (is("endless")) spin<<<1, 32>>>(reinterpret_cast<int*>(a));
  while (is("many")) add_one<<<kMany / 256, 256>>>(a, kMany);
  if (is("endless race")) {
    int* const words = reinterpret_cast<int*>(a);
    share_and_spin<<<1, 64>>>(words, words + 1);
  }
  if (is("columns")) columns<<<1, 32>>>(a, array(128), 32);
  cudaDeviceSynchronize();
  cudaFree(a);
}

int main(int argc, char** argv) {
  run(argc > 1 ? argv[1] : "");
  return 0;
}
