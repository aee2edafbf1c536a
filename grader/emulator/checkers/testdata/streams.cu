// SPDX-License-Identifier: MIT
// Programs whose streams race, and twins that order them: streams_test.py runs each. Behind
// "// race:" stands what the finding in the racy twin says; race-free twins raise none.
#include <atomic>
#include <thread>
#include <vector>

#include "emulator/checkers/testdata/streams.cuh"

namespace {

// race: race.streams( & second=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & second_stream=stream.numbered(stream=2) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=stream.numbered(stream=1) & other_act=act.writes
STREAMS(two_kernels) {
  launch_fill(m.x, 1, m.a);
  launch_copy(m.y, m.x, Racy ? m.b : m.a);
}

// race: race.streams( & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=2) & other_act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & second=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & second_stream=stream.numbered(stream=1) & act=act.writes
STREAMS(event_wait) {
  launch_fill(m.x, 1, m.a);
  cudaEventRecord(m.event, m.a);
  if (!Racy) cudaStreamWaitEvent(m.b, m.event, 0);
  cudaMemcpyAsync(m.pinned, m.x, kBytes, cudaMemcpyDeviceToHost, m.b);
}

// race: race.streams( & second_stream=stream.numbered(stream=2) & act=act.writes & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.call(call=cudaMemsetAsync) & first_stream=stream.numbered(stream=1) & other_act=act.writes
STREAMS(event_recorded_too_early) {
  if (Racy) cudaEventRecord(m.event, m.a);
  cudaMemsetAsync(m.x, 0, kBytes, m.a);
  if (!Racy) cudaEventRecord(m.event, m.a);
  cudaStreamWaitEvent(m.b, m.event, 0);
  launch_fill(m.x, 1, m.b);
}

// race: race.streams( & act=act.writes & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(write_after_read) {
  launch_copy(m.y, m.x, m.a);
  if (!Racy) {
    cudaEventRecord(m.event, m.a);
    cudaEventSynchronize(m.event);
  }
  launch_fill(m.x, 3, m.b);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(stream_synchronize) {
  launch_fill(m.x, 1, m.a);
  cudaStreamSynchronize(Racy ? m.b : m.a);
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(device_synchronize) {
  if (Racy) cudaDeviceSynchronize();
  launch_fill(m.x, 1, m.a);
  if (!Racy) cudaDeviceSynchronize();
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(stream_query) {
  launch_fill(m.x, 1, m.a);
  while (cudaStreamQuery(Racy ? m.b : m.a) == cudaErrorNotReady) {
  }
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(event_query) {
  launch_fill(m.x, 1, m.a);
  cudaEventRecord(m.event, m.a);
  while (cudaEventQuery(m.event) == cudaErrorNotReady && !Racy) {
  }
  launch_copy(m.y, m.x, m.b);
}

/// A time that is asked for too early is refused, and nothing has waited.
// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(elapsed_time) {
  cudaEvent_t done;
  cudaEventCreate(&done);
  launch_fill(m.x, 1, m.a);
  cudaEventRecord(done, m.a);
  if (!Racy) cudaEventSynchronize(done);
  float ms = 0;
  cudaEventElapsedTime(&ms, done, done);
  launch_copy(m.y, m.x, m.b);
  cudaEventDestroy(done);
}

/// Whoever asks for a time until it is there has waited.
// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(elapsed_time_asked_again) {
  cudaEvent_t done;
  cudaEventCreate(&done);
  launch_fill(m.x, 1, m.a);
  cudaEventRecord(done, m.a);
  float ms = 0;
  while (cudaEventElapsedTime(&ms, done, done) == cudaErrorNotReady && !Racy) {
  }
  launch_copy(m.y, m.x, m.b);
  cudaEventDestroy(done);
}

// race: race.streams( & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=4) & other_act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & second=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & second_stream=stream.default & act=act.writes & advice=advice.default_stream
STREAMS(default_stream) {
  cudaStream_t blocking, non_blocking;
  cudaStreamCreate(&blocking);
  cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking);
  launch_fill(m.x, 1, nullptr);
  cudaMemcpyAsync(m.pinned, m.x, kBytes, cudaMemcpyDeviceToHost, Racy ? non_blocking : blocking);
  cudaStreamDestroy(blocking);
  cudaStreamDestroy(non_blocking);
}

// race: race.streams( & act=act.writes & object=allocation.made(bytes=16384, origin=
STREAMS(default_stream_after) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, Racy ? cudaStreamNonBlocking : cudaStreamDefault);
  launch_copy(m.y, m.x, stream);
  launch_fill(m.x, 1, nullptr);
  cudaStreamDestroy(stream);
}

// race: race.streams( & second_stream=stream.numbered(stream=2) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.call(call=cudaMemset) & first_stream=stream.default & other_act=act.writes
STREAMS(memset_of_the_default_stream) {
  cudaMemset(m.x, 1, kBytes);
  if (!Racy) cudaDeviceSynchronize();
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & first=work.call(call=cudaMemcpy) & first_stream=stream.default & other_act=act.writes
STREAMS(copy_within_the_device) {
  cudaMemcpy(m.x, m.y, kBytes, cudaMemcpyDeviceToDevice);
  if (!Racy) cudaStreamSynchronize(nullptr);
  launch_copy(m.z, m.x, m.b);
}

// race: race.streams( & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.writes
STREAMS(copy_to_the_device) {
  std::vector<int> host(kCount, 5);
  if (Racy) {
    cudaMemcpyAsync(m.x, m.pinned, kBytes, cudaMemcpyHostToDevice, m.a);
  } else {
    cudaMemcpy(m.x, host.data(), kBytes, cudaMemcpyHostToDevice);
  }
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & second_stream=stream.numbered(stream=2) & act=act.writes & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(copy_to_pageable_memory) {
  std::vector<int> host(kCount);
  int* const to = Racy ? m.pinned : host.data();
  cudaMemcpyAsync(to, m.x, kBytes, cudaMemcpyDeviceToHost, m.a);
  launch_fill(m.x, 1, m.b);
}

// race: race.streams( & second=work.call(call=cudaMemcpyAsync) & second_stream=stream.numbered(stream=2) & act=act.writes & object=allocation.made(bytes=16384, origin=cudaHostAlloc) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(page_locked_memory) {
  cudaMemcpyAsync(m.x, m.pinned, kBytes, cudaMemcpyHostToDevice, m.a);
  cudaMemcpyAsync(m.pinned, m.y, kBytes, cudaMemcpyDeviceToHost, Racy ? m.b : m.a);
}

// race: race.streams( & first=8188, last=8191 & allocation.made(bytes=16384, origin=
STREAMS(halves) {
  const int half = kCount / 2;
  fill<<<half / kBlock, kBlock, 0, m.a>>>(m.x, 1);
  fill<<<half / kBlock, kBlock, 0, m.b>>>(m.x + half - Racy, 2);
}

// race: race.streams( & allocation.made(bytes=16384, origin= & offset=1)
STREAMS(every_other_byte) {
  auto* const to = reinterpret_cast<unsigned char*>(m.x);
  auto* const from = reinterpret_cast<unsigned char*>(m.y);
  copy_bytes<<<4, kBlock, 0, m.a>>>(to, from, 1);
  copy_bytes<<<4, kBlock, 0, m.b>>>(to, from, Racy ? 1 : 0);
}

// race: race.streams( & first=64, last=95 & allocation.made(bytes=16384, origin=
STREAMS(columns) {
  cudaMemset2DAsync(m.x, 128, 1, 64 + 32 * Racy, kBytes / 128, m.a);
  cudaMemset2DAsync(m.x + 16, 128, 2, 64, kBytes / 128, m.b);
}

// race: race.streams( & act=act.writes & object=allocation.made(bytes=16384, origin=
STREAMS(readers) {
  launch_copy(m.y, m.x, m.a);
  launch_copy(m.z, m.x, m.b);
  if (Racy) launch_fill(m.x, 1, m.b);
}

// race: race.streams( & act=act.writes & object=where.byte
STREAMS(atomics) {
  count<<<4, 32, 0, m.a>>>(m.x);
  if (Racy) {
    fill<<<1, 1, 0, m.b>>>(m.x, 1);
  } else {
    count<<<4, 32, 0, m.b>>>(m.x);
  }
}

// race: race.streams( & count_in_block(int*)), first_stream=stream.numbered(stream=1) & act=act.writes
STREAMS(atomics_of_a_block) {
  Racy ? count_in_block<<<1, 32, 0, m.a>>>(m.x) : count<<<1, 32, 0, m.a>>>(m.x);
  count<<<1, 32, 0, m.b>>>(m.x);
}

// race: race.streams( & first=0, last=3 & allocation.made(bytes=16384, origin=cudaMalloc) & second=work.kernel(kernel=(anonymous namespace)::count(int*)) & second_stream=stream.numbered(stream=1) & act=act.writes
STREAMS(counter_read_back) {
  count<<<4, 32, 0, m.a>>>(m.x);
  cudaMemcpyAsync(m.pinned, m.x, sizeof(int), cudaMemcpyDeviceToHost, Racy ? m.b : m.a);
}

/// Kernels that hand on data by a flag, as those of a pipeline do.
// race: race.streams( & act=act.reads & first=0, last=127 & allocation.made(bytes=16384, origin=
STREAMS(flag_between_kernels) {
  publish<<<1, 32, 0, m.a>>>(m.x, m.y);
  if (Racy)
    copy<<<1, 32, 0, m.b>>>(m.z, m.x);
  else
    consume<<<1, 32, 0, m.b>>>(m.z, m.x, m.y);
}

/// The host learns from a flag that the kernel is done.
// race: race.streams( & act=act.reads & first=0, last=127 & allocation.made(bytes=16384, origin=
STREAMS(flag_to_the_host) {
  publish<<<1, 32, 0, m.a>>>(m.x, Racy ? m.y : m.pinned);
  while (!Racy && *static_cast<volatile int*>(m.pinned) == 0) {
  }
  copy<<<1, 32, 0, m.b>>>(m.z, m.x);
}

void raise(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(host_function) {
  std::atomic<bool> done{false};
  launch_fill(m.x, 1, m.a);
  cudaLaunchHostFunc(Racy ? m.b : m.a, raise, &done);
  while (!done) {
  }
  launch_copy(m.y, m.x, m.b);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(free_in_between) {
  int* other;
  cudaMalloc(&other, kBytes);
  launch_fill(m.x, 1, m.a);
  if (!Racy) cudaFree(other);
  launch_copy(m.y, m.x, m.b);
  if (Racy) cudaFree(other);
}

// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(malloc_in_between) {
  int* other = nullptr;
  launch_fill(m.x, 1, m.a);
  if (!Racy) cudaMalloc(&other, kBytes);
  launch_copy(m.y, m.x, m.b);
  cudaFree(other);
}

// race: race.streams( & second_stream=stream.numbered(stream=2) & act=act.writes & object=allocation.made(bytes=16384, origin=cudaMallocAsync) & first=work.call(call=cudaMallocAsync) & first_stream=stream.numbered(stream=1) & other_act=act.allocates
STREAMS(stream_ordered_allocation) {
  int* mine;
  cudaMallocAsync(&mine, kBytes, m.a);
  cudaEventRecord(m.event, m.a);
  if (!Racy) cudaStreamWaitEvent(m.b, m.event, 0);
  launch_fill(mine, 1, m.b);
  cudaFreeAsync(mine, m.b);
}

// race: race.streams( & first=work.call(call=cudaFreeAsync) & first_stream=stream.numbered(stream=1) & other_act=act.frees & object=allocation.made(bytes=16384, origin=cudaMallocAsync) & second=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & second_stream=stream.numbered(stream=2) & act=act.writes
STREAMS(stream_ordered_free) {
  int* mine;
  cudaMallocAsync(&mine, kBytes, m.a);
  cudaEventRecord(m.event, m.a);
  cudaStreamWaitEvent(m.b, m.event, 0);
  launch_fill(mine, 1, m.b);
  cudaEventRecord(m.event, m.b);
  if (!Racy) cudaStreamWaitEvent(m.a, m.event, 0);
  cudaFreeAsync(mine, m.a);
}

/// Captured work runs when the graph does, in the order that the events made.
// race: race.streams( & second_stream=graph.numbered(stream=1) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=graph.numbered(stream=1) & other_act=act.writes & where=in.line(line=15) & advice=advice.edge
STREAMS(captured_streams) {
  cudaEvent_t joined;
  cudaEventCreate(&joined);
  cudaStreamBeginCapture(m.a, cudaStreamCaptureModeGlobal);
  if (Racy) cudaEventRecord(m.event, m.a);
  launch_fill(m.x, 1, m.a);
  if (!Racy) cudaEventRecord(m.event, m.a);
  cudaStreamWaitEvent(m.b, m.event, 0);
  launch_copy(m.y, m.x, m.b);
  cudaEventRecord(joined, m.b);
  cudaStreamWaitEvent(m.a, joined, 0);
  cudaGraph_t graph;
  cudaStreamEndCapture(m.a, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, m.a);
  cudaStreamSynchronize(m.a);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaEventDestroy(joined);
}

/// A node frees what another one reads.
// race: race.streams( & second=work.kernel(kernel=(anonymous namespace)::copy & act=act.reads & object=allocation.made(bytes=16384, origin=cudaGraphAddMemAllocNode) & first=work.call(call=cudaGraphAddMemFreeNode) & other_act=act.frees & advice=advice.edge
STREAMS(graph_free) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t made, filled, read, freed;
  cudaMemAllocNodeParams memory = {};
  memory.bytesize = kBytes;
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory);
  int* const block = static_cast<int*>(memory.dptr);
  cudaMemsetParams zeros = {memory.dptr, 0, 0, 4, kCount, 1};
  cudaGraphAddMemsetNode(&filled, graph, &made, 1, &zeros);
  void* arguments[] = {&m.y, const_cast<int**>(&block)};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(copy);
  kernel.gridDim = dim3(kCount / kBlock);
  kernel.blockDim = dim3(kBlock);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&read, graph, &filled, 1, &kernel);
  cudaGraphAddMemFreeNode(&freed, graph, Racy ? &filled : &read, 1, memory.dptr);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, m.a);
  cudaStreamSynchronize(m.a);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

/// Launches of one executable graph are one after another in any streams; those of two are not.
// race: race.streams( & first=work.kernel(kernel=(anonymous namespace)::add_one & first_stream=graph.numbered(stream=1) & second=work.kernel(kernel=(anonymous namespace)::add_one & second_stream=graph.numbered(stream=2) & object=allocation.made(bytes=16384, origin=cudaMalloc)
STREAMS(graph_in_two_streams) {
  cudaStreamBeginCapture(m.a, cudaStreamCaptureModeGlobal);
  add_one<<<kCount / kBlock, kBlock, 0, m.a>>>(m.x);
  cudaGraph_t graph;
  cudaStreamEndCapture(m.a, &graph);
  cudaGraphExec_t exec, other;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphInstantiate(&other, graph, 0);
  cudaMemset(m.x, 0, kBytes);
  cudaDeviceSynchronize();
  cudaGraphLaunch(exec, m.a);
  cudaGraphLaunch(Racy ? other : exec, m.b);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec);
  cudaGraphExecDestroy(other);
  cudaGraphDestroy(graph);
}

// race: race.streams( & second_stream=stream.numbered(stream=2) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=graph.numbered(stream=1) & other_act=act.writes
STREAMS(graph_launch) {
  cudaStreamBeginCapture(m.a, cudaStreamCaptureModeGlobal);
  launch_fill(m.x, 1, m.a);
  add_one<<<kCount / kBlock, kBlock, 0, m.a>>>(m.x);
  cudaGraph_t graph;
  cudaStreamEndCapture(m.a, &graph);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, m.a);
  cudaGraphLaunch(exec, m.a);
  cudaEventRecord(m.event, m.a);
  if (!Racy) cudaStreamWaitEvent(m.b, m.event, 0);
  launch_copy(m.y, m.x, m.b);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

/// Chunks in several streams, as a pipeline has them.
// race: race.streams( & act=act.reads & first=0, last=4095 & allocation.made(bytes=16384, origin=
STREAMS(pipeline) {
  constexpr int kChunk = kCount / 4;
  for (int chunk = 0; chunk < 4; ++chunk) {
    const cudaStream_t stream = chunk % 2 == 0 ? m.a : m.b;
    int* const x = m.x + chunk * kChunk;
    int* const host = m.pinned + chunk * kChunk;
    cudaMemcpyAsync(x, host, kBytes / 4, cudaMemcpyHostToDevice, stream);
    copy<<<kChunk / kBlock, kBlock, 0, stream>>>(m.y + chunk * kChunk, Racy ? m.x : x);
    cudaMemcpyAsync(host, m.y + chunk * kChunk, kBytes / 4, cudaMemcpyDeviceToHost, stream);
  }
}

/// Work of the default stream that begins before the program has another stream.
// race: race.streams( & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=3) & other_act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(later_stream) {
  cudaStreamDestroy(m.a);
  cudaStreamDestroy(m.b);
  launch_copy(m.x, m.y, nullptr);
  launch_fill(m.x, 1, nullptr);
  cudaStream_t late;
  cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking);
  if (!Racy) cudaStreamSynchronize(nullptr);
  cudaMemcpyAsync(m.pinned, m.x, kBytes, cudaMemcpyDeviceToHost, late);
  cudaStreamDestroy(late);
  cudaStreamCreate(&m.a);
  cudaStreamCreate(&m.b);
}

/// A stream that is destroyed still has its work.
// race: race.streams( & act=act.reads & object=allocation.made(bytes=16384, origin=
STREAMS(destroyed_stream) {
  cudaStream_t brief;
  cudaStreamCreateWithFlags(&brief, Racy ? cudaStreamNonBlocking : cudaStreamDefault);
  launch_fill(m.x, 1, brief);
  cudaStreamDestroy(brief);
  launch_copy(m.y, m.x, nullptr);
}

/// The default streams of two host threads.
// race: race.streams( & second=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & second_stream=stream.of_thread(device=0, number=2) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=stream.of_thread(device=0, number=1) & other_act=act.writes
STREAMS(per_thread_streams) {
  launch_fill(m.x, 1, cudaStreamPerThread);
  cudaEventRecord(m.event, cudaStreamPerThread);
  std::thread([&] {
    if (!Racy) cudaStreamWaitEvent(cudaStreamPerThread, m.event, 0);
    launch_copy(m.y, m.x, cudaStreamPerThread);
  }).join();
}

/// The legacy stream waits for threads' streams, which a non-blocking stream does not.
// race: race.streams( & second_stream=stream.numbered(stream=1) & act=act.reads & object=allocation.made(bytes=16384, origin=cudaMalloc) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=stream.of_thread(device=0, number=1) & other_act=act.writes
STREAMS(per_thread_and_legacy) {
  launch_fill(m.x, 1, cudaStreamPerThread);
  launch_copy(m.y, m.x, Racy ? m.a : cudaStreamLegacy);
  launch_fill(m.y, 1, cudaStreamPerThread);
}

constexpr Case kCases[] = {CASE(two_kernels),
                           CASE(event_wait),
                           CASE(event_recorded_too_early),
                           CASE(write_after_read),
                           CASE(stream_synchronize),
                           CASE(device_synchronize),
                           CASE(stream_query),
                           CASE(event_query),
                           CASE(elapsed_time),
                           CASE(elapsed_time_asked_again),
                           CASE(default_stream),
                           CASE(default_stream_after),
                           CASE(memset_of_the_default_stream),
                           CASE(copy_within_the_device),
                           CASE(copy_to_the_device),
                           CASE(copy_to_pageable_memory),
                           CASE(page_locked_memory),
                           CASE(halves),
                           CASE(every_other_byte),
                           CASE(columns),
                           CASE(readers),
                           CASE(atomics),
                           CASE(atomics_of_a_block),
                           CASE(counter_read_back),
                           CASE(flag_between_kernels),
                           CASE(flag_to_the_host),
                           CASE(host_function),
                           CASE(free_in_between),
                           CASE(malloc_in_between),
                           CASE(stream_ordered_allocation),
                           CASE(stream_ordered_free),
                           CASE(captured_streams),
                           CASE(graph_free),
                           CASE(graph_in_two_streams),
                           CASE(graph_launch),
                           CASE(pipeline),
                           CASE(later_stream),
                           CASE(destroyed_stream),
                           CASE(per_thread_streams),
                           CASE(per_thread_and_legacy)};

}  // namespace

int main(int argc, char** argv) { return run(kCases, argc, argv); }
