// SPDX-License-Identifier: MIT
// The program around a student's matadd.cu. By hand it adds two matrices and prints the kernel's
// time. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did
// to out/. It holds no expected result and judges nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "matadd.h"

namespace {

using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::part;
using warpgrade::harness::Range;

constexpr char kUsage[] =
    "PART ...\n"
    "  one N                       matrices of N x N in one block\n"
    "  many ROWS COLUMNS [BX BY]   in blocks of BX x BY (16 x 16)";
constexpr int kRepetitions = 10;
constexpr int kSmallSide = 16;  // of matrices and blocks that CUDA takes

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Options {
  bool one_block = false;
  int rows = 1, columns = 1;
  dim3 block;
  size_t elements() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
};

/// A matrix in device memory, full of bytes 0xFF, or of values.
class DeviceMatrix {
 public:
  explicit DeviceMatrix(size_t elements) : elements_(elements) {
    check(cudaMalloc(&data_, bytes()), "memory for a matrix");
    poison();
  }
  explicit DeviceMatrix(const std::vector<float>& values) : DeviceMatrix(values.size()) {
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "copying a matrix");
  }
  ~DeviceMatrix() { cudaFree(data_); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  float* data() { return data_; }
  void poison() { check(cudaMemset(data_, 0xFF, bytes()), "poisoning a matrix"); }

  /// What the kernels left there. Waits for them.
  std::vector<float> values() const {
    std::vector<float> copy(elements_);
    check(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost),
          "waiting for the kernel and copying its result");
    return copy;
  }

 private:
  size_t bytes() const { return elements_ * sizeof(float); }

  size_t elements_;
  float* data_ = nullptr;
};

cudaError_t add(DeviceMatrix& c, DeviceMatrix& a, DeviceMatrix& b, const Options& options) {
  if (options.one_block) return add_in_one_block(c.data(), a.data(), b.data(), options.rows);
  return add_matrices(c.data(), a.data(), b.data(), options.rows, options.columns, options.block);
}

__global__ void do_nothing() {}

unsigned blocks_for(int cells, unsigned threads) {
  return (static_cast<unsigned>(cells) + threads - 1) / threads;
}

/// What CUDA says of a launch of that shape. Which error it is differs between versions.
cudaError_t launch_status(const Options& options) {
  const auto side = static_cast<unsigned>(options.rows);
  const dim3 block = options.one_block ? dim3(side, side) : options.block;
  do_nothing<<<dim3(blocks_for(options.columns, block.x), blocks_for(options.rows, block.y)),
               block>>>();
  return cudaGetLastError();
}

int32_t outcome_of(const Options& options, cudaError_t status) {
  if (status == cudaSuccess) return 1;
  return status == launch_status(options) ? 2 : 3;
}

/// Adds into a poisoned c, and appends the sum.
void add_again(const char* range, DeviceMatrix& c, DeviceMatrix& a, DeviceMatrix& b,
               const Options& options, std::vector<float>& sums) {
  c.poison();
  {
    const Range in_range(range);
    (void)add(c, a, b, options);
    cudaGetLastError();
  }
  const std::vector<float> sum = c.values();
  sums.insert(sums.end(), sum.begin(),
              sum.begin() + static_cast<std::ptrdiff_t>(options.elements()));
}

/// Further calls, each of which changes one argument of the call before it: a function that keeps something
/// from call to call for some of its arguments meets the others alone.
// names: fewer_rows, fewer_columns, other_matrices
void try_one_argument_each(const CaseFolder& folder, DeviceMatrix& c, DeviceMatrix& a,
                           DeviceMatrix& b, Options options) {
  std::vector<float> sums = c.values();
  options.rows = std::max(options.rows / 2, 1);
  add_again("fewer_rows", c, a, b, options, sums);
  options.columns = std::max(options.columns / 2, 1);
  add_again("fewer_columns", c, a, b, options, sums);
  DeviceMatrix other_c(options.elements());
  add_again("other_matrices", other_c, a, b, options, sums);
  add_again("other_matrices", other_c, b, b, options, sums);
  add_again("other_matrices", other_c, b, a, options, sums);
  folder.output("next_sums", sums);
}

/// What `next` returns behind the refused call. Nobody asks for the error between the two calls, so that one which
/// the first call leaves shows in the second.
// names: next, next_part
cudaError_t add_after_refusal(const char* range, DeviceMatrix& c, DeviceMatrix& a, DeviceMatrix& b,
                              const Options& refused, const Options& next) {
  const Range in_range(range);
  (void)add(c, a, b, refused);
  const cudaError_t status = add(c, a, b, next);
  cudaGetLastError();
  return status;
}

/// Calls of both parts that follow a refused one. The call of part 2 behind one of part 2 has another block and nothing
/// else that is new.
void try_after_refusal(const CaseFolder& folder, DeviceMatrix& a, DeviceMatrix& b,
                       const Options& refused) {
  Options same_part = refused;
  if (refused.one_block) same_part.rows = same_part.columns = kSmallSide;
  same_part.block = dim3(kSmallSide, kSmallSide);
  DeviceMatrix c(refused.elements());
  const cudaError_t same = add_after_refusal("next", c, a, b, refused, same_part);
  if (!refused.one_block) try_one_argument_each(folder, c, a, b, same_part);
  Options other_part = same_part;
  other_part.one_block = !refused.one_block;
  other_part.rows = other_part.columns = kSmallSide;
  DeviceMatrix other_c(refused.elements());
  const cudaError_t other = add_after_refusal("next_part", other_c, a, b, refused, other_part);
  folder.output<int32_t>("next_outcome", {outcome_of(refused, same), outcome_of(refused, other)});
}

void try_adding(const CaseFolder& folder, DeviceMatrix& a, DeviceMatrix& b,
                const Options& options) {
  cudaError_t status = cudaSuccess;
  DeviceMatrix c(options.elements());
  {
    const Range range("add");
    status = add(c, a, b, options);
    cudaGetLastError();  // of a refused launch; the function has told it
    folder.output("C", {static_cast<size_t>(options.rows), static_cast<size_t>(options.columns)},
                  c.values());
  }
  folder.output<int32_t>("outcome", {outcome_of(options, status)});
}

void run_case(const CaseFolder& folder, const Options& options) {
  // Outside the ranges, whose time would count their poison.
  DeviceMatrix a(folder.input<float>("A").values), b(folder.input<float>("B").values);
  part([&] { try_adding(folder, a, b, options); });
  // After a kernel that failed each call fails, which is no refusal.
  const bool is_refused =
      launch_status(options) != cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  if (is_refused && options.elements() >= kSmallSide * kSmallSide)
    part([&] { try_after_refusal(folder, a, b, options); });
}

/// The kernel alone, the fastest of some launches.
float time_ms(DeviceMatrix& c, DeviceMatrix& a, DeviceMatrix& b, const Options& options) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "an event");
  check(cudaEventCreate(&stop), "an event");
  float fastest_ms = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    check(cudaEventRecord(start), "an event");
    check(add(c, a, b, options), "adding");
    check(cudaEventRecord(stop), "an event");
    check(cudaEventSynchronize(stop), "the kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, stop), "an event");
    fastest_ms = i == 0 ? ms : std::min(fastest_ms, ms);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return fastest_ms;
}

int run_program(const Options& options) {
  std::vector<float> values(options.elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
  DeviceMatrix a(values), b(values), c(values.size());
  const cudaError_t status = add(c, a, b, options);
  if (status != cudaSuccess) {
    std::printf("refused: %s\n", cudaGetErrorString(status));
    return 1;
  }
  const std::vector<float> sum = c.values();
  size_t right = 0;
  for (size_t i = 0; i < sum.size(); ++i) right += sum[i] == 2 * values[i];
  std::printf("%zu of %zu elements are a[i][j] + b[i][j]\n", right, sum.size());
  const float ms = time_ms(c, a, b, options);
  const double bytes = 3.0 * sizeof(float) * static_cast<double>(sum.size());
  std::printf("kernel: %.4f ms, %.1f GB/s\n", ms, bytes / 1e6 / ms);
  return 0;
}

int program(int argc, char** argv) {
  Arguments args(argc, argv, kUsage);
  Options options;
  const std::string part = args.word("PART");
  if (part == "one") {
    options.one_block = true;
    options.rows = options.columns = args.number("N", 1);
  } else if (part == "many") {
    options.rows = args.number("ROWS", 1);
    options.columns = args.number("COLUMNS", 1);
    options.block.x = static_cast<unsigned>(args.optional_number("BX", 1, 16));
    options.block.y = static_cast<unsigned>(args.optional_number("BY", 1, 16));
  } else {
    std::fprintf(stderr, "there is no part '%s'\nusage: %s %s\n", part.c_str(), argv[0], kUsage);
    return 2;
  }
  args.done();
  if (const std::optional<CaseFolder> folder = CaseFolder::from_environment()) {
    run_case(*folder, options);
    return 0;
  }
  return run_program(options);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
