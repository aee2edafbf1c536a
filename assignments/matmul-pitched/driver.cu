// SPDX-License-Identifier: MIT
// The program around a student's matmul-pitched.cu. By hand it is the lab's program. Under
// WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did to out/. It
// holds no expected result and judges nothing.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/harness.h"
#include "matmul-pitched.h"

namespace {

namespace npy = warpgrade::npy_io;
using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::LockedRows;
using warpgrade::harness::part;
using warpgrade::harness::Questions;
using warpgrade::harness::Range;

constexpr unsigned char kPoison = 0xFF;  // as a float: NaN
// Fills gaps and guards. It differs from what fresh device memory holds, so that a copy of padding shows.
constexpr unsigned char kForeign = 0xA7;
constexpr size_t kGuardBytes = 64;  // before and behind each host matrix

struct Options {
  int m = 0, n = 0, k = 0;
  int block_height = 0, required_major = 0;
  int gap = 0, gap_b = 0, gap_c = 0;  // floats behind each row of the host matrices A, B and C
  bool verify = false;
};

/// A poisoned host matrix with `gap` floats of somebody else's behind each row and around the whole.
/// Spare bytes follow for copies that take its rows to be farther apart.
class HostMatrix {
 public:
  HostMatrix(int rows, int columns, int gap, unsigned char around = kForeign)
      : rows_(static_cast<size_t>(rows)),
        columns_(static_cast<size_t>(columns)),
        pitch_((columns_ + static_cast<size_t>(gap)) * sizeof(float)),
        bytes_(2 * kGuardBytes + rows_ * (pitch_ + kSpareRowBytes), around) {
    for (size_t i = 0; i < rows_; ++i) std::memset(row(i), kPoison, columns_ * sizeof(float));
  }
  ~HostMatrix() { warpgrade::harness::give_back_registration(elements()); }

  cudaPitchedPtr view() { return make_cudaPitchedPtr(row(0), pitch_, columns_, rows_); }
  float* elements() { return reinterpret_cast<float*>(row(0)); }

  void assign(const npy::Array<float>& array) {
    if (array.values.size() != rows_ * columns_)
      npy::fail("in/", "an array has another size than the arguments say");
    for (size_t i = 0; i < rows_; ++i)
      std::memcpy(row(i), array.values.data() + i * columns_, columns_ * sizeof(float));
  }

  /// The elements without the gaps.
  std::vector<float> packed() const {
    std::vector<float> values(rows_ * columns_);
    for (size_t i = 0; i < rows_; ++i)
      std::memcpy(&values[i * columns_], &bytes_[kGuardBytes + i * pitch_],
                  columns_ * sizeof(float));
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
    const auto behind = bytes_.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + rows_ * pitch_);
    found.insert(found.end(), behind, behind + kGuardBytes);
    return found;
  }

  std::vector<size_t> shape() const { return {rows_, columns_}; }

 private:
  static constexpr size_t kSpareRowBytes = 64;

  unsigned char* row(size_t i) { return bytes_.data() + kGuardBytes + i * pitch_; }

  size_t rows_, columns_, pitch_;
  std::vector<unsigned char> bytes_;
};

Options parse_options(int argc, char** argv) {
  Arguments args(argc, argv,
                 "M N K HEIGHT MAJOR [GAP [GAP_B GAP_C]] [verify]\n"
                 "  M N K   A is M x N, B is N x K, C = A * B is M x K\n"
                 "  HEIGHT  height of a thread block: 16 or 32\n"
                 "  MAJOR   run only on a device of this major compute capability\n"
                 "  GAP     unused floats behind each row of the host matrices (0)\n"
                 "  GAP_B, GAP_C  the same of B and of C (GAP)\n"
                 "  verify  compare both products with one computed on the host");
  Options options;
  options.verify = args.flag("verify");
  options.m = args.number("M", 1);
  options.n = args.number("N", 1);
  options.k = args.number("K", 1);
  options.block_height = args.number("HEIGHT", 1);
  options.required_major = args.number("MAJOR", 0);
  options.gap = args.optional_number("GAP", 0, 0);
  options.gap_b = args.optional_number("GAP_B", 0, options.gap);
  options.gap_c = args.optional_number("GAP_C", 0, options.gap);
  args.done();
  return options;
}

void try_wrap(const CaseFolder& folder, const Options& options) {
  // The wide matrix has no elements: whoever wraps it reads none.
  constexpr int kWideRows = 3, kWideColumns = 600'000'000;
  std::vector<float> elements(static_cast<size_t>(options.m) * static_cast<size_t>(options.n));
  std::vector<uint64_t> facts;
  const auto wrap = [&](int rows, int columns) {
    const Range range("wrap");
    const cudaPitchedPtr wrapped = wrap_dense(elements.data(), rows, columns);
    const uint64_t same_pointer = wrapped.ptr == elements.data() ? 1 : 0;
    facts.insert(facts.end(), {wrapped.pitch, wrapped.xsize, wrapped.ysize, same_pointer});
  };
  wrap(options.m, options.n);
  wrap(kWideRows, kWideColumns);
  folder.output("wrapped", facts);
}

void try_fill(const CaseFolder& folder) {
  constexpr int kRows = 9, kColumns = 11, kGap = 3;
  HostMatrix matrix(kRows, kColumns, kGap), second(kRows, kColumns, kGap);
  {
    const Range range("fill");
    fill_random(matrix.view());
    fill_random(second.view());
  }
  folder.output("random", matrix.shape(), matrix.packed());
  folder.output("random_second", second.shape(), second.packed());
  folder.output("random_outside", matrix.outside());
}

/// The index of the value that differs most from the first.
size_t farthest_from_first(const std::vector<float>& values) {
  const auto nearer = [&values](float one, float other) {
    return std::abs(one - values.front()) < std::abs(other - values.front());
  };
  return static_cast<size_t>(std::max_element(values.begin(), values.end(), nearer) -
                             values.begin());
}

/// A product and its factors, about which product_is_right is asked, whole or with one element changed.
/// The gaps behind the rows hold NaN, so that an answer that depends on them shows.
class Question {
 public:
  Question(const npy::Array<float>& a, const npy::Array<float>& b, npy::Array<float> c)
      : a_(matrix_of(a)), b_(matrix_of(b)), c_(std::move(c)) {}

  float value(size_t index) const { return c_.values.at(index); }
  size_t last() const { return c_.values.size() - 1; }
  const npy::Array<float>& product() const { return c_; }
  void ask(Questions& questions) const { ask(questions, c_); }
  void ask_with(Questions& questions, size_t index, float value) const {
    npy::Array<float> changed = c_;
    changed.values.at(index) = value;
    ask(questions, changed);
  }
  void ask_with_all(Questions& questions, float value) const {
    npy::Array<float> changed = c_;
    std::fill(changed.values.begin(), changed.values.end(), value);
    ask(questions, changed);
  }
  void ask(Questions& questions, const npy::Array<float>& product) const {
    questions.add([a = a_, b = b_, c = matrix_of(product)]() mutable {
      const Range range("verify");
      return product_is_right(c.view(), a.view(), b.view());
    });
  }

 private:
  static HostMatrix matrix_of(const npy::Array<float>& array) {
    constexpr int kGap = 2;
    HostMatrix matrix(static_cast<int>(array.shape.at(0)), static_cast<int>(array.shape.at(1)),
                      kGap, kPoison);
    matrix.assign(array);
    return matrix;
  }

  HostMatrix a_, b_;
  npy::Array<float> c_;
};

/// `from_row`: the first row of A and of the product that is scaled.
Question question(const CaseFolder& folder, const std::string& name, float scale = 1.0f,
                  size_t from_row = 0) {
  npy::Array<float> a = folder.input<float>((name + "_a").c_str());
  npy::Array<float> c = folder.input<float>((name + "_c").c_str());
  for (npy::Array<float>* scaled : {&a, &c})
    for (size_t i = from_row * scaled->shape.at(1); i < scaled->values.size(); ++i)
      scaled->values.at(i) *= scale;
  return {a, folder.input<float>((name + "_b").c_str()), std::move(c)};
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// About products of numbers from 0 to 1, one of them rounded otherwise; the one with two elements
/// exchanged has a right sum.
void ask_about_uniform(const Question& asked, Questions& questions) {
  npy::Array<float> rounded = asked.product(), exchanged = asked.product();
  for (float& value : rounded.values) value += value * std::numeric_limits<float>::epsilon();
  std::swap(exchanged.values.at(0), exchanged.values.at(farthest_from_first(exchanged.values)));
  const size_t last = asked.last(), middle = (last + 1) / 2;
  const auto far_from = [&](size_t index) { return 1.0f + std::abs(asked.value(index)) / 4; };
  asked.ask(questions);
  asked.ask(questions, rounded);
  asked.ask_with(questions, 0, asked.value(0) * 1.005f);
  asked.ask_with(questions, middle, asked.value(middle) + far_from(middle));
  asked.ask_with(questions, last, asked.value(last) - far_from(last));
  asked.ask_with(questions, middle, kNaN);
  asked.ask(questions, exchanged);
  asked.ask_with(questions, middle, kInfinity);
  asked.ask_with(questions, last, -kInfinity);
}

/// In place of a 0 whose terms are 0: more than a bound's absolute part, 1e-3, and less than one of 1e-2.
constexpr float kLittle = 0.003f;

/// About products of whole numbers: `places` are those of an element that is 0 since its row of A is, of
/// one that is 0 since its terms cancel, and of a negative one.
void ask_about_signs(const Question& asked, const std::vector<int32_t>& places,
                     Questions& questions) {
  const auto zero = static_cast<size_t>(places.at(0)),
             cancelled = static_cast<size_t>(places.at(1)),
             negative = static_cast<size_t>(places.at(2));
  asked.ask(questions);
  asked.ask_with(questions, zero, kLittle);
  asked.ask_with(questions, cancelled, 0.25f);
  asked.ask_with(questions, negative, 2 * asked.value(negative));
  asked.ask_with(questions, negative, -asked.value(negative));
  asked.ask_with(questions, zero, kNaN);
}

/// The answers of product_is_right, in the order of the rubric's words for them.
void try_verify(const CaseFolder& folder) {
  const Question uniform = question(folder, "verify");
  Questions questions;
  ask_about_uniform(uniform, questions);
  ask_about_signs(question(folder, "signs"), folder.input<int32_t>("signs_places").values,
                  questions);
  const Question small = question(folder, "verify", 1.0f / 1024),
                 uneven = question(folder, "verify", 1 << 18, 1), one = question(folder, "one");
  question(folder, "verify", 0.0f).ask(questions);
  small.ask(questions);
  small.ask_with(questions, small.last(), 0.0f);
  uneven.ask(questions);
  uneven.ask_with(questions, 0, 2 * uneven.value(0));
  one.ask(questions);
  one.ask_with(questions, 0, one.value(0) + 1.0f);
  folder.output("verify", questions.ask());
}

/// What product_is_right says where no float holds the product.
void try_too_large(const CaseFolder& folder) {
  const Question asked = question(folder, "verify", 1e38f);  // the product is infinity
  Questions questions;
  asked.ask(questions);
  asked.ask_with_all(questions, std::numeric_limits<float>::max());
  asked.ask_with_all(questions, 0.0f);
  folder.output("verify_too_large", questions.ask());
}

/// What product_is_right says of a right product and of a wrong one whose gaps are locked.
void try_locked_gaps(const CaseFolder& folder) {
  const auto lock = [](const npy::Array<float>& array) {
    return LockedRows<float>(array.shape.at(0), array.shape.at(1), array.values.data());
  };
  const auto view = [](LockedRows<float>& rows, const npy::Array<float>& array) {
    return make_cudaPitchedPtr(rows.data(), rows.pitch_bytes(), array.shape.at(1),
                               array.shape.at(0));
  };
  const npy::Array<float> a = folder.input<float>("verify_a"), b = folder.input<float>("verify_b"),
                          right = folder.input<float>("verify_c");
  npy::Array<float> wrong = right;
  wrong.values.back() = -right.values.back() - 1;
  LockedRows<float> locked_a = lock(a), locked_b = lock(b), locked_right = lock(right),
                    locked_wrong = lock(wrong);
  const cudaPitchedPtr view_a = view(locked_a, a), view_b = view(locked_b, b);
  const Range range("verify_gaps");
  folder.output<int32_t>("verify_gaps",
                         {product_is_right(view(locked_right, right), view_a, view_b),
                          product_is_right(view(locked_wrong, wrong), view_a, view_b)});
}

/// The major compute capability of the device that select_device named, and whether it is the
/// current one. Where it named none: -1, and whether another device is current than was before.
std::vector<int32_t> device_facts(int device, int before) {
  cudaDeviceProp properties;
  int current = -1;
  if (device < 0) return {-1, cudaGetDevice(&current) != cudaSuccess || current != before};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaGetDevice(&current) != cudaSuccess)
    return {-2, 0};
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
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess)
    std::printf("device %d: %s (compute capability %d.%d)\n", device, properties.name,
                properties.major, properties.minor);
  else
    std::printf("device %d: there is none\n", device);
}

/// Part 1 is "dense", part 2 "padded".
float multiply(const std::string& which, const Options& options, cudaPitchedPtr c, cudaPitchedPtr a,
               cudaPitchedPtr b) {
  const Range range(which.c_str());
  return (which == "dense" ? multiply_dense : multiply_padded)(c, a, b, options.block_height);
}

void print_verification(const char* which, cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  const Range range("verify");
  std::printf("product %s padding: %s\n", which,
              product_is_right(c, a, b) ? "accepted" : "rejected");
}

int no_device(int major) {
  std::printf("select_device found no device of compute capability %d.x, so nothing ran.\n", major);
  return 0;
}

/// What select_device did where the first device is current, and where the last one is. Nothing else
/// depends on it: the driver goes on with a device of its own.
void try_select(const CaseFolder& folder, const Options& options) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return;
  std::vector<int32_t> facts;
  for (const int before : {0, count - 1}) {
    if (cudaSetDevice(before) != cudaSuccess) return;
    for (const int32_t fact : device_facts(choose_device(options), before)) facts.push_back(fact);
  }
  folder.output("device", facts);
}

/// Makes the first device of the required capability the current one; -1 where there is none.
int make_fitting_device_current(int major) {
  int count = 0, found = -1;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return -1;
  cudaDeviceProp properties;
  for (int device = count - 1; device >= 0; --device)
    if (cudaGetDeviceProperties(&properties, device) == cudaSuccess && properties.major == major)
      found = device;
  return found >= 0 && cudaSetDevice(found) == cudaSuccess ? found : -1;
}

/// One of the two products, with host matrices of its own.
void try_product(const CaseFolder& folder, const Options& options, const std::string& name) {
  HostMatrix a(options.m, options.n, options.gap), b(options.n, options.k, options.gap_b),
      c(options.m, options.k, options.gap_c);
  a.assign(folder.input<float>("A"));
  b.assign(folder.input<float>("B"));
  const float ms = multiply(name, options, c.view(), a.view(), b.view());
  folder.output(("C_" + name).c_str(), c.shape(), c.packed());
  folder.output(("time_" + name).c_str(), std::vector<float>{ms});

  std::vector<uint8_t> gaps;
  for (const HostMatrix* matrix : {&a, &b, &c}) {
    const std::vector<uint8_t> outside = matrix->outside();
    gaps.insert(gaps.end(), outside.begin(), outside.end());
  }
  folder.output(("gaps_" + name).c_str(), gaps);
}

int run_case(const CaseFolder& folder, const Options& options) {
  part([&] { try_wrap(folder, options); });
  part([&] { try_fill(folder); });
  part([&] { try_select(folder, options); });
  const int device = make_fitting_device_current(options.required_major);
  if (device < 0) return no_device(options.required_major);
  print_setting(options, device);
  part([&] { try_product(folder, options, "dense"); });
  part([&] { try_product(folder, options, "padded"); });
  // Behind the products: what it shows the host comes too late to help with them.
  part([&] { try_verify(folder); });
  part([&] { try_too_large(folder); });
  part([&] { try_locked_gaps(folder); });
  return 0;
}

/// The student's own wrapping, which knows no gaps; the driver's where the host matrix has some.
cudaPitchedPtr wrap(HostMatrix& matrix, int gap) {
  const Range range("wrap");
  const cudaPitchedPtr view = matrix.view();
  const int rows = static_cast<int>(view.ysize), columns = static_cast<int>(view.xsize);
  return gap > 0 ? view : wrap_dense(matrix.elements(), rows, columns);
}

int run_lab(const Options& options) {
  const int device = choose_device(options);
  if (device < 0) return no_device(options.required_major);
  print_setting(options, device);
  HostMatrix a_store(options.m, options.n, options.gap),
      b_store(options.n, options.k, options.gap_b);
  HostMatrix dense_store(options.m, options.k, options.gap_c),
      padded_store(options.m, options.k, options.gap_c);
  const cudaPitchedPtr a = wrap(a_store, options.gap), b = wrap(b_store, options.gap_b);
  const cudaPitchedPtr dense_c = wrap(dense_store, options.gap_c),
                       padded_c = wrap(padded_store, options.gap_c);
  {
    const Range range("fill");
    fill_random(a);
    fill_random(b);
  }
  // The first launch of a kernel also loads it; what is printed is the second.
  multiply("dense", options, dense_c, a, b);
  multiply("padded", options, padded_c, a, b);
  std::printf("kernel time without padding: %.4f ms\n", multiply("dense", options, dense_c, a, b));
  std::printf("kernel time with padding: %.4f ms\n", multiply("padded", options, padded_c, a, b));
  if (options.verify) print_verification("without", dense_c, a, b);
  if (options.verify) print_verification("with", padded_c, a, b);
  return 0;
}

int program(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const std::optional<CaseFolder> folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, options) : run_lab(options);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
