// SPDX-License-Identifier: MIT
// The program around a student's dot.cu. By hand it computes and times the dot product of two random
// vectors. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions
// did to out/. It holds no expected result and judges nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "dot.h"
#include "harness/harness.h"

namespace {

namespace harness = warpgrade::harness;
using harness::Range;

constexpr const char* kUsage =
    "VERSION N [BLOCK]\n"
    "  VERSION  static or dynamic\n"
    "  N        length of the vectors\n"
    "  BLOCK    threads of a block (256)";
constexpr int kRepetitions = 10;

using Function = void (*)(float*, const float*, const float*, int, int);

struct Options {
  int n, block;
  bool is_varied;  ///< calls with other terms, lengths and blocks lie between the two
};

/// One of the student's two functions, and how many numbers it leaves.
struct Version {
  const char* name;
  Function function;
  size_t results;
};
constexpr Version kVersions[] = {{"static", dot_static, 1}, {"dynamic", dot_dynamic, 2}};

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory full of bytes 0xFF (NaN), or of values.
class DeviceFloats {
 public:
  explicit DeviceFloats(size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(float)), "memory");
    poison();
  }
  explicit DeviceFloats(const std::vector<float>& values) : DeviceFloats(values.size()) {
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice),
          "copying an input");
  }
  ~DeviceFloats() { cudaFree(data_); }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;

  float* data() const { return data_; }
  void poison() { check(cudaMemset(data_, 0xFF, count_ * sizeof(float)), "poisoning a result"); }

  /// What the kernels left there. Waits for them.
  std::vector<float> values() const {
    std::vector<float> copy(count_);
    check(cudaMemcpy(copy.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost),
          "waiting for a kernel and copying its result");
    return copy;
  }

 private:
  float* data_ = nullptr;
  size_t count_;
};

/// Two calls with other terms and other numbers of blocks, for a program that keeps something of its first
/// call. Half a block is a power of two where a block is.
void call_between(const Version& version, const Options& options, const DeviceFloats& b,
                  const DeviceFloats& result) {
  const int half = std::max(options.block / 2, 1);
  for (const int n : {options.n, std::min(options.n, half)}) {
    const Range range(version.name);
    version.function(result.data(), b.data(), b.data(), n, half);
  }
}

/// Twice, into fresh poison, since a sum that starts where the last one ended is right only once.
void run_case(const harness::CaseFolder& folder, const Version& version, const Options& options) {
  const DeviceFloats a(folder.input<float>("a").values), b(folder.input<float>("b").values);
  DeviceFloats result(version.results);
  std::vector<float> both;
  std::vector<int32_t> accepted;
  for (int call = 0; call < 2; ++call) {
    if (call == 1 && options.is_varied) call_between(version, options, b, result);
    result.poison();
    const Range range(version.name);
    version.function(result.data(), a.data(), b.data(), options.n, options.block);
    accepted.push_back(cudaGetLastError() == cudaSuccess);
    const std::vector<float> values = result.values();
    both.insert(both.end(), values.begin(), values.end());
  }
  folder.output(version.name, {2, version.results}, both);
  folder.output("accepted", accepted);
}

float least_ms(Function function, const DeviceFloats& result, const DeviceFloats& a,
               const DeviceFloats& b, const Options& options) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "an event");
  check(cudaEventCreate(&stop), "an event");
  float least = 0.0f;
  // The first call also loads the kernel and is not timed.
  for (int i = 0; i <= kRepetitions; ++i) {
    check(cudaEventRecord(start), "an event");
    function(result.data(), a.data(), b.data(), options.n, options.block);
    check(cudaEventRecord(stop), "an event");
    check(cudaEventSynchronize(stop), "waiting for a kernel");
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, start, stop), "the time");
    if (i > 0) least = i == 1 ? ms : std::min(least, ms);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return least;
}

void run_by_hand(const Version& version, const Options& options) {
  std::vector<float> a(static_cast<size_t>(options.n)), b(a.size());
  for (float& value : a) value = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
  for (float& value : b) value = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
  double product = 0.0, square = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * b[i];
    square += static_cast<double>(a[i]) * a[i];
  }
  DeviceFloats result(version.results);
  const float ms = least_ms(version.function, result, DeviceFloats(a), DeviceFloats(b), options);
  const std::vector<float> values = result.values();
  std::printf("a.b = %.6f on the device, %.6f on the host\n", values[0], product);
  if (version.results == 2)
    std::printf("a.a = %.6f on the device, %.6f on the host\n", values[1], square);
  std::printf("%.4f ms, %.1f GB/s\n", ms, 8e-6 * options.n / ms);
}

int program(int argc, char** argv) {
  harness::Arguments args(argc, argv, kUsage);
  const std::string name = args.word("VERSION");
  Options options{};
  options.n = args.number("N", 0);
  options.block = args.optional_number("BLOCK", 1, 256);
  options.is_varied = args.flag("varied");  // the rubric's own
  args.done();
  for (const Version& version : kVersions) {
    if (name != version.name) continue;
    if (const auto folder = harness::CaseFolder::from_environment())
      harness::part([&] { run_case(*folder, version, options); });
    else
      run_by_hand(version, options);
    return 0;
  }
  std::fprintf(stderr, "there is no version '%s'\nusage: dot %s\n", name.c_str(), kUsage);
  return 2;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
