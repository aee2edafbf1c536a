// SPDX-License-Identifier: MIT
// Copies and fills by every way there is, each in a range of its own, for transfers_test.py to find in the record.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr size_t kRow = 64, kRows = 8, kBytes = kRow * kRows;

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorName(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

template <class Body>
void in_range(const char* name, Body body) {
  nvtxRangePushA(name);
  body();
  CHECK(cudaDeviceSynchronize());
  nvtxRangePop();
}

char *first, *second;

void run_graph(cudaGraph_t graph) {
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, nullptr));
  CHECK(cudaGraphLaunch(ready, nullptr));
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
}

void copy_by_calls(std::vector<char>& host) {
  in_range("to the device",
           [&] { CHECK(cudaMemcpy(first, host.data(), kBytes, cudaMemcpyDefault)); });
  in_range("to the host",
           [&] { CHECK(cudaMemcpy(host.data(), first, kBytes, cudaMemcpyDefault)); });
  in_range("on the host",
           [&] { CHECK(cudaMemcpy(host.data(), host.data() + kRow, kRow, cudaMemcpyHostToHost)); });
  in_range("2D",
           [&] { CHECK(cudaMemcpy2D(first, kRow, second, kRow, 4, kRows, cudaMemcpyDefault)); });
  in_range("fill", [&] { CHECK(cudaMemset2D(first, kRow, 1, 4, kRows)); });
  in_range("batch", [&] {
    void* const to[] = {first, first + kRow, host.data()};
    const void* const from[] = {second, second + kRow, second};
    const size_t sizes[] = {kRow, kRow, 4};
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    size_t index = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
#if CUDART_VERSION >= 13000
    CHECK(cudaMemcpyBatchAsync((const void**)to, (const void**)from, sizes, 3, &attributes, &index,
                               1, stream));
#else
    size_t fail = 0;
    CHECK(cudaMemcpyBatchAsync((void**)to, (void**)from, (size_t*)sizes, 3, &attributes, &index, 1, &fail, stream));
#endif
    CHECK(cudaStreamDestroy(stream));
  });
}

void copy_by_arrays() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t one, two;
  CHECK(cudaMallocArray(&one, &format, kRow / 4, kRows));
  CHECK(cudaMallocArray(&two, &format, kRow / 4, kRows));
  in_range("to an array", [&] {
    CHECK(cudaMemcpy2DToArray(one, 0, 0, first, kRow, kRow, kRows, cudaMemcpyDeviceToDevice));
  });
  in_range("between arrays", [&] {
    CHECK(cudaMemcpy2DArrayToArray(two, 0, 0, one, 0, 0, kRow, kRows, cudaMemcpyDeviceToDevice));
  });
  in_range("from an array", [&] {
    CHECK(cudaMemcpy2DFromArrayAsync(second, kRow, two, 0, 0, kRow, kRows, cudaMemcpyDeviceToDevice,
                                     0));
  });
  CHECK(cudaFreeArray(one));
  CHECK(cudaFreeArray(two));
}

void copy_by_graphs() {
  in_range("nodes", [&] {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, first, second, kBytes,
                                   cudaMemcpyDefault));
    cudaMemcpy3DParms rows = {};
    rows.kind = cudaMemcpyDefault;
    rows.srcPtr = make_cudaPitchedPtr(second, kRow, kRow, kRows);
    rows.dstPtr = make_cudaPitchedPtr(first, kRow, kRow, kRows);
    rows.extent = make_cudaExtent(4, kRows, 1);
    CHECK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &rows));
    cudaMemsetParams fill = {};
    fill.dst = first;
    fill.elementSize = 4;
    fill.width = kRows;
    fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
    run_graph(graph);
  });
  in_range("captured", [&] {
    cudaStream_t stream;
    cudaGraph_t graph;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(first, second, kBytes, cudaMemcpyDefault, stream));
    CHECK(cudaMemsetAsync(first, 0, kRow, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    run_graph(graph);
    CHECK(cudaStreamDestroy(stream));
  });
}

__global__ void copies(char* to, const char* from) {
  cudaMemcpyAsync(to, from, kRow, cudaMemcpyDeviceToDevice, cudaStreamPerThread);
  cudaMemcpy2DAsync(to, kRow, from, kRow, 4, kRows, cudaMemcpyDeviceToDevice, cudaStreamPerThread);
  cudaMemsetAsync(to, 0, 4, cudaStreamPerThread);
}

/// Counts in full, and then ends by a fault.
__global__ void traps(char* memory) {
  memory[0] = 1;
  __threadfence_system();
  asm volatile("trap;");
}

int main() {
  std::vector<char> host(kBytes);
  CHECK(cudaMalloc(&first, kBytes));
  CHECK(cudaMalloc(&second, kBytes));
  CHECK(cudaMemset(second, 0, kBytes));
  copy_by_calls(host);
  copy_by_arrays();
  copy_by_graphs();
  in_range("kernel", [] { copies<<<1, 1>>>(first, second); });
  CHECK(cudaSetDevice(1));
  char* there;
  CHECK(cudaMalloc(&there, kBytes));
  in_range("between devices", [&] { CHECK(cudaMemcpyPeer(there, 1, first, 0, kBytes)); });
  nvtxRangePushA("faults");
  traps<<<1, 1>>>(there);
  traps<<<1, 1>>>(there);
  if (cudaDeviceSynchronize() == cudaSuccess) return 1;
  nvtxRangePop();
}
