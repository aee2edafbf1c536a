// SPDX-License-Identifier: MIT
// Programs that touch memory of the host before the device is done with it, and their race-free twins. Which
// finding the racy one causes stands before it: streams_test.py.
#include "emulator/checkers/testdata/streams.cuh"

namespace {

void look_at(volatile int& value) {
  if (value == -1) std::puts("poison");
}

// race: race.host( & act=act.reads & allocation.made(bytes=16384, origin=cudaMallocManaged) & offset=40) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=stream.numbered(stream=1) & other_act=act.writes & where=in.line(line=15)
STREAMS(managed_memory) {
  launch_fill(m.managed, 5, m.a);
  if (!Racy) cudaStreamSynchronize(m.a);
  look_at(m.managed[10]);
}

// race: race.host( & act=act.reads & allocation.made(bytes=16384, origin=cudaMallocManaged) & offset=4096) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int)) & first_stream=stream.default & other_act=act.writes
STREAMS(managed_memory_in_one_stream) {
  launch_fill(m.managed, 5, nullptr);
  if (!Racy) cudaDeviceSynchronize();
  look_at(m.managed[1024]);
}

/// The host may read what a kernel reads, and work on what no kernel uses.
// race: race.host( & act=act.writes & allocation.made(bytes=16384, origin=cudaMallocManaged) & offset=400) & first=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(managed_input) {
  copy<<<kCount / 2 / kBlock, kBlock, 0, m.a>>>(m.x, m.managed);
  look_at(m.managed[100]);
  m.managed[(Racy ? 0 : kCount / 2) + 100] = 1;
}

// race: race.host( & act=act.reads & allocation.made(bytes=16384, origin=cudaHostAlloc) & offset=0) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.writes
STREAMS(result_read_too_early) {
  cudaMemcpyAsync(m.pinned, m.x, kBytes, cudaMemcpyDeviceToHost, m.a);
  if (!Racy) cudaStreamSynchronize(m.a);
  look_at(m.pinned[0]);
}

// race: race.host( & act=act.reads & allocation.made(bytes=4, origin=cudaHostAlloc) & offset=0) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.writes
STREAMS(small_result_read_too_early) {
  cudaMemcpyAsync(m.sum, m.x, sizeof(int), cudaMemcpyDeviceToHost, m.a);
  cudaEventRecord(m.event, m.a);
  if (!Racy) cudaEventSynchronize(m.event);
  look_at(*m.sum);
}

// race: race.host( & act=act.writes & allocation.made(bytes=16384, origin=cudaHostAlloc) & offset=20) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(source_overwritten) {
  cudaMemcpyAsync(m.x, m.pinned, kBytes, cudaMemcpyHostToDevice, m.a);
  if (!Racy) cudaStreamSynchronize(m.a);
  m.pinned[5] = 1;
}

// race: race.host( & act=act.writes & allocation.made(bytes=16384, origin=cudaHostAlloc) & offset=20) & first=work.call(call=cudaMemcpyAsync) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(part_of_source_overwritten) {
  cudaMemcpyAsync(m.x, m.pinned, 10 * sizeof(int), cudaMemcpyHostToDevice, m.a);
  m.pinned[Racy ? 5 : 10] = 1;
}

// race: race.host( & act=act.writes & allocation.made(bytes=16384, origin=cudaMallocManaged) & offset=4) & first=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & first_stream=stream.numbered(stream=1) & other_act=act.reads
STREAMS(part_of_managed_input) {
  copy<<<1, 32, 0, m.a>>>(m.x, m.managed);
  m.managed[Racy ? 1 : 32] = 1;
}

constexpr Case kCases[] = {CASE(managed_memory),
                           CASE(managed_memory_in_one_stream),
                           CASE(managed_input),
                           CASE(result_read_too_early),
                           CASE(small_result_read_too_early),
                           CASE(source_overwritten),
                           CASE(part_of_source_overwritten),
                           CASE(part_of_managed_input)};

}  // namespace

int main(int argc, char** argv) { return run(kCases, argc, argv); }
