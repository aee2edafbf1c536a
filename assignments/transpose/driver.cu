// SPDX-License-Identifier: MIT
// The program around a student's transpose.cu. By hand it prints the lecture's table of effective
// bandwidths. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions
// did to out/. It holds no expected result and judges nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "harness/harness.h"
#include "transpose.h"

namespace {

using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::part;
using warpgrade::harness::Range;

struct Variant {
  const char* name;  ///< of its NVTX range and its result
  const char* title;
  Launch launch;
};

constexpr Variant kVariants[] = {{"copy", "copy", copy},
                                 {"naive", "naive", transpose_naive},
                                 {"coalesced", "coalesced", transpose_coalesced},
                                 {"no_conflicts", "no bank conflicts", transpose_no_conflicts},
                                 {"fast", "32 x 8 threads", transpose_32x8}};
constexpr size_t kFast = 4;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Floats on the device, all of them NaN until something is assigned.
class DeviceFloats {
 public:
  explicit DeviceFloats(size_t count) : bytes_(count * sizeof(float)) {
    check(cudaMalloc(&data_, bytes_), "allocation");
    poison();
  }
  ~DeviceFloats() { cudaFree(data_); }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;

  float* data() { return data_; }
  void poison() { check(cudaMemset(data_, 0xFF, bytes_), "filling"); }
  void assign(const std::vector<float>& values) {
    check(cudaMemcpy(data_, values.data(), bytes_, cudaMemcpyHostToDevice), "copy to the device");
  }
  std::vector<float> values(const char* what) const {
    std::vector<float> copy(bytes_ / sizeof(float));
    check(cudaMemcpy(copy.data(), data_, bytes_, cudaMemcpyDeviceToHost), what);
    return copy;
  }

 private:
  size_t bytes_;
  float* data_ = nullptr;
};

struct Sizes {
  int rows, columns, repetitions;
  size_t elements() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
};

/// Each division waits for the one before it. To launch takes a GPU microseconds, which differ from
/// time to time; this takes it hundreds, but the emulated device few instructions.
__global__ void take_time(float* out, int rounds) {
  double value = 1.0;
  for (int i = 0; i < rounds; ++i) value = 1.0 / (value + 1.0);
  *out = static_cast<float>(value);
}

/// What the student's timing functions launch in a graded run: it takes its time and remembers how it
/// was called.
struct Probe {
  static inline std::vector<int> repetitions;
  static inline bool same_arguments = true;
  static inline float* out = nullptr;
  static inline Sizes sizes{};

  static void launch(float* to, const float* from, int rows, int columns, int count) {
    constexpr int kRoundsEach = 6000;
    repetitions.push_back(count);
    same_arguments = same_arguments && to == out && from == out + 1 && rows == sizes.rows &&
                     columns == sizes.columns;
    take_time<<<1, 1>>>(out, kRoundsEach * std::clamp(count, 0, 100));
  }
};

/// Milliseconds of `launches` probes, as events tell.
float measure_probe(int launches, int repetitions) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  check(cudaEventRecord(start), "event");
  for (int i = 0; i < launches; ++i)
    Probe::launch(Probe::out, Probe::out + 1, Probe::sizes.rows, Probe::sizes.columns, repetitions);
  check(cudaEventRecord(stop), "event");
  check(cudaEventSynchronize(stop), "the probe");
  float ms = 0.0f;
  check(cudaEventElapsedTime(&ms, start, stop), "event");
  check(cudaEventDestroy(start), "event");
  check(cudaEventDestroy(stop), "event");
  return ms;
}

/// What the student's function tells of the probe's time.
float time_probe(const Sizes& sizes, bool inside, const char* range_name) {
  Probe::repetitions.clear();
  Probe::same_arguments = true;
  const Range range(range_name);
  return (inside ? time_inside : time_over)(Probe::launch, Probe::out, Probe::out + 1, sizes.rows,
                                            sizes.columns, sizes.repetitions);
}

/// How the student's function launched the probe and what it told of the time, also as a share of
/// what it took. It times the same launch a second time, which makes no difference to what it does.
void try_timing(const CaseFolder& folder, const Sizes& sizes, bool inside) {
  DeviceFloats floats(2);
  Probe::out = floats.data();
  Probe::sizes = sizes;
  const int count = sizes.repetitions;
  measure_probe(1, 1);
  const float true_ms = inside ? measure_probe(1, count) : measure_probe(count, 1);
  const float ms = time_probe(sizes, inside, inside ? "time_inside" : "time_over");
  std::vector<int32_t> calls = {static_cast<int32_t>(Probe::repetitions.size()),
                                Probe::same_arguments ? 1 : 0};
  if (!Probe::repetitions.empty()) calls.push_back(Probe::repetitions.back());
  folder.output(inside ? "inside_calls" : "over_calls", calls);
  folder.output<float>(inside ? "inside_ms" : "over_ms", {ms});
  folder.output<float>(inside ? "inside_share" : "over_share", {ms / true_ms});
  part([&] { time_probe(sizes, inside, inside ? "time_inside_again" : "time_over_again"); });
}

void try_bandwidth(const CaseFolder& folder) {
  const auto runs = folder.input<int32_t>("runs");
  const auto times_ms = folder.input<float>("runs_ms");
  std::vector<double> gb_per_s;
  const Range range("bandwidth");
  for (size_t i = 0; i < times_ms.values.size(); ++i) {
    const int32_t* run = runs.values.data() + 3 * i;
    gb_per_s.push_back(effective_bandwidth(run[0], run[1], run[2], times_ms.values[i]));
  }
  folder.output("gb_per_s", gb_per_s);
}

/// A call before the one that is judged. One argument is another, which of them depends on the case: a function
/// that keeps something from call to call for some of its arguments meets each of the others alone.
void call_before(size_t variant, DeviceFloats& out, DeviceFloats& in, const Sizes& sizes) {
  constexpr int kFewer = 32;
  DeviceFloats other(sizes.elements());
  Sizes before = sizes;
  float *to = out.data(), *from = in.data();
  switch ((static_cast<size_t>(sizes.rows / 32 + sizes.columns / 32) + variant) % 5) {
    case 0:
      before.rows = std::max(sizes.rows - kFewer, 1);
      break;
    case 1:
      before.columns = std::max(sizes.columns - kFewer, 1);
      break;
    case 2:
      before.repetitions = sizes.repetitions == 1 ? 2 : 1;
      break;
    case 3:
      from = other.data();
      break;
    default:
      to = other.data();
      break;
  }
  {
    const Range range("before");
    kVariants[variant].launch(to, from, before.rows, before.columns, before.repetitions);
    check(cudaDeviceSynchronize(), "a first call");
  }
  out.poison();
}

void run_variant(const CaseFolder& folder, const Variant& variant, DeviceFloats& out,
                 DeviceFloats& in, const Sizes& sizes) {
  std::vector<float> values;
  {
    const Range range(variant.name);
    variant.launch(out.data(), in.data(), sizes.rows, sizes.columns, sizes.repetitions);
    values = out.values(variant.name);
  }
  const auto rows = static_cast<size_t>(sizes.rows), columns = static_cast<size_t>(sizes.columns);
  const bool turned = variant.launch != copy;
  folder.output(variant.name, {turned ? columns : rows, turned ? rows : columns}, values);
}

void run_case(const CaseFolder& folder, const Sizes& sizes, bool only_fast) {
  const std::vector<float> values = folder.input<float>("in").values;
  DeviceFloats in(sizes.elements());
  if (!only_fast) {
    part([&] { try_bandwidth(folder); });
    part([&] { try_timing(folder, sizes, false); });
    part([&] { try_timing(folder, sizes, true); });
  }
  for (const Variant& variant : kVariants) {
    if (only_fast && &variant != &kVariants[kFast]) continue;
    DeviceFloats out(sizes.elements());
    const auto index = static_cast<size_t>(&variant - kVariants);
    if (!only_fast) part([&] { call_before(index, out, in, sizes); });
    in.assign(values);  // the kernel before may have written there
    part([&] { run_variant(folder, variant, out, in, sizes); });
  }
}

void print_table(const Sizes& sizes, bool only_fast) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device 0");
  std::printf("Effective bandwidth (GB/s) of %d x %d floats, %d repetitions, on %s\n\n", sizes.rows,
              sizes.columns, sizes.repetitions, properties.name);
  std::printf("%-20s %12s %12s\n", "kernel", "loop over", "loop inside");
  std::vector<float> values(sizes.elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  DeviceFloats in(sizes.elements()), out(sizes.elements());
  in.assign(values);
  for (const Variant& variant : kVariants) {
    if (only_fast && &variant != &kVariants[kFast]) continue;
    const auto gb_per_s = [&](auto* time) {
      const float ms =
          time(variant.launch, out.data(), in.data(), sizes.rows, sizes.columns, sizes.repetitions);
      check(cudaDeviceSynchronize(), variant.title);
      return effective_bandwidth(sizes.rows, sizes.columns, sizes.repetitions, ms);
    };
    std::printf("%-20s %12.1f", variant.title, gb_per_s(time_over));
    std::printf(" %12.1f\n", gb_per_s(time_inside));
  }
}

int program(int argc, char** argv) {
  Arguments args(
      argc, argv,
      "[ROWS [COLUMNS [REPETITIONS]]] [fast]\n"
      "  ROWS         rows of the matrix (2048)\n"
      "  COLUMNS      its columns (2048)\n"
      "  REPETITIONS  launches, or rounds inside a kernel, that are timed together (100)\n"
      "  fast         only the kernel with 32 x 8 threads");
  const bool only_fast = args.flag("fast");
  Sizes sizes{};
  sizes.rows = args.optional_number("ROWS", 1, 2048);
  sizes.columns = args.optional_number("COLUMNS", 1, 2048);
  sizes.repetitions = args.optional_number("REPETITIONS", 1, 100);
  args.done();
  if (const auto folder = CaseFolder::from_environment()) {
    run_case(*folder, sizes, only_fast);
  } else {
    print_table(sizes, only_fast);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
