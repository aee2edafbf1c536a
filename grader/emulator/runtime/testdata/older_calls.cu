// SPDX-License-Identifier: MIT
// What CUDA 11 and 12 have and CUDA 13 dropped or changed, called as programs of these call it.
#include <cstring>

#include "emulator/runtime/testdata/expect.h"

__global__ void add_one(int* values) { values[threadIdx.x] += 1; }

void test_device_properties() {
  cudaDeviceProp properties;
  std::memset(&properties, 0x5A, sizeof properties);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  EXPECT(std::strstr(properties.name, "RTX 3090") != nullptr);
  EXPECT(properties.major == 8 && properties.minor == 6);
  EXPECT(properties.multiProcessorCount == 82 && properties.warpSize == 32);
  EXPECT(properties.maxThreadsPerMultiProcessor == 1536);
  EXPECT(properties.maxBlocksPerMultiProcessor == 16);
  EXPECT(properties.reservedSharedMemPerBlock == 1024);
  EXPECT(properties.sharedMemPerBlockOptin == 101376);
  // Attributes alone in CUDA 13.
  int value = 0;
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0) == cudaSuccess);
  EXPECT(value > 0 && properties.clockRate == value);
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0) == cudaSuccess);
  EXPECT(value > 0 && properties.memoryClockRate == value);
  EXPECT(properties.computeMode == cudaComputeModeDefault && properties.deviceOverlap == 1);
  int chosen = -1;
  EXPECT(cudaChooseDevice(&chosen, &properties) == cudaSuccess && chosen == 0);
}

void test_versions() {
  int version = 0;
  EXPECT(cudaRuntimeGetVersion(&version) == cudaSuccess);
  EXPECT(version / 1000 == CUDART_VERSION / 1000);
}

/// A struct that became longer ends where the program's headers say.
void test_lengths() {
  struct {
    cudaPointerAttributes attributes;
    int after;
  } pointer = {{}, 17};
  int* memory = nullptr;
  EXPECT(cudaMalloc(&memory, 4) == cudaSuccess);
  EXPECT(cudaPointerGetAttributes(&pointer.attributes, memory) == cudaSuccess);
  EXPECT(pointer.attributes.type == cudaMemoryTypeDevice && pointer.after == 17);
  struct {
    cudaFuncAttributes attributes;
    int after;
  } function = {{}, 17};
  EXPECT(cudaFuncGetAttributes(&function.attributes, add_one) == cudaSuccess);
  EXPECT(function.attributes.maxThreadsPerBlock == 1024 && function.after == 17);
  cudaFree(memory);
}

void test_managed_memory() {
  int* memory = nullptr;
  EXPECT(cudaMallocManaged(&memory, 128) == cudaSuccess);
  EXPECT(cudaMemAdvise(memory, 128, cudaMemAdviseSetPreferredLocation, 0) == cudaSuccess);
  EXPECT(cudaMemAdvise(memory, 128, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId) == cudaSuccess);
  EXPECT(cudaMemPrefetchAsync(memory, 128, 0) == cudaSuccess);
  EXPECT(cudaMemPrefetchAsync(memory, 128, 7) == cudaErrorInvalidDevice);
  int where = 17;
  EXPECT(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributePreferredLocation,
                                  memory, 128) == cudaSuccess);
  EXPECT(where == 0);
  EXPECT(cudaMemPrefetchAsync(memory, 128, cudaCpuDeviceId) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(memory);
}

void test_thread_calls() {
  size_t bytes = 0;
  EXPECT(cudaThreadSetLimit(cudaLimitPrintfFifoSize, 1 << 20) == cudaSuccess);
  EXPECT(cudaThreadGetLimit(&bytes, cudaLimitPrintfFifoSize) == cudaSuccess && bytes == 1 << 20);
  cudaFuncCache config = cudaFuncCachePreferL1;
  EXPECT(cudaThreadSetCacheConfig(cudaFuncCachePreferShared) == cudaSuccess);
  EXPECT(cudaThreadGetCacheConfig(&config) == cudaSuccess);
  EXPECT(cudaThreadSynchronize() == cudaSuccess);
}

void test_copies_to_arrays() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  int there[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  EXPECT(cudaMallocArray(&array, &format, 4, 2) == cudaSuccess);
  EXPECT(cudaMemcpyToArray(array, 0, 0, there, sizeof there, cudaMemcpyHostToDevice) ==
         cudaSuccess);
  EXPECT(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  EXPECT(std::memcmp(there, back, sizeof back) == 0);
  cudaFreeArray(array);
}

void test_graphs() {
  int* memory = nullptr;
  EXPECT(cudaMalloc(&memory, 128) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemsetParams fill = {};
  fill.dst = memory;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  void* arguments[] = {&memory};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(add_one);
  kernel.gridDim = 1;
  kernel.blockDim = 32;
  kernel.kernelParams = arguments;
  cudaGraphNode_t first = nullptr, second = nullptr;
  EXPECT(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &fill) == cudaSuccess);
  EXPECT(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel) == cudaSuccess);
  EXPECT(cudaGraphAddDependencies(graph, &first, &second, 1) == cudaSuccess);
  cudaGraphNode_t from = nullptr, to = nullptr;
  size_t edges = 1, nodes = 1;
  EXPECT(cudaGraphGetEdges(graph, &from, &to, &edges) == cudaSuccess);
  EXPECT(edges == 1 && from == first && to == second);
  EXPECT(cudaGraphNodeGetDependencies(second, &from, &nodes) == cudaSuccess);
  EXPECT(nodes == 1 && from == first);
  cudaGraphExec_t executable = nullptr;
#if CUDART_VERSION < 12000
  cudaGraphNode_t bad = first;
  char log[64] = "text";
  EXPECT(cudaGraphInstantiate(&executable, graph, &bad, log, sizeof log) == cudaSuccess);
  EXPECT(bad == nullptr && log[0] == '\0');
#else
  EXPECT(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
#endif
  EXPECT(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  int values[32] = {};
  EXPECT(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(values[0] == 1 && values[31] == 1);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(memory);
}

void test_capture() {
  cudaStream_t stream = nullptr;
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  unsigned long long id = 0;
  EXPECT(cudaStreamGetCaptureInfo(stream, &status, &id) == cudaSuccess);
  EXPECT(status == cudaStreamCaptureStatusNone);
  cudaStreamDestroy(stream);
}

/// As textures are described before CUDA 13, without the fields that it added.
__global__ void read_texture(cudaTextureObject_t texture, float* to) {
  to[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x));
}

void test_texture_objects() {
  float values[32] = {}, *memory = nullptr, *out = nullptr;
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(i);
  EXPECT(cudaMalloc(&memory, sizeof values) == cudaSuccess);
  EXPECT(cudaMalloc(&out, sizeof values) == cudaSuccess);
  EXPECT(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice) == cudaSuccess);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof values;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &how, nullptr) == cudaSuccess);
  cudaResourceDesc told = {};
  EXPECT(cudaGetTextureObjectResourceDesc(&told, texture) == cudaSuccess);
  EXPECT(told.res.linear.devPtr == memory && told.res.linear.sizeInBytes == sizeof values);
  read_texture<<<1, 32>>>(texture, out);
  EXPECT(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(values[31] == 31);
  cudaDestroyTextureObject(texture);
  cudaFree(memory);
  cudaFree(out);
}

int main() {
  test_device_properties();
  test_versions();
  test_lengths();
  test_managed_memory();
  test_thread_calls();
  test_copies_to_arrays();
  test_graphs();
  test_capture();
  test_texture_objects();
  EXPECT(cudaThreadExit() == cudaSuccess);
  return failures == 0 ? 0 : 1;
}
