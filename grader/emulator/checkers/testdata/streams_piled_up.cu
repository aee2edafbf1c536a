// SPDX-License-Identifier: MIT
// Streams with so much work that the race checker keeps no longer each operation, and races that it has told
// already: streams_test.py runs each with its race-free twin.
#include <nvtx3/nvToolsExt.h>

#include "emulator/checkers/testdata/streams.cuh"

namespace {

/// A range of the domain that a grader's have.
class GradersRange {
 public:
  explicit GradersRange(const char* name) {
    cudaDeviceSynchronize();
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &event);
  }
  ~GradersRange() { nvtxDomainRangePop(domain()); }

 private:
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t made = nvtxDomainCreateA("warpgrade");
    return made;
  }
};

constexpr int kManyFills = 300;
constexpr int kMostKept = 256;  ///< operations, of stream_races.cpp

// Fills of one place are remembered as one.
// race: race.streams( & second=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & first=work.kernel(kernel=(anonymous namespace)::fill(int*, int))
STREAMS(fills_behind_a_kernel) {
  launch_fill(m.x, 1, m.a);
  for (int i = 0; i < kManyFills; ++i) cudaMemsetAsync(m.z, 0, sizeof(int), m.a);
  launch_copy(m.y, m.x, Racy ? m.b : m.a);
}

// Each fill has a place of its own, and the kernel is forgotten.
// race: unchecked.streams
STREAMS(forgotten_kernel) {
  launch_fill(m.x, 1, m.a);
  for (int i = 0; i < kManyFills; ++i) cudaMemsetAsync(m.z + i, 0, sizeof(int), m.a);
  cudaEventRecord(m.event, m.a);
  if (!Racy) cudaStreamWaitEvent(m.b, m.event);
  launch_copy(m.y, m.x, m.b);
}

// The last fill of another stream makes the checker forget the kernel. The host waits for that stream first.
// race: unchecked.streams
STREAMS(forgotten_beside_a_stream_that_is_done) {
  launch_fill(m.x, 1, m.a);
  for (int i = 0; i < kMostKept; ++i) cudaMemsetAsync(m.z + i, 0, sizeof(int), m.b);
  cudaStreamSynchronize(m.b);
  if (!Racy) cudaStreamSynchronize(m.a);
  launch_copy(m.y, m.x, m.b);
}

// The same race in two ranges is told of both.
// race: race.streams( & second=work.kernel(kernel=(anonymous namespace)::copy(int*, int const*)) & range=second
STREAMS(told_in_each_range) {
  for (const char* range : {"first", "second"}) {
    const GradersRange open(range);
    launch_fill(m.x, 1, m.a);
    launch_copy(m.y, m.x, Racy ? m.b : m.a);
  }
}

constexpr Case kCases[] = {CASE(fills_behind_a_kernel), CASE(forgotten_kernel),
                           CASE(forgotten_beside_a_stream_that_is_done), CASE(told_in_each_range)};

}  // namespace

int main(int argc, char** argv) { return run(kCases, argc, argv); }
