// SPDX-License-Identifier: MIT
// Errors that nobody looks at, launches that are refused, and what is never given back; see
// findings_test.py.
#include <cstdlib>

#include "emulator/checkers/testdata/one_of.cuh"

namespace {

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small_blocks() {}
__global__ void holds_a_hundred_values(int* data) {
  int values[100];
#pragma unroll
  for (int i = 0; i < 100; ++i) values[i] = data[i * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 100; ++i)
    data[(99 - i) * 32 + threadIdx.x] = values[i] + values[(i + 1) % 100];
}
__global__ void fails() { asm volatile("trap;"); }  // finds: trap.executed

// finds at <<<1, 2048>>>: api.not_launched(kernel=(anonymous namespace)::nothing(), why=misfit.threads(block=2048 x 1 x 1, most=1024, threads=2048))
// finds at <<<1, 2048>>>: api.launch_failed(error=cudaErrorInvalidValue (invalid argument))
void too_many_threads(int*) {
  nothing<<<1, 2048>>>();
  cudaDeviceSynchronize();
}

// finds at <<<0, 32>>>: why=misfit.no_blocks(grid=0 x 1 x 1)
void no_blocks(int*) {
  nothing<<<0, 32>>>();
  if (cudaGetLastError() == cudaSuccess) std::puts("launched");
}

// finds at <<<1, 128>>>: why=misfit.bounds(block=128 x 1 x 1, most=64, threads=128)
void beyond_its_bounds(int*) {
  small_blocks<<<1, 128>>>();
  cudaGetLastError();
}

// finds at <<<1, 1024>>>: why=misfit.registers(block=1024 x 1 x 1
void too_many_registers(int* data) {
  holds_a_hundred_values<<<1, 1024>>>(data);
  if (cudaGetLastError() != cudaErrorLaunchOutOfResources) std::puts("launched");
}

// finds at <<<1, 32, 60000>>>: why=misfit.shared(bytes=60000, most=49152)
void too_much_shared_memory(int*) {
  nothing<<<1, 32, 60000>>>();
  cudaGetLastError();
}

// finds at cudaMalloc(&memory: api.call_failed(call=cudaMalloc, error=cudaErrorMemoryAllocation (out of memory))
void went_on_without_memory(int*) {
  void* memory = nullptr;
  cudaMalloc(&memory, size_t{1} << 45);
  nothing<<<1, 32>>>();
  cudaDeviceSynchronize();
}

void looked_at_the_error(int*) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, size_t{1} << 45);
  if (error != cudaSuccess) std::puts(cudaGetErrorString(error));
  nothing<<<1, 32>>>();
  cudaDeviceSynchronize();
}

// finds at exit: api.kernel_failed(error=cudaErrorLaunchFailure (unspecified launch failure))
void did_not_wait(int*) { fails<<<1, 1>>>(); }

// finds at &first, 100: api.not_freed(bytes=300, count=2, origin=cudaMalloc, verb=verb.were)
// finds at cudaMallocHost(: api.not_freed(bytes=50, count=1, origin=cudaMallocHost, verb=verb.was)
// finds at exit: api.not_destroyed(objects=objects.streams(count=1), verb=verb.was)
// finds at exit: api.not_destroyed(objects=objects.events(count=2), verb=verb.were)
void left_behind(int*) {
  void *first = nullptr, *second = nullptr, *host = nullptr;
  cudaMalloc(&first, 100);
  cudaMalloc(&second, 200);
  cudaMallocHost(&host, 50);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) cudaEventCreate(&event);
}

__device__ int* kept_by_kernels[2];
__global__ void keeps() {
  kept_by_kernels[threadIdx.x] = new int[10];
  if (threadIdx.x == 1) delete[] kept_by_kernels[1];
}

// finds at exit: api.not_freed_in_kernels(bytes=40, count=1, verb=verb.was)
void left_behind_by_a_kernel(int*) {
  keeps<<<1, 2>>>();
  cudaDeviceSynchronize();
}

// finds at cudaGraphAddMemAllocNode(: api.not_freed(bytes=64, count=1, origin=cudaGraphAddMemAllocNode, verb=verb.was)
void left_behind_by_a_graph(int*) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = 64;
  cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// finds at cudaMallocManaged(: api.not_freed(bytes=400, count=1, origin=cudaMallocManaged, verb=verb.was)
void left_behind_by_exit(int*) {
  void* managed = nullptr;
  cudaMallocManaged(&managed, 400);
  std::exit(3);
}

void given_back(int*) {
  void* memory = nullptr;
  cudaMalloc(&memory, 100);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  nothing<<<1, 32, 0, stream>>>();
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(memory);
}

void given_back_by_reset(int*) {
  void* memory = nullptr;
  cudaMalloc(&memory, 100);
  cudaDeviceReset();
}

}  // namespace

int main(int argc, char** argv) {
  const OneOf cases[] = {
      ONE_OF_HOST(too_many_threads),
      ONE_OF_HOST(no_blocks),
      ONE_OF_HOST(beyond_its_bounds),
      ONE_OF_HOST(too_much_shared_memory),
      ONE_OF_HOST(too_many_registers),
      ONE_OF_HOST(went_on_without_memory),
      ONE_OF_HOST(looked_at_the_error),
      ONE_OF_HOST(did_not_wait),
      ONE_OF_HOST(left_behind),
      ONE_OF_HOST(left_behind_by_a_kernel),
      ONE_OF_HOST(left_behind_by_a_graph),
      ONE_OF_HOST(left_behind_by_exit),
      ONE_OF_HOST(given_back),
      ONE_OF_HOST(given_back_by_reset),
  };
  return run_one_of(cases, argc, argv);
}
