// SPDX-License-Identifier: MIT
// A program that nvcc compiles with --default-stream per-thread: its null stream is one of each host thread's own.
#include <thread>

#include "emulator/runtime/testdata/expect.h"

static __global__ void add(int* values, int value) { values[threadIdx.x] += value; }

static unsigned long long id_of(cudaStream_t stream) {
  unsigned long long id = 0;
  EXPECT_SUCCESS(cudaStreamGetId(stream, &id));
  return id;
}

static void check_what_the_stream_is() {
  EXPECT(id_of(nullptr) == id_of(cudaStreamPerThread));
  EXPECT(id_of(nullptr) != id_of(cudaStreamLegacy));
  unsigned long long others = 0;
  std::thread([&] { others = id_of(nullptr); }).join();
  EXPECT(others != id_of(nullptr) && others != id_of(cudaStreamLegacy));
  unsigned flags = 9;
  int priority = 9;
  EXPECT_SUCCESS(cudaStreamGetFlags(nullptr, &flags));
  EXPECT_SUCCESS(cudaStreamGetPriority(nullptr, &priority));
  EXPECT(flags == cudaStreamDefault && priority == 0);
  EXPECT_SUCCESS(cudaStreamQuery(nullptr));
  EXPECT_ERROR(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
}

/// The Programming Guide, "Creating a Graph Using Stream Capture".
static void check_capture(int* values) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  EXPECT_SUCCESS(cudaMemset(values, 0, 128));
  EXPECT_SUCCESS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  add<<<1, 32>>>(values, 3);
  add<<<1, 32, 0, cudaStreamPerThread>>>(values, 4);
  EXPECT_SUCCESS(cudaStreamIsCapturing(cudaStreamPerThread, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  std::thread([&] {
    EXPECT_SUCCESS(cudaStreamIsCapturing(nullptr, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
  }).join();
  EXPECT_SUCCESS(cudaStreamEndCapture(nullptr, &graph));
  size_t count = 0;
  EXPECT_SUCCESS(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 2);
  EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_SUCCESS(cudaGraphLaunch(exec, nullptr));
  int first = 0;
  EXPECT_SUCCESS(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT(first == 7);
  EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
}

static void check_calls_beside_a_capture(int* values) {
  cudaGraph_t graph;
  cudaStream_t stream;
  EXPECT_ERROR(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed),
               cudaErrorStreamCaptureUnsupported);
  // The legacy stream and this one wait for each other.
  EXPECT_SUCCESS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed));
  EXPECT_ERROR(cudaMemsetAsync(values, 0, 4, cudaStreamLegacy), cudaErrorStreamCaptureImplicit);
  EXPECT_ERROR(cudaStreamEndCapture(nullptr, &graph), cudaErrorStreamCaptureInvalidated);
  // A transfer that waits goes by way of this one,
  EXPECT_SUCCESS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed));
  EXPECT_ERROR(cudaMemset(values, 0, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_ERROR(cudaStreamEndCapture(nullptr, &graph), cudaErrorStreamCaptureInvalidated);
  // and leaves others alone.
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_SUCCESS(cudaMemset(values, 0, 4));
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/// Threads whose streams wait for each other by events, and by way of the legacy stream.
static void check_order_of_threads(int* values) {
  cudaEvent_t done;
  EXPECT_SUCCESS(cudaEventCreate(&done));
  EXPECT_SUCCESS(cudaMemsetAsync(values, 0, 128));
  add<<<1, 32>>>(values, 1);
  EXPECT_SUCCESS(cudaEventRecord(done));
  std::thread([&] {
    EXPECT_SUCCESS(cudaStreamWaitEvent(nullptr, done, 0));
    add<<<1, 32>>>(values, 1);
  }).join();
  add<<<1, 32, 0, cudaStreamLegacy>>>(values, 1);
  add<<<1, 32>>>(values, 1);
  int first = 0;
  EXPECT_SUCCESS(cudaMemcpyAsync(&first, values, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT_SUCCESS(cudaStreamSynchronize(nullptr));
  EXPECT(first == 4);
  EXPECT_SUCCESS(cudaEventDestroy(done));
}

/// A callback may ask what it wants of streams.
static void check_callback() {
  static unsigned long long inside = 0;
  const auto look = [](cudaStream_t, cudaError_t, void*) { cudaStreamGetId(nullptr, &inside); };
  EXPECT_SUCCESS(cudaStreamAddCallback(nullptr, look, nullptr, 0));
  EXPECT_SUCCESS(cudaStreamSynchronize(nullptr));
  EXPECT(inside == id_of(cudaStreamPerThread));
}

int main() {
  int* values = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&values, 128));
  check_what_the_stream_is();
  check_capture(values);
  check_calls_beside_a_capture(values);
  check_order_of_threads(values);
  check_callback();
  EXPECT_SUCCESS(cudaFree(values));
  return failures;
}
