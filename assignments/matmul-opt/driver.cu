// SPDX-License-Identifier: MIT
// The program around a student's matmul-opt.cu. By hand it times the three kernels and prints a table
// in CSV. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did
// to out/. It holds no expected result and judges nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "matmul-opt.h"

namespace {

using namespace warpgrade::harness;

struct Variant {
  const char* name;    // of the range, and in the table
  const char* output;  // array
  void (*multiply)(cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b);
};
constexpr Variant kVariants[] = {
    {"one", "C_one", multiply_one}, {"two", "C_two", multiply_two}, {"own", "C_own", multiply_own}};

struct Options {
  int m, n, k, gap;
  std::string which;

  /// `lab` is the lab's two.
  bool runs(const Variant& variant) const {
    const bool own = std::string(variant.name) == "own";
    return which == variant.name || which == "all" || (which == "lab" && !own);
  }
};

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// A poisoned host matrix with `gap` more floats, poison too, behind each row.
class HostMatrix {
 public:
  HostMatrix(int rows, int columns, int gap)
      : rows_(static_cast<size_t>(rows)),
        columns_(static_cast<size_t>(columns)),
        stride_(columns_ + static_cast<size_t>(gap)),
        store_(rows_ * stride_) {}

  cudaPitchedPtr view() {
    return make_cudaPitchedPtr(store_.data(), stride_ * sizeof(float), columns_, rows_);
  }
  std::vector<size_t> shape() const { return {rows_, columns_}; }
  void assign(const std::vector<float>& values) {
    if (values.size() != rows_ * columns_) warpgrade::npy_io::fail("in/", "wrong size");
    for (size_t i = 0; i < rows_; ++i)
      std::copy_n(&values[i * columns_], columns_, store_.data() + i * stride_);
  }
  std::vector<float> values() const {
    const std::vector<float> all = store_.values();
    std::vector<float> packed;
    for (size_t i = 0; i < rows_; ++i)
      packed.insert(packed.end(), &all[i * stride_], &all[i * stride_] + columns_);
    return packed;
  }
  /// Whether gaps and guards are as they were. A gap is NaN as long as nobody writes there.
  bool untouched() const {
    const std::vector<float> all = store_.values();
    bool same = store_.untouched();
    for (size_t at = 0; at < all.size(); ++at)
      same = same && (at % stride_ < columns_ || std::isnan(all[at]));
    return same;
  }

 private:
  size_t rows_, columns_, stride_;
  Guarded<float> store_;
};

/// The upper left corner of a device matrix; empty where it cannot be copied.
std::vector<float> corner_of(cudaPitchedPtr matrix, size_t rows, size_t columns) {
  std::vector<float> values(rows * columns);
  const size_t row_bytes = columns * sizeof(float);
  const cudaError_t copied = cudaMemcpy2D(values.data(), row_bytes, matrix.ptr, matrix.pitch,
                                          row_bytes, rows, cudaMemcpyDeviceToHost);
  return copied == cudaSuccess ? values : std::vector<float>();
}

/// Everything of a device matrix, as large as allocate_padded says that it is.
void show(const CaseFolder& folder, const char* name, cudaPitchedPtr matrix) {
  constexpr size_t kMostElements = 1 << 26;
  if (matrix.xsize > kMostElements || matrix.ysize > kMostElements / (matrix.xsize + 1)) return;
  const std::vector<float> all = corner_of(matrix, matrix.ysize, matrix.xsize);
  if (!all.empty()) folder.output(name, {matrix.ysize, matrix.xsize}, all);
}

/// C's memory holds NaN before the kernel runs.
void poison(cudaPitchedPtr matrix) {
  require(cudaMemset2D(matrix.ptr, matrix.pitch, 0xFF, matrix.xsize * sizeof(float), matrix.ysize));
}

/// Gives a device matrix all its elements, those of `values` and zeros around them.
void fill(cudaPitchedPtr matrix, const std::vector<float>& values, int columns) {
  std::vector<float> all(matrix.xsize * matrix.ysize);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto width = static_cast<size_t>(columns);
    all[i / width * matrix.xsize + i % width] = values[i];
  }
  const size_t row_bytes = matrix.xsize * sizeof(float);
  require(cudaMemcpy2D(matrix.ptr, matrix.pitch, all.data(), row_bytes, row_bytes, matrix.ysize,
                       cudaMemcpyHostToDevice));
}

/// The matrices of one case on the device: those that allocate_padded made, where it is tried, and the driver's
/// own for all others.
class DeviceMatrices {
 public:
  explicit DeviceMatrices(const Options& o)
      : sizes_{{o.m, o.n}, {o.n, o.k}, {o.m, o.k}}, gap_(static_cast<size_t>(o.gap)) {}
  ~DeviceMatrices() {
    for (const cudaPitchedPtr& matrix : made_) cudaFree(matrix.ptr);
  }
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;

  cudaPitchedPtr& a() { return matrices_[0]; }
  cudaPitchedPtr& b() { return matrices_[1]; }
  cudaPitchedPtr& c() { return matrices_[2]; }

  void allocate_by_student() {
    for (size_t i = 0; i < kCount; ++i)
      made_.push_back(matrices_[i] = allocate_padded(sizes_[i].rows, sizes_[i].columns));
  }
  void allocate_pitched() {
    for (size_t i = 0; i < kCount; ++i) {
      const size_t columns = in_tiles(sizes_[i].columns), rows = in_tiles(sizes_[i].rows);
      cudaPitchedPtr& matrix = matrices_[i];
      matrix = make_cudaPitchedPtr(nullptr, 0, columns, rows);
      const size_t spare_bytes = i * gap_ * sizeof(float);
      require(
          cudaMallocPitch(&matrix.ptr, &matrix.pitch, columns * sizeof(float) + spare_bytes, rows));
      made_.push_back(matrix);
    }
  }
  /// Replaces what has another shape than the contract says, or no such memory.
  void replace_unusable() {
    for (size_t i = 0; i < kCount; ++i) {
      const size_t rows = in_tiles(sizes_[i].rows), columns = in_tiles(sizes_[i].columns);
      cudaPitchedPtr& matrix = matrices_[i];
      const bool has_shape = matrix.ysize == rows && matrix.xsize == columns &&
                             matrix.pitch >= columns * sizeof(float);
      if (has_shape &&
          cudaMemset2D(matrix.ptr, matrix.pitch, 0, columns * sizeof(float), rows) == cudaSuccess)
        continue;
      cudaGetLastError();
      matrix = make_cudaPitchedPtr(nullptr, columns * sizeof(float), columns, rows);
      require(cudaMalloc(&matrix.ptr, matrix.pitch * rows));
      made_.push_back(matrix);
    }
  }

 private:
  struct Size {
    int rows, columns;
  };
  static constexpr size_t kCount = 3;
  static size_t in_tiles(int size) { return (static_cast<size_t>(size) + 31) / 32 * 32; }

  Size sizes_[kCount];
  size_t gap_;  ///< so many floats more behind the rows of B, and twice as many behind those of C
  cudaPitchedPtr matrices_[kCount] = {};
  std::vector<cudaPitchedPtr> made_;
};

void try_padded(const CaseFolder& folder) {
  std::vector<int> sizes;
  const Range range("padded");
  for (const int size : folder.input<int>("sizes").values) sizes.push_back(padded(size));
  folder.output("padded", sizes);
}

/// Inside of the range and in the default stream, the driver looks at what a function wrote, or overwrites what it
/// read: work that the function started and that is not in order with this shows as a race.
void try_allocation(const CaseFolder& folder, DeviceMatrices& matrices) {
  const Range range("allocate");
  matrices.allocate_by_student();
  const cudaPitchedPtr a = matrices.a(), b = matrices.b(), c = matrices.c();
  folder.output<uint64_t>("shapes", {3, 2}, {a.ysize, a.xsize, b.ysize, b.xsize, c.ysize, c.xsize});
  show(folder, "C_fresh", c);
}

/// Into matrices that hold nothing but zeros.
void try_upload(const CaseFolder& folder, const Options& o, DeviceMatrices& matrices,
                const std::vector<float>& a, const std::vector<float>& b) {
  HostMatrix host_a(o.m, o.n, o.gap), host_b(o.n, o.k, o.gap);
  host_a.assign(a);
  host_b.assign(b);
  {
    const Range range("upload");
    upload(matrices.a(), host_a.view());
    upload(matrices.b(), host_b.view());
    show(folder, "A_padded", matrices.a());
    show(folder, "B_padded", matrices.b());
  }
  folder.output<int>("around_uploads", {host_a.untouched() && host_b.untouched() ? 1 : 2});
}

/// Downloads A, which the driver has brought to the device.
void try_download(const CaseFolder& folder, const Options& o, DeviceMatrices& matrices) {
  HostMatrix host(o.m, o.n, o.gap);
  {
    const Range range("download");
    download(host.view(), matrices.a());
    folder.output("A_back", host.shape(), host.values());
    poison(matrices.a());
  }
  folder.output<int>("around_download", {host.untouched() ? 1 : 2});
}

void try_product(const CaseFolder& folder, const Options& o, const Variant& variant,
                 DeviceMatrices& matrices) {
  const auto rows = static_cast<size_t>(o.m), columns = static_cast<size_t>(o.k);
  std::vector<float> values;
  poison(matrices.c());
  {
    const Range range(variant.name);
    variant.multiply(matrices.c(), matrices.a(), matrices.b());
    values = corner_of(matrices.c(), rows, columns);
  }
  if (values.empty()) require(cudaGetLastError());
  folder.output(variant.output, {rows, columns}, values);
}

/// Each function is tried alone: the driver fills what it gets.
int run_case(const CaseFolder& folder, const Options& o) {
  const std::vector<float> a = folder.input<float>("A").values, b = folder.input<float>("B").values;
  const bool is_lab = o.which == "lab";
  DeviceMatrices matrices(o);
  part([&] { try_padded(folder); });
  // Elsewhere a kernel that sets zeros would count as time of the product.
  if (is_lab) {
    part([&] { try_allocation(folder, matrices); });
  } else {
    matrices.allocate_pitched();
  }
  matrices.replace_unusable();
  if (is_lab) part([&] { try_upload(folder, o, matrices, a, b); });
  for (const Variant& variant : kVariants) {
    if (!o.runs(variant)) continue;
    fill(matrices.a(), a, o.n);
    fill(matrices.b(), b, o.k);
    part([&] { try_product(folder, o, variant, matrices); });
  }
  // Last: what comes back is what the device holds.
  fill(matrices.a(), a, o.n);
  if (is_lab) part([&] { try_download(folder, o, matrices); });
  return 0;
}

/// The largest relative difference of some rows of C from products computed here.
double difference(const Options& o, const HostMatrix& a, const HostMatrix& b, const HostMatrix& c) {
  const std::vector<float> left = a.values(), right = b.values(), found = c.values();
  const size_t n = static_cast<size_t>(o.n), k = static_cast<size_t>(o.k);
  double largest = 0;
  for (int row = 0; row < o.m; row += std::max(1, o.m / 16)) {
    std::vector<double> sums(k);
    for (size_t e = 0; e < n; ++e)
      for (size_t j = 0; j < k; ++j) sums[j] += double(left[row * n + e]) * right[e * k + j];
    for (size_t j = 0; j < k; ++j) {
      const double error = std::fabs(found[row * k + j] / sums[j] - 1);
      largest = error <= largest ? largest : error;  // keeps a NaN
    }
  }
  return largest;
}

/// The best of several launches; the first also loads the kernel and does not count.
float best_ms(const Variant& variant, cudaPitchedPtr c, cudaPitchedPtr a, cudaPitchedPtr b) {
  constexpr int kRuns = 5;
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start));
  require(cudaEventCreate(&stop));
  float best = INFINITY, ms = 0;
  for (int run = 0; run <= kRuns; ++run) {
    require(cudaEventRecord(start));
    variant.multiply(c, a, b);
    require(cudaEventRecord(stop));
    require(cudaEventSynchronize(stop));
    require(cudaEventElapsedTime(&ms, start, stop));
    if (run > 0) best = std::min(best, ms);
  }
  require(cudaEventDestroy(start));
  require(cudaEventDestroy(stop));
  return best;
}

int run_by_hand(const Options& o, bool verify) {
  HostMatrix host_a(o.m, o.n, o.gap), host_b(o.n, o.k, o.gap), host_c(o.m, o.k, o.gap);
  for (HostMatrix* matrix : {&host_a, &host_b}) {
    std::vector<float> values = matrix->values();
    for (float& value : values) value = static_cast<float>(rand()) / static_cast<float>(RAND_MAX);
    matrix->assign(values);
  }
  const cudaPitchedPtr a = allocate_padded(o.m, o.n), b = allocate_padded(o.n, o.k),
                       c = allocate_padded(o.m, o.k);
  upload(a, host_a.view());
  upload(b, host_b.view());
  std::printf("variant,M,N,K,ms,gflops%s\n", verify ? ",difference" : "");
  for (const Variant& variant : kVariants) {
    if (!o.runs(variant)) continue;
    poison(c);
    const float ms = best_ms(variant, c, a, b);
    std::printf("%s,%d,%d,%d,%.4f,%.1f", variant.name, o.m, o.n, o.k, ms,
                2e-6 * o.m * o.n * o.k / ms);
    download(host_c.view(), c);
    if (verify) std::printf(",%.2g", difference(o, host_a, host_b, host_c));
    std::printf("\n");
  }
  for (const cudaPitchedPtr& matrix : {a, b, c}) require(cudaFree(matrix.ptr));
  return 0;
}

int program(int argc, char** argv) {
  Arguments arguments(
      argc, argv,
      "M N K [VARIANT] [GAP] [verify]\n"
      "  M N K    A is M x N, B is N x K, C = A * B is M x K\n"
      "  VARIANT  one, two, own, lab (one and two) or all (all)\n"
      "  GAP      unused floats behind each row of the host matrices (0); of a case of own\n"
      "           alone: behind the rows of the device's B, and twice as many behind C's\n"
      "  verify   compare with products computed on the host");
  const bool verify = arguments.flag("verify");
  if (arguments.flag("second")) require(cudaSetDevice(1));  // the grader's own
  Options o = {0, 0, 0, 0, "all"};
  for (const char* which : {"one", "two", "own", "lab", "all"})
    if (arguments.flag(which)) o.which = which;
  for (int* size : {&o.m, &o.n, &o.k}) *size = arguments.number("a size", 1);
  o.gap = arguments.optional_number("GAP", 0, 0);
  arguments.done();
  const auto folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, o) : run_by_hand(o, verify);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
