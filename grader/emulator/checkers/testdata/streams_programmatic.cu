// SPDX-License-Identifier: MIT
// Kernels that may begin before the one ahead of them in their stream has ended, and twins that wait for it:
// streams_test.py runs each.
#include "emulator/checkers/testdata/streams.cuh"

namespace {

enum class Waits { never, behind_the_first_load, first };

__device__ void let_the_next_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ void wait_for_kernels_ahead() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

__global__ void fill_and_go_on(int* to, int value) {
  let_the_next_begin();
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void copy_and_go_on(int* to, const int* from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
  let_the_next_begin();
}

/// A program's first loads, of what no kernel writes, may come before the wait.
template <Waits When>
__global__ void add_arrays(int* to, const int* from, const int* constants) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (When == Waits::first) wait_for_kernels_ahead();
  const int constant = constants[i];
  if (When == Waits::behind_the_first_load) wait_for_kernels_ahead();
  to[i] = from[i] + constant;
}

template <Waits When>
void launch_early(int* to, const int* from, const int* constants, cudaStream_t stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = kCount / kBlock;
  config.blockDim = kBlock;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, add_arrays<When>, to, from, constants);
}

// race: race.streams( & second_stream=stream.numbered(stream=1) & act=act.reads & first=work.kernel(kernel=(anonymous namespace)::fill_and_go_on(int*, int)) & first_stream=stream.numbered(stream=1) & other_act=act.writes & advice=advice.programmatic
STREAMS(no_wait) {
  fill_and_go_on<<<kCount / kBlock, kBlock, 0, m.a>>>(m.x, 1);
  launch_early<Racy ? Waits::never : Waits::first>(m.y, m.x, m.z, m.a);
}

// race: race.streams( & act=act.reads & first=work.kernel(kernel=(anonymous namespace)::fill_and_go_on(int*, int)) & other_act=act.writes & advice=advice.programmatic
STREAMS(load_before_the_wait) {
  fill_and_go_on<<<kCount / kBlock, kBlock, 0, m.a>>>(Racy ? m.z : m.x, 1);
  launch_early<Waits::behind_the_first_load>(m.y, m.x, m.z, m.a);
}

/// The kernel ahead still reads what this one writes.
// race: race.streams( & act=act.writes & first=work.kernel(kernel=(anonymous namespace)::copy_and_go_on(int*, int const*)) & other_act=act.reads & advice=advice.programmatic
STREAMS(write_before_the_end) {
  copy_and_go_on<<<kCount / kBlock, kBlock, 0, m.a>>>(m.z, m.y);
  launch_early<Waits::never>(Racy ? m.y : m.managed, m.x, m.x, m.a);
}

// race: race.streams( & first_stream=stream.default & second_stream=stream.default & advice=advice.programmatic
STREAMS(default_stream_with_others) {
  launch_fill(m.z, 1, m.b);
  fill_and_go_on<<<kCount / kBlock, kBlock>>>(m.x, 1);
  if (!Racy) cudaMemsetAsync(m.y, 0, kBytes, nullptr);
  launch_early<Waits::never>(m.y, m.x, m.x, nullptr);
}

// race: race.streams( & advice=advice.programmatic
STREAMS(host_between) {
  fill_and_go_on<<<kCount / kBlock, kBlock, 0, m.a>>>(m.x, 1);
  if (!Racy) cudaStreamSynchronize(m.a);
  launch_early<Waits::never>(m.y, m.x, m.x, m.a);
}

/// A kernel that does not say that the next may begin has ended by then: CUB counts on it.
// race: race.streams( & advice=advice.programmatic
STREAMS(no_word_from_the_kernel_ahead) {
  if (Racy) fill_and_go_on<<<kCount / kBlock, kBlock, 0, m.a>>>(m.x, 1);
  if (!Racy) launch_fill(m.x, 1, m.a);
  launch_early<Waits::never>(m.y, m.x, m.x, m.a);
}

constexpr Case kCases[] = {CASE(no_wait),
                           CASE(load_before_the_wait),
                           CASE(write_before_the_end),
                           CASE(default_stream_with_others),
                           CASE(host_between),
                           CASE(no_word_from_the_kernel_ahead)};

}  // namespace

int main(int argc, char** argv) { return run(kCases, argc, argv); }
