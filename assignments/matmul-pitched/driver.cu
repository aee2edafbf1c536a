// SPDX-License-Identifier: MIT
// The program around a student's matmul-pitched.cu. By hand it is the lab's program. Under
// WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did to out/. It
// holds no expected result and judges nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/harness.h"
#include "matmul-pitched.h"

namespace {

namespace npy = warpgrade::npy_io;
using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::Range;

constexpr unsigned char kPoison = 0xFF;  // as a float: NaN
// Of gaps and guards: unlike what fresh device memory holds, so that a copy of padding shows.
constexpr unsigned char kForeign = 0xA7;
constexpr size_t kGuardBytes = 64;  // before and behind each host matrix

struct Options {
  int m = 0, n = 0, k = 0;
  int block_height = 0;
  int required_major = 0;
  int gap = 0;  // floats behind each row of the host matrices
  bool verify = false;
};

/// A poisoned host matrix with `gap` floats of somebody else's behind each row and around the whole.
class HostMatrix {
 public:
  HostMatrix(int rows, int columns, int gap)
      : rows_(static_cast<size_t>(rows)),
        columns_(static_cast<size_t>(columns)),
        pitch_((columns_ + static_cast<size_t>(gap)) * sizeof(float)),
        bytes_(2 * kGuardBytes + rows_ * pitch_, kForeign) {
    for (size_t i = 0; i < rows_; ++i) std::memset(row(i), kPoison, columns_ * sizeof(float));
  }

  cudaPitchedPtr view() { return make_cudaPitchedPtr(row(0), pitch_, columns_, rows_); }
  float* elements() { return reinterpret_cast<float*>(row(0)); }

  void assign(const npy::Array<float>& array) {
    if (array.values.size() != rows_ * columns_)
      npy::fail("in/", "an array has another size than the arguments say");
    for (size_t i = 0; i < rows_; ++i) {
      std::memcpy(row(i), array.values.data() + i * columns_, columns_ * sizeof(float));
    }
  }

  /// The elements without the gaps.
  std::vector<float> packed() const {
    std::vector<float> values(rows_ * columns_);
    for (size_t i = 0; i < rows_; ++i) {
      std::memcpy(values.data() + i * columns_, bytes_.data() + kGuardBytes + i * pitch_,
                  columns_ * sizeof(float));
    }
    return values;
  }

  /// Every byte that is no element: the guards and the gaps, in order.
  std::vector<uint8_t> outside() const {
    std::vector<uint8_t> found(bytes_.begin(), bytes_.begin() + kGuardBytes);
    for (size_t i = 0; i < rows_; ++i) {
      const auto start = bytes_.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + i * pitch_);
      found.insert(found.end(), start + static_cast<std::ptrdiff_t>(columns_ * sizeof(float)),
                   start + static_cast<std::ptrdiff_t>(pitch_));
    }
    found.insert(found.end(), bytes_.end() - kGuardBytes, bytes_.end());
    return found;
  }

  std::vector<size_t> shape() const { return {rows_, columns_}; }

 private:
  unsigned char* row(size_t i) { return bytes_.data() + kGuardBytes + i * pitch_; }

  size_t rows_, columns_, pitch_;
  std::vector<unsigned char> bytes_;
};

Options parse_options(int argc, char** argv) {
  Arguments args(argc, argv,
                 "M N K HEIGHT MAJOR [GAP] [verify]\n"
                 "  M N K   A is M x N, B is N x K, C = A * B is M x K\n"
                 "  HEIGHT  height of a thread block: 16 or 32\n"
                 "  MAJOR   run only on a device of this major compute capability\n"
                 "  GAP     unused floats behind each row of the host matrices (0)\n"
                 "  verify  compare both products with one computed on the host");
  Options options;
  options.verify = args.flag("verify");
  options.m = args.number("M", 1);
  options.n = args.number("N", 1);
  options.k = args.number("K", 1);
  options.block_height = args.number("HEIGHT", 1);
  options.required_major = args.number("MAJOR", 0);
  options.gap = args.optional_number("GAP", 0, 0);
  args.done();
  return options;
}

void try_wrap(const CaseFolder& folder, const Options& options) {
  std::vector<float> elements(static_cast<size_t>(options.m) * static_cast<size_t>(options.n));
  cudaPitchedPtr wrapped;
  {
    const Range range("wrap");
    wrapped = wrap_dense(elements.data(), options.m, options.n);
  }
  const uint64_t same_pointer = wrapped.ptr == elements.data() ? 1 : 0;
  folder.output<uint64_t>("wrapped", {4},
                          {wrapped.pitch, wrapped.xsize, wrapped.ysize, same_pointer});
}

void try_fill(const CaseFolder& folder) {
  constexpr int kRows = 9, kColumns = 11, kGap = 3;
  HostMatrix matrix(kRows, kColumns, kGap);
  {
    const Range range("fill");
    fill_random(matrix.view());
  }
  bool in_range = true;
  std::set<float> distinct;
  for (const float value : matrix.packed()) {
    if (value >= 0.0f && value <= 1.0f) {
      distinct.insert(value);
    } else {
      in_range = false;
    }
  }
  bool gap_untouched = true;
  for (const uint8_t byte : matrix.outside()) gap_untouched = gap_untouched && byte == kForeign;
  folder.output("random", matrix.shape(), matrix.packed());
  folder.output<int32_t>("random_facts", {3},
                         {in_range, distinct.size() > kRows * kColumns / 2, gap_untouched});
}

/// The index of the value that differs most from the first.
size_t farthest_from_first(const std::vector<float>& values) {
  const auto nearer = [&values](float one, float other) {
    return std::abs(one - values.front()) < std::abs(other - values.front());
  };
  return static_cast<size_t>(std::max_element(values.begin(), values.end(), nearer) -
                             values.begin());
}

/// Asks product_is_right about two right products, one of them rounded otherwise, and about five
/// wrong ones, the last of which has a right sum.
void try_verify(const CaseFolder& folder) {
  constexpr int kGap = 2;
  const auto matrix_of = [](const npy::Array<float>& array) {
    HostMatrix matrix(static_cast<int>(array.shape.at(0)), static_cast<int>(array.shape.at(1)),
                      kGap);
    matrix.assign(array);
    return matrix;
  };
  HostMatrix a = matrix_of(folder.input<float>("verify_a"));
  HostMatrix b = matrix_of(folder.input<float>("verify_b"));
  const npy::Array<float> right = folder.input<float>("verify_c");
  const auto answer = [&](const npy::Array<float>& values) {
    HostMatrix c = matrix_of(values);
    const Range range("verify");
    return product_is_right(c.view(), a.view(), b.view()) ? 1 : 0;
  };
  const auto with = [&right](size_t index, float wrong_value) {
    npy::Array<float> values = right;
    values.values.at(index) = wrong_value;
    return values;
  };
  npy::Array<float> rounded = right;
  for (float& value : rounded.values) value += value * std::numeric_limits<float>::epsilon();
  const size_t middle = right.values.size() / 2, last = right.values.size() - 1;
  const auto value = [&right](size_t index) { return right.values.at(index); };
  npy::Array<float> exchanged = right;
  std::swap(exchanged.values.at(0), exchanged.values.at(farthest_from_first(right.values)));
  folder.output<int32_t>(
      "verify", {7},
      {answer(right), answer(rounded), answer(with(0, value(0) * 1.005f)),
       answer(with(middle, value(middle) + 1.0f + std::abs(value(middle)) / 4)),
       answer(with(last, value(last) - 1.0f - std::abs(value(last)) / 4)),
       answer(with(middle, std::numeric_limits<float>::quiet_NaN())), answer(exchanged)});
}

/// The major compute capability of the device that select_device named, and whether it is the
/// current one. Where it named none: -1, and whether another device is current than was before.
std::vector<int32_t> device_facts(int device, int before) {
  cudaDeviceProp properties;
  int current = -1;
  if (device < 0) return {-1, cudaGetDevice(&current) != cudaSuccess || current != before};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaGetDevice(&current) != cudaSuccess) {
    return {-2, 0};
  }
  return {properties.major, current == device};
}

int choose_device(const Options& options) {
  const Range range("select");
  return select_device(options.required_major);
}

void print_setting(const Options& options, int device) {
  std::printf("A is M x N = %d x %d, B is N x K = %d x %d, C is M x K = %d x %d, blocks %d high\n",
              options.m, options.n, options.n, options.k, options.m, options.k,
              options.block_height);
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) {
    std::printf("device %d: %s (compute capability %d.%d)\n", device, properties.name,
                properties.major, properties.minor);
  } else {
    std::printf("device %d: there is none\n", device);
  }
}

float dense(const Options& options, cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const Range range("dense");
  return multiply_dense(c, a, b, options.block_height);
}

float padded(const Options& options, cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const Range range("padded");
  return multiply_padded(c, a, b, options.block_height);
}

void print_times(float dense_ms, float padded_ms) {
  std::printf("kernel time without padding: %.4f ms\n", dense_ms);
  std::printf("kernel time with padding: %.4f ms\n", padded_ms);
}

void print_verification(cudaPitchedPtr dense_c, cudaPitchedPtr padded_c, cudaPitchedPtr a,
                        cudaPitchedPtr b) {
  const Range range("verify");
  std::printf("product without padding: %s\n",
              product_is_right(dense_c, a, b) ? "accepted" : "rejected");
  std::printf("product with padding: %s\n",
              product_is_right(padded_c, a, b) ? "accepted" : "rejected");
}

int no_device(const Options& options) {
  std::printf("select_device found no device of compute capability %d.x, so nothing was run.\n",
              options.required_major);
  return 0;
}

int run_case(const CaseFolder& folder, const Options& options) {
  try_verify(folder);
  try_wrap(folder, options);
  try_fill(folder);
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess) before = -1;
  const int device = choose_device(options);
  folder.output("device", {2}, device_facts(device, before));
  if (device < 0) return no_device(options);
  print_setting(options, device);

  HostMatrix a(options.m, options.n, options.gap), b(options.n, options.k, options.gap);
  a.assign(folder.input<float>("A"));
  b.assign(folder.input<float>("B"));
  HostMatrix dense_c(options.m, options.k, options.gap),
      padded_c(options.m, options.k, options.gap);
  std::vector<float> times = {-1.0f, -1.0f};
  times[0] = dense(options, dense_c.view(), a.view(), b.view());
  folder.output("C_dense", dense_c.shape(), dense_c.packed());
  folder.output("times", {2}, times);
  times[1] = padded(options, padded_c.view(), a.view(), b.view());
  folder.output("C_padded", padded_c.shape(), padded_c.packed());
  folder.output("times", {2}, times);

  std::vector<uint8_t> gaps;
  for (const HostMatrix* matrix : {&a, &b, &dense_c, &padded_c}) {
    const std::vector<uint8_t> outside = matrix->outside();
    gaps.insert(gaps.end(), outside.begin(), outside.end());
  }
  folder.output("gaps", {gaps.size()}, gaps);
  print_times(times[0], times[1]);
  if (options.verify) print_verification(dense_c.view(), padded_c.view(), a.view(), b.view());
  return 0;
}

/// The student's own wrapping, which knows no gaps; the driver's where the host matrices have some.
cudaPitchedPtr wrap(HostMatrix& matrix, const Options& options) {
  const Range range("wrap");
  const std::vector<size_t> shape = matrix.shape();
  return options.gap > 0 ? matrix.view()
                         : wrap_dense(matrix.elements(), static_cast<int>(shape[0]),
                                      static_cast<int>(shape[1]));
}

int run_lab(const Options& options) {
  const int device = choose_device(options);
  if (device < 0) return no_device(options);
  print_setting(options, device);

  HostMatrix a_store(options.m, options.n, options.gap), b_store(options.n, options.k, options.gap);
  HostMatrix dense_store(options.m, options.k, options.gap),
      padded_store(options.m, options.k, options.gap);
  const cudaPitchedPtr a = wrap(a_store, options), b = wrap(b_store, options);
  const cudaPitchedPtr dense_c = wrap(dense_store, options), padded_c = wrap(padded_store, options);
  {
    const Range range("fill");
    fill_random(a);
    fill_random(b);
  }
  // The first launch of a kernel also loads it; what is printed is the second.
  dense(options, dense_c, a, b);
  padded(options, padded_c, a, b);
  const float dense_ms = dense(options, dense_c, a, b);
  const float padded_ms = padded(options, padded_c, a, b);
  print_times(dense_ms, padded_ms);
  if (options.verify) print_verification(dense_c, padded_c, a, b);
  return 0;
}

int program(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const std::optional<CaseFolder> folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, options) : run_lab(options);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
