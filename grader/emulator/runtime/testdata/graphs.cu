// SPDX-License-Identifier: MIT
// Streams, events and graphs: captured and explicit ones, launched, updated and destroyed.
#include <cstdint>
#include <thread>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void scale(int* values, int factor) { values[threadIdx.x] *= factor; }
__global__ void without_parameters() {}

static void note(void* order) { static_cast<std::vector<int>*>(order)->push_back(1); }
static void note_again(void* order) { static_cast<std::vector<int>*>(order)->push_back(2); }

static void check_host_functions() {
  std::vector<int> order;
  cudaStream_t stream;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaLaunchHostFunc(stream, note, &order));
  EXPECT_SUCCESS(cudaLaunchHostFunc(stream, note_again, &order));
  EXPECT_SUCCESS(cudaStreamSynchronize(stream));
  EXPECT((order == std::vector<int>{1, 2}));
  int* managed;
  EXPECT_SUCCESS(cudaMallocManaged(&managed, 4));
  EXPECT_SUCCESS(cudaStreamAttachMemAsync(stream, managed, 0, cudaMemAttachSingle));
  cudaEvent_t event;
  EXPECT_SUCCESS(cudaEventCreate(&event));
  EXPECT_SUCCESS(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
  EXPECT_SUCCESS(cudaStreamWaitEvent(nullptr, event, 0));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

static void check_capture(int* values, int* host) {
  cudaStream_t main_stream, side;
  cudaEvent_t forked, joined;
  EXPECT_SUCCESS(cudaStreamCreate(&main_stream));
  EXPECT_SUCCESS(cudaStreamCreate(&side));
  EXPECT_SUCCESS(cudaEventCreate(&forked));
  EXPECT_SUCCESS(cudaEventCreate(&joined));
  EXPECT_ERROR(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
               cudaErrorStreamCaptureUnsupported);
  std::vector<int> order;
  host[0] = -1;
  EXPECT_SUCCESS(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  EXPECT_SUCCESS(cudaMemsetAsync(values, 0, 128, main_stream));
  add<<<1, 32, 0, main_stream>>>(values, 3);
  EXPECT_SUCCESS(cudaEventRecord(forked, main_stream));
  EXPECT_SUCCESS(cudaStreamWaitEvent(side, forked, 0));
  scale<<<1, 32, 0, side>>>(values, 5);
  EXPECT_SUCCESS(cudaEventRecord(joined, side));
  EXPECT_SUCCESS(cudaStreamWaitEvent(main_stream, joined, 0));
  EXPECT_SUCCESS(cudaMemcpyAsync(host, values, 128, cudaMemcpyDeviceToHost, main_stream));
  EXPECT_SUCCESS(cudaLaunchHostFunc(main_stream, note, &order));
  cudaStreamCaptureStatus status;
  EXPECT_SUCCESS(cudaStreamIsCapturing(side, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamEndCapture(main_stream, &graph));
  EXPECT(host[0] == -1 && order.empty());
  size_t count = 0;
  EXPECT_SUCCESS(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 5);
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  for (int turn = 0; turn < 3; ++turn) EXPECT_SUCCESS(cudaGraphLaunch(exec, main_stream));
  EXPECT_SUCCESS(cudaStreamSynchronize(main_stream));
  EXPECT(host[31] == 15 && order.size() == 3);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
}

static void check_broken_captures(int* values) {
  cudaStream_t stream, side;
  cudaEvent_t forked;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamCreate(&side));
  EXPECT_SUCCESS(cudaEventCreate(&forked));
  cudaGraph_t graph;
  EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT_ERROR(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT_SUCCESS(cudaEventRecord(forked, stream));
  EXPECT_SUCCESS(cudaStreamWaitEvent(side, forked, 0));
  add<<<1, 32, 0, side>>>(values, 1);
  EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_SUCCESS(cudaStreamSynchronize(side));
}

/// What an H100 does with CUDA 13.0: a wait that no capture can hold breaks all captures that it is about.
static void check_waits_that_break_captures(int* values) {
  cudaStream_t one, other;
  cudaEvent_t captured, before;
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamCreate(&one));
  EXPECT_SUCCESS(cudaStreamCreate(&other));
  EXPECT_SUCCESS(cudaEventCreate(&captured));
  EXPECT_SUCCESS(cudaEventCreate(&before));
  EXPECT_SUCCESS(cudaEventRecord(before, other));
  EXPECT_SUCCESS(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  EXPECT_ERROR(cudaStreamWaitEvent(one, before, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_SUCCESS(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaEventRecord(captured, one));
  EXPECT_ERROR(cudaStreamWaitEvent(other, captured, 0), cudaErrorStreamCaptureMerge);
  EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_ERROR(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_SUCCESS(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaEventRecord(captured, one));
  EXPECT_ERROR(cudaStreamWaitEvent(nullptr, captured, 0), cudaErrorStreamCaptureImplicit);
  EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
  add<<<1, 32>>>(values, 0);
  EXPECT_SUCCESS(cudaGetLastError());
  EXPECT_SUCCESS(cudaStreamDestroy(one));
  EXPECT_SUCCESS(cudaStreamDestroy(other));
}

/// cudaEventRecordWithFlags and cudaStreamWaitEvent: external events of a capture are nodes of its graph.
static void check_external_events(int* values) {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaEventCreate(&begin));
  EXPECT_SUCCESS(cudaEventCreate(&end));
  EXPECT_SUCCESS(cudaEventRecord(begin, stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_SUCCESS(cudaStreamWaitEvent(stream, begin, cudaEventWaitExternal));
  EXPECT_SUCCESS(cudaEventRecordWithFlags(begin, stream, cudaEventRecordExternal));
  add<<<1, 32, 0, stream>>>(values, 0);
  EXPECT_SUCCESS(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[4] = {};
  size_t count = 4;
  EXPECT_SUCCESS(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 4);
  constexpr cudaGraphNodeType kTypes[] = {cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord,
                                          cudaGraphNodeTypeKernel, cudaGraphNodeTypeEventRecord};
  for (size_t i = 0; i < count; ++i) {
    cudaGraphNodeType type;
    EXPECT_SUCCESS(cudaGraphNodeGetType(nodes[i], &type));
    EXPECT(type == kTypes[i]);
  }
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
  EXPECT_SUCCESS(cudaEventSynchronize(end));
  float ms = -1;
  EXPECT_SUCCESS(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms > 0);
  EXPECT_ERROR(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal),
               cudaErrorIllegalState);
  EXPECT_ERROR(cudaStreamWaitEvent(stream, end, cudaEventWaitExternal), cudaErrorIllegalState);
  EXPECT_ERROR(cudaEventRecordWithFlags(end, stream, 2), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaStreamWaitEvent(stream, end, 2), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaEventDestroy(begin));
  EXPECT_SUCCESS(cudaEventDestroy(end));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/// What an H100 does with CUDA 13.0.
static void check_open_captures_are_kept(int* values) {
  cudaStream_t stream;
  cudaStreamCaptureStatus status;
  unsigned long long first = 0, second = 0;
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaStreamGetCaptureInfo(stream, &status, &first));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaStreamGetCaptureInfo(stream, &status, &second, &graph));
  EXPECT(first != second);
  EXPECT_ERROR(cudaGraphDestroy(graph), cudaErrorIllegalState);
  add<<<1, 32, 0, stream>>>(values, 0);
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/// What an H100 does with CUDA 13.0.
static void check_refused_work_in_captures(int* values, int* host) {
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaEventCreate(&event));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 2048, 0, stream>>>(values, 1);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemcpyAsync(host, values, 4, cudaMemcpyDeviceToHost, stream),
               cudaErrorStreamCaptureInvalidated);
  EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_SUCCESS(cudaEventRecord(event, stream));
  EXPECT_ERROR(cudaEventSynchronize(event), cudaErrorCapturedEvent);
  EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_ERROR(cudaMemcpyAsync(nullptr, values, 4, cudaMemcpyDeviceToHost, stream),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaMemcpyAsync(host, values, 4, cudaMemcpyDeviceToHost, stream));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaEventDestroy(event));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/// Begins a capture of a stream, makes the call, and says whether that broke the capture.
template <class Call>
static bool breaks_capture(cudaStreamCaptureMode mode, unsigned flags, cudaError_t wanted,
                           Call call) {
  cudaStream_t stream;
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream, flags));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, mode));
  EXPECT_ERROR(call(), wanted);
  cudaGetLastError();
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  EXPECT(ended == cudaSuccess || ended == cudaErrorStreamCaptureInvalidated);
  if (ended == cudaSuccess) EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
  cudaGetLastError();
  return ended != cudaSuccess;
}

static cudaError_t allocate() {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, 4);
  if (error == cudaSuccess) cudaFree(memory);
  return error;
}

static cudaError_t allocate_relaxed() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_SUCCESS(cudaThreadExchangeStreamCaptureMode(&mode));
  const cudaError_t error = allocate();
  EXPECT_SUCCESS(cudaThreadExchangeStreamCaptureMode(&mode));
  return error;
}

/// The result of the call in another thread.
template <class Call>
static cudaError_t elsewhere(Call call) {
  cudaError_t error = cudaErrorUnknown;
  std::thread([&] { error = call(); }).join();
  return error;
}

static void check_unsafe_calls_beside_captures() {
  constexpr auto kGlobal = cudaStreamCaptureModeGlobal, kLocal = cudaStreamCaptureModeThreadLocal,
                 kRelaxed = cudaStreamCaptureModeRelaxed;
  constexpr unsigned kAside = cudaStreamNonBlocking;
  constexpr auto kRefused = cudaErrorStreamCaptureUnsupported;
  EXPECT(breaks_capture(kGlobal, 0, kRefused, allocate));
  EXPECT(breaks_capture(kLocal, 0, kRefused, allocate));
  EXPECT(!breaks_capture(kRelaxed, 0, cudaSuccess, allocate));
  EXPECT(!breaks_capture(kGlobal, 0, cudaSuccess, allocate_relaxed));
  EXPECT(breaks_capture(kGlobal, 0, kRefused, [] { return elsewhere(allocate); }));
  EXPECT(!breaks_capture(kLocal, 0, cudaSuccess, [] { return elsewhere(allocate); }));
  EXPECT(breaks_capture(kGlobal, kAside, kRefused, [] { return cudaFree(nullptr); }));
  EXPECT(breaks_capture(kRelaxed, kAside, kRefused, [] { return cudaDeviceSynchronize(); }));
}

static void check_legacy_work_beside_captures(int* values) {
  constexpr auto kGlobal = cudaStreamCaptureModeGlobal, kRelaxed = cudaStreamCaptureModeRelaxed;
  const auto launch = [=] {
    add<<<1, 32>>>(values, 0);
    return cudaGetLastError();
  };
  const auto fill = [=] { return cudaMemset(values, 0, 4); };
  EXPECT(breaks_capture(kGlobal, 0, cudaErrorStreamCaptureImplicit, launch));
  EXPECT(breaks_capture(kRelaxed, 0, cudaErrorStreamCaptureImplicit, launch));
  EXPECT(!breaks_capture(kGlobal, cudaStreamNonBlocking, cudaSuccess, launch));
  EXPECT(breaks_capture(kGlobal, 0, cudaErrorStreamCaptureImplicit, fill));
  EXPECT(!breaks_capture(kGlobal, cudaStreamNonBlocking, cudaSuccess, fill));
}

static cudaKernelNodeParams kernel_node(void* kernel, void** arguments) {
  cudaKernelNodeParams params = {};
  params.func = kernel;
  params.gridDim = 1;
  params.blockDim = 32;
  params.kernelParams = arguments;
  return params;
}

static void check_explicit_graph(int* values, int* host) {
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zeros = {};
  zeros.dst = values;
  zeros.value = 7;
  zeros.elementSize = 4;
  zeros.width = 32;
  zeros.height = 1;
  zeros.pitch = 128;
  cudaGraphNode_t fill, kernel, copy, last;
  EXPECT_SUCCESS(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros));
  int amount = 3;
  void* arguments[] = {&values, &amount};
  const auto params = kernel_node(reinterpret_cast<void*>(add), arguments);
  EXPECT_SUCCESS(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &params));
  // A kernel without parameters needs no list of them.
  cudaGraphNode_t plain;
  auto none = kernel_node(reinterpret_cast<void*>(without_parameters), nullptr);
  EXPECT_SUCCESS(cudaGraphAddKernelNode(&plain, graph, nullptr, 0, &none));
  none.func = reinterpret_cast<void*>(add);
  EXPECT_ERROR(cudaGraphAddKernelNode(&plain, graph, nullptr, 0, &none), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, values, 128,
                                          cudaMemcpyDeviceToHost));
  EXPECT_SUCCESS(cudaGraphAddDependencies(graph, &fill, &kernel, nullptr, 1));
  EXPECT(cudaGraphAddDependencies(graph, &fill, &kernel, nullptr, 1) == cudaErrorInvalidValue);
  EXPECT(cudaGraphAddDependencies(graph, &fill, &fill, nullptr, 1) == cudaErrorInvalidValue);
  std::vector<int> order;
  const cudaHostNodeParams function = {note, &order};
  EXPECT_SUCCESS(cudaGraphAddHostNode(&last, graph, &copy, 1, &function));
  cudaGraphNodeType type;
  EXPECT_SUCCESS(cudaGraphNodeGetType(fill, &type));
  EXPECT(type == cudaGraphNodeTypeMemset);
  amount = 100;
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(host[0] == 10 && host[31] == 10 && order.size() == 1);
  const auto other = kernel_node(reinterpret_cast<void*>(scale), arguments);
  EXPECT_SUCCESS(cudaGraphExecKernelNodeSetParams(exec, kernel, &other));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT(host[31] == 700);
  EXPECT_SUCCESS(cudaGraphKernelNodeSetParams(kernel, &params));
  cudaGraphExecUpdateResultInfo info;
  EXPECT_SUCCESS(cudaGraphExecUpdate(exec, graph, &info));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT(host[31] == 107 && info.result == cudaGraphExecUpdateSuccess);
  EXPECT_SUCCESS(cudaGraphAddDependencies(graph, &last, &fill, nullptr, 1));
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess);
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

static cudaMemAllocNodeParams device_memory(size_t bytes) {
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = bytes;
  return params;
}

// Memory that a graph allocates, uses and leaves for the program or another graph to free.
static void check_memory_nodes(int* host) {
  cudaGraph_t graph, frees;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = device_memory(128);
  cudaGraphNode_t allocation, fill, copy, release;
  EXPECT_SUCCESS(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params));
  cudaMemsetParams ones = {};
  ones.dst = params.dptr;
  ones.value = 1;
  ones.elementSize = 4;
  ones.width = 32;
  ones.height = 1;
  EXPECT_SUCCESS(cudaGraphAddMemsetNode(&fill, graph, &allocation, 1, &ones));
  EXPECT_SUCCESS(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, host, params.dptr, 128,
                                          cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec, exec_frees;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphCreate(&frees, 0));
  EXPECT_SUCCESS(cudaGraphAddMemFreeNode(&release, frees, nullptr, 0, params.dptr));
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec_frees, frees, 0));
  void* freed = nullptr;
  EXPECT_SUCCESS(cudaGraphMemFreeNodeGetParams(release, &freed));
  EXPECT(freed == params.dptr);
  host[31] = 0;
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  uint64_t used = 0;
  EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT(host[31] == 1 && used == 32 << 20);
  EXPECT_ERROR(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphLaunch(exec_frees, nullptr));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaFreeAsync(params.dptr, nullptr));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaFree(params.dptr));
  // What is mapped stays until it is trimmed, as on an H200 with driver 580.
  EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT(used == 32 << 20);
  EXPECT_SUCCESS(cudaDeviceGraphMemTrim(0));
  EXPECT_SUCCESS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  cudaGraphExec_t again;
  EXPECT_SUCCESS(cudaGraphInstantiate(&again, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  EXPECT_SUCCESS(cudaGraphLaunch(again, nullptr));
  EXPECT_SUCCESS(cudaGraphLaunch(again, nullptr));
  EXPECT_SUCCESS(cudaFree(params.dptr));
}

/// A launch that is refused for what the one before left makes no allocation.
static void check_refused_launch_of_memory_nodes() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t first, release, second;
  EXPECT_SUCCESS(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = device_memory(128);
  EXPECT_SUCCESS(cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &params));
  EXPECT_SUCCESS(cudaGraphAddMemFreeNode(&release, graph, &first, 1, params.dptr));
  EXPECT_SUCCESS(cudaGraphAddMemAllocNode(&second, graph, &release, 1, &params));
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_ERROR(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaFreeAsync(params.dptr, nullptr));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  EXPECT_SUCCESS(cudaFree(params.dptr));
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_ERROR(cudaGraphInstantiate(&exec, graph, 99999), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

static void check_captured_memory(int* host) {
  cudaStream_t stream;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* values;
  EXPECT_SUCCESS(cudaMallocAsync(&values, 128, stream));
  EXPECT_SUCCESS(cudaMemsetAsync(values, 0, 128, stream));
  add<<<1, 32, 0, stream>>>(values, 4);
  EXPECT_SUCCESS(cudaMemcpyAsync(host, values, 128, cudaMemcpyDeviceToHost, stream));
  EXPECT_SUCCESS(cudaFreeAsync(values, stream));
  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  size_t count = 0;
  EXPECT_SUCCESS(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 5);
  cudaGraphExec_t exec;
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    host[0] = 0;
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT(host[0] == 4);
  }
}

int main() {
  int *values, host[32];
  EXPECT_SUCCESS(cudaMalloc(&values, 128));
  check_host_functions();
  check_capture(values, host);
  check_broken_captures(values);
  check_waits_that_break_captures(values);
  check_external_events(values);
  check_open_captures_are_kept(values);
  check_refused_work_in_captures(values, host);
  check_unsafe_calls_beside_captures();
  check_legacy_work_beside_captures(values);
  check_explicit_graph(values, host);
  check_memory_nodes(host);
  check_refused_launch_of_memory_nodes();
  check_captured_memory(host);
  return failures;
}
