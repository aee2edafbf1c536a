// SPDX-License-Identifier: MIT
// The program around a student's matmul-tiled.cu. By hand it multiplies random matrices and prints
// the kernel's time. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's
// functions did to out/. It holds no expected result and judges nothing.
#include "matmul-tiled.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/harness.h"

namespace {

using namespace warpgrade::harness;

constexpr unsigned char kPoison = 0xFF;   // as a float: NaN
constexpr unsigned char kForeign = 0xA7;  // as a float: a small number, unlike any result

struct Options {
  int m, n, k, tile;
  int gap, gap_b, gap_c;  // of A, B and C
};

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// A matrix cut out of a larger one: `gap` floats of somebody else's stand in each row around it,
/// and a row of them above and below. Without a gap it is the whole. More of them follow on the host
/// alone, so that rows which are too far apart do not end the program.
class Cut {
 public:
  Cut(int rows, int columns, int gap, unsigned char around, unsigned char inside)
      : rows_(static_cast<size_t>(rows)),
        columns_(static_cast<size_t>(columns)),
        stride_(columns_ + static_cast<size_t>(gap)),
        first_(gap > 0 ? stride_ + static_cast<size_t>(gap) / 2 : 0),
        size_((rows_ + (gap > 0 ? 2 : 0)) * stride_),
        store_(size_ + rows_ * kMostGap) {
    std::memset(store_.data(), around, store_.size() * sizeof(float));
    for (size_t i = 0; i < rows_; ++i)
      std::memset(&store_[first_ + i * stride_], inside, columns_ * sizeof(float));
  }
  ~Cut() { give_back_registration(view().elements); }

  Matrix view(float* store) const {
    return {static_cast<int>(columns_), static_cast<int>(rows_), static_cast<int>(stride_),
            store + first_};
  }
  Matrix view() { return view(store_.data()); }
  std::vector<float>& store() { return store_; }
  size_t bytes() const { return size_ * sizeof(float); }
  std::vector<size_t> shape() const { return {rows_, columns_}; }

  void assign(const std::vector<float>& values) {
    if (values.size() != rows_ * columns_) warpgrade::npy_io::fail("in/", "wrong size");
    for (size_t i = 0; i < rows_; ++i)
      std::copy_n(&values[i * columns_], columns_, &store_[first_ + i * stride_]);
  }
  std::vector<float> values() const {
    std::vector<float> packed(rows_ * columns_);
    for (size_t i = 0; i < rows_; ++i)
      std::copy_n(&store_[first_ + i * stride_], columns_, &packed[i * columns_]);
    return packed;
  }
  /// Elements around it whose bytes are not all kForeign any more.
  int changed_around() const {
    int changed = 0;
    for (size_t i = 0; i < store_.size(); ++i) {
      const size_t column = i < first_ ? columns_ : (i - first_) % stride_;
      if (i >= first_ && column < columns_ && (i - first_) / stride_ < rows_) continue;
      unsigned char bytes[sizeof(float)];
      std::memcpy(bytes, &store_[i], sizeof bytes);
      changed += std::any_of(bytes, bytes + sizeof bytes, [](auto b) { return b != kForeign; });
    }
    return changed;
  }

 private:
  static constexpr size_t kMostGap = 32;

  size_t rows_, columns_, stride_, first_;
  size_t size_;  // of what lies on the device, too
  std::vector<float> store_;
};

struct Matrices {
  Cut a, b, c;
  explicit Matrices(const Options& o)
      : a(o.m, o.n, o.gap, kPoison, kPoison),
        b(o.n, o.k, o.gap_b, kPoison, kPoison),
        c(o.m, o.k, o.gap_c, kForeign, kPoison) {}
};

/// With all that lies around it.
float* to_device(Cut& cut) {
  float* memory = nullptr;
  require(cudaMalloc(&memory, cut.bytes()));
  require(cudaMemcpy(memory, cut.store().data(), cut.bytes(), cudaMemcpyHostToDevice));
  return memory;
}

/// Its elements alone: a kernel that reads around them reads what nothing has written.
float* elements_to_device(Cut& cut) {
  float* memory = nullptr;
  require(cudaMalloc(&memory, cut.bytes()));
  const Matrix to = cut.view(memory), from = cut.view();
  const size_t pitch = sizeof(float) * static_cast<size_t>(from.stride);
  require(cudaMemcpy2D(to.elements, pitch, from.elements, pitch,
                       sizeof(float) * static_cast<size_t>(from.width),
                       static_cast<size_t>(from.height), cudaMemcpyHostToDevice));
  return memory;
}

/// width, height, stride and place in A of every tile of A, row by row.
void try_tiles(const CaseFolder& folder, const Options& o, Matrix a) {
  std::vector<int> facts;
  const Range range("tiles");
  for (int row = 0; row * o.tile < a.height; ++row) {
    for (int col = 0; col * o.tile < a.width; ++col) {
      const Matrix sub = GetSubMatrix(a, row, col, o.tile);
      const auto offset =
          static_cast<int>(sub.elements == nullptr ? -1 : sub.elements - a.elements);
      facts.insert(facts.end(), {sub.width, sub.height, sub.stride, offset});
    }
  }
  folder.output("tiles", {facts.size() / 4, 4}, facts);
}

void try_device(const CaseFolder& folder, const Options& o, Matrices& matrices) {
  float *a = elements_to_device(matrices.a), *b = elements_to_device(matrices.b),
        *c = to_device(matrices.c);
  const Matrix device_c = matrices.c.view(c), host_c = matrices.c.view();
  const size_t pitch = sizeof(float) * static_cast<size_t>(host_c.stride);
  {
    const Range range("device");
    MatMulOnDevice(matrices.a.view(a), matrices.b.view(b), device_c, o.tile);
    require(cudaMemcpy2D(host_c.elements, pitch, device_c.elements, pitch,
                         sizeof(float) * static_cast<size_t>(o.k), static_cast<size_t>(o.m),
                         cudaMemcpyDeviceToHost));
  }
  folder.output("C_device", matrices.c.shape(), matrices.c.values());
  require(cudaMemcpy(matrices.c.store().data(), c, matrices.c.bytes(), cudaMemcpyDeviceToHost));
  folder.output<int>("around_device", {matrices.c.changed_around()});
  for (float* memory : {a, b, c}) require(cudaFree(memory));
}

void try_host(const CaseFolder& folder, const Options& o, Matrices matrices) {
  {
    const Range range("host");
    MatMul(matrices.a.view(), matrices.b.view(), matrices.c.view(), o.tile);
  }
  folder.output("C_host", matrices.c.shape(), matrices.c.values());
  folder.output<int>("around_host", {matrices.c.changed_around()});
}

/// A copy of a part of a larger matrix, from its first element to its last. Reading behind the last ends the program.
LockedRows<float> spanned(const Matrix& part) {
  const size_t columns = static_cast<size_t>(part.height - 1) * static_cast<size_t>(part.stride) +
                         static_cast<size_t>(part.width);
  return {1, columns, part.elements};
}

/// A and B stand in the lower right corner of larger matrices, at the end of the memory that there is.
void try_corner(const CaseFolder& folder, const Options& o, Matrices& matrices) {
  Matrix a = matrices.a.view(), b = matrices.b.view();
  LockedRows<float> end_of_a = spanned(a), end_of_b = spanned(b);
  a.elements = end_of_a.data();
  b.elements = end_of_b.data();
  Cut c(o.m, o.k, o.gap_c, kForeign, kPoison);
  {
    const Range range("corner");
    MatMul(a, b, c.view(), o.tile);
  }
  folder.output("C_corner", c.shape(), c.values());
}

/// Each function gets copies of its own, so that what one does wrong costs nothing of the next.
int run_case(const CaseFolder& folder, const Options& o) {
  Matrices matrices(o);
  matrices.a.assign(folder.input<float>("A").values);
  matrices.b.assign(folder.input<float>("B").values);
  part([&] { try_tiles(folder, o, matrices.a.view()); });
  part([&] { try_host(folder, o, matrices); });
  part([&] { try_device(folder, o, matrices); });
  if (o.gap > 0 && o.gap_b > 0) part([&] { try_corner(folder, o, matrices); });
  return 0;
}

void print_difference(const Options& o, Matrices& matrices) {
  const std::vector<float> a = matrices.a.values(), b = matrices.b.values(),
                           c = matrices.c.values();
  double largest = 0;
  for (int i = 0; i < o.m; ++i) {
    for (int j = 0; j < o.k; ++j) {
      double sum = 0;
      for (int e = 0; e < o.n; ++e) sum += double(a[i * size_t(o.n) + e]) * b[e * size_t(o.k) + j];
      const double error = std::fabs(c[i * size_t(o.k) + j] / sum - 1);
      largest = error <= largest ? largest : error;  // keeps a NaN
    }
  }
  std::printf("largest relative difference from the host's product: %.2g\n", largest);
}

int run_by_hand(const Options& o, bool verify) {
  constexpr int kRuns = 5;
  Matrices matrices(o);
  for (Cut* cut : {&matrices.a, &matrices.b}) {
    std::vector<float> values = cut->values();
    for (float& value : values) value = 0.5f + static_cast<float>(rand()) / RAND_MAX;
    cut->assign(values);
  }
  float *a = elements_to_device(matrices.a), *b = elements_to_device(matrices.b),
        *c = to_device(matrices.c);
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start));
  require(cudaEventCreate(&stop));
  float best = INFINITY, ms = 0;
  for (int run = 0; run <= kRuns; ++run) {  // the first also loads the kernel
    require(cudaEventRecord(start));
    MatMulOnDevice(matrices.a.view(a), matrices.b.view(b), matrices.c.view(c), o.tile);
    require(cudaEventRecord(stop));
    require(cudaEventSynchronize(stop));
    require(cudaEventElapsedTime(&ms, start, stop));
    if (run > 0) best = std::min(best, ms);
  }
  std::printf("A is %d x %d, B is %d x %d, tiles of %d x %d\n", o.m, o.n, o.n, o.k, o.tile, o.tile);
  std::printf("kernel: %.4f ms, %.1f GFLOP/s\n", best, 2e-6 * o.m * o.n * o.k / best);
  for (float* memory : {a, b, c}) require(cudaFree(memory));
  require(cudaEventDestroy(start));
  require(cudaEventDestroy(stop));
  MatMul(matrices.a.view(), matrices.b.view(), matrices.c.view(), o.tile);
  if (verify) print_difference(o, matrices);
  return 0;
}

int program(int argc, char** argv) {
  Arguments arguments(argc, argv,
                      "M N K TILE [GAP [GAP_B GAP_C]] [verify]\n"
                      "  M N K   A is M x N, B is N x K, C = A * B is M x K\n"
                      "  TILE    16 or 32\n"
                      "  GAP     other floats in each row around the matrices (0)\n"
                      "  GAP_B   the same of B (GAP)\n"
                      "  GAP_C   the same of C (GAP)\n"
                      "  verify  compare with a product computed on the host");
  const bool verify = arguments.flag("verify");
  Options o = {};
  for (int* size : {&o.m, &o.n, &o.k}) *size = arguments.number("a size", 1);
  o.tile = arguments.number("TILE", 16);
  o.gap = arguments.optional_number("GAP", 0, 0);
  o.gap_b = arguments.optional_number("GAP_B", 0, o.gap);
  o.gap_c = arguments.optional_number("GAP_C", 0, o.gap);
  arguments.done();
  const auto folder = CaseFolder::from_environment();
  return folder ? run_case(*folder, o) : run_by_hand(o, verify);
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
