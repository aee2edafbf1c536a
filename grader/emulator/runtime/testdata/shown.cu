// SPDX-License-Identifier: MIT
// What kernels decide and the host then knows, each kind in a range of its own that ends with a kernel, for shown_test.py
// to find in the record.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

__global__ void nothing() {}
__global__ void print() { printf("12345"); }
__global__ void write(char* to) { *to = 1; }
__global__ void fail() { __trap(); }
__global__ void fill(char* to) { cudaMemsetAsync(to, 1, 3, 0); }
__global__ void fill_rows(char* to) { cudaMemset2DAsync(to, 8, 1, 2, 3, 0); }
__global__ void copy(char* to, const char* from) {
  cudaMemcpyAsync(to, from, 16, cudaMemcpyDefault, 0);
}
__global__ void choose(cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, 3); }
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
  cudaGraphSetConditional(handle, --*left);
}

template <class Body>
void in_range(const char* name, Body body) {
  nvtxRangePushA(name);
  body();
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; ++i) nothing<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  nvtxRangePop();
}

/// A graph of a conditional node, behind the kernel that decides.
void decide(cudaGraphConditionalNodeType type, unsigned size, unsigned first, int* left) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t kernel, node, inner;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, first, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  void* arguments[] = {&handle, &left};
  cudaKernelNodeParams work = {};
  work.func = type == cudaGraphCondTypeWhile ? (void*)count_down : (void*)choose;
  work.gridDim = work.blockDim = 1;
  work.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &work));
  CHECK(cudaGraphAddNode(&node, graph, &kernel, nullptr, 1, &params));
  work.func = left == nullptr ? (void*)nothing : work.func;
  CHECK(cudaGraphAddKernelNode(&inner, params.conditional.phGraph_out[0], nullptr, 0, &work));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, nullptr));
}

int main() {
  char *device, *other, *host;
  int* left;
  const int turns = 4;
  CHECK(cudaMalloc(&device, 64));
  CHECK(cudaMalloc(&other, 64));
  CHECK(cudaMalloc(&left, sizeof turns));
  CHECK(cudaHostAlloc(&host, 64, cudaHostAllocMapped));
  CHECK(cudaMemset(device, 0, 64));
  CHECK(cudaMemcpy(left, &turns, sizeof turns, cudaMemcpyDefault));
  in_range("printed", [] { print<<<1, 1>>>(); });
  in_range("written", [&] { write<<<1, 1>>>(host); });
  in_range("chosen", [] { decide(cudaGraphCondTypeSwitch, 5, 0, nullptr); });
  in_range("if", [] { decide(cudaGraphCondTypeIf, 1, 0, nullptr); });
  in_range("loop", [&] { decide(cudaGraphCondTypeWhile, 1, 1, left); });
  in_range("filled", [&] { fill<<<1, 1>>>(host); });
  in_range("filled by rows", [&] { fill_rows<<<1, 1>>>(host); });
  in_range("read", [&] { copy<<<1, 1>>>(device, host); });
  in_range("brought", [&] { copy<<<1, 1>>>(host, device); });
  in_range("inside", [&] { copy<<<1, 1>>>(other, device); });
  in_range("asked", [] { CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20)); });
  in_range("failed", [] {
    fail<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure ? cudaSuccess : cudaErrorUnknown);
    CHECK(cudaSetDevice(1));
  });
}
