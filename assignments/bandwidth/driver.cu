// SPDX-License-Identifier: MIT
// The program around a student's bandwidth.cu. By hand it prints the two curves as CSV and the table
// of bus utilisation. Under WARPGRADE_CASE it writes what the student's functions did to out/. It
// holds no expected result and judges nothing.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bandwidth.h"
#include "harness/harness.h"

namespace {

using namespace warpgrade::harness;

constexpr int kWarp = 32;
constexpr int kManyElements = 1 << 30;  // whose bytes no int can count

[[noreturn]] void give_up(const char* what, cudaError_t error) {
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory that holds these values, exactly as many.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }
  std::vector<T> values() const {
    std::vector<T> found(count_);
    check(cudaMemcpy(found.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return found;
  }

 private:
  size_t bytes() const { return count_ * sizeof(T); }
  static void check(cudaError_t error) {
    if (error != cudaSuccess) give_up("the driver's own memory", error);
  }

  T* data_ = nullptr;
  size_t count_;
};

template <class T>
void try_pass(const CaseFolder& folder, Access access, Type type, int n, int s) {
  const Range range("pass");
  DeviceArray<T> array(folder.input<T>("a").values);
  touch(access, type, array.data(), n, s);
  folder.output("a", array.values());
}

void try_pass(const CaseFolder& folder, Access access, Type type, int n, int s) {
  if (type == Type::kInt) return try_pass<int>(folder, access, type, n, s);
  if (type == Type::kFloat) return try_pass<float>(folder, access, type, n, s);
  try_pass<double>(folder, access, type, n, s);
}

int bytes_of(Type type) { return type == Type::kDouble ? 8 : 4; }

size_t rows_of(Access access) { return access == Access::kOffset ? kOffsetRows : kStrideRows; }

std::vector<Measurement> measure(Access access, Type type, int n) {
  const Range range("sweep");
  std::vector<Measurement> rows(rows_of(access), {-1, 0, 0});
  sweep(access, type, n, rows.data());
  return rows;
}

void try_rates(const CaseFolder& folder, Type type, int n) {
  const Range range("rate");
  std::vector<double> rates;
  for (const float ms : {1.0f, 0.25f, 3.0f}) rates.push_back(gb_per_s(n, bytes_of(type), ms));
  rates.push_back(gb_per_s(kManyElements, bytes_of(type), 4.0f));
  folder.output("rates", rates);
}

/// The rows' GB/s over what gb_per_s makes of their milliseconds.
std::vector<double> fit_of(const std::vector<Measurement>& rows, Type type, int n) {
  const Range range("fit");
  std::vector<double> fit;
  for (const Measurement& row : rows)
    fit.push_back(row.gb_per_s / gb_per_s(n, bytes_of(type), row.ms));
  return fit;
}

void try_rows(const CaseFolder& folder, Access access, Type type, int n) {
  const std::vector<Measurement> rows = measure(access, type, n);
  std::vector<int> s;
  std::vector<float> ms;
  for (const Measurement& row : rows) {
    s.push_back(row.s);
    ms.push_back(row.ms);
  }
  folder.output("s", s);
  folder.output("ms", ms);
  folder.output("fit", fit_of(rows, type, n));
}

/// A sweep of another type in the same process: its kernel is another one, whose code is not loaded yet.
void try_another_type(Access access, Type type) {
  constexpr int kFew = 256;
  const Range range("another_type");
  std::vector<Measurement> rows(rows_of(access));
  sweep(access, type == Type::kInt ? Type::kDouble : Type::kInt, kFew, rows.data());
}

void try_sweep(const CaseFolder& folder, Access access, Type type, int n) {
  part([&] { try_rates(folder, type, n); });
  part([&] { try_rows(folder, access, type, n); });
  part([&] { try_another_type(access, type); });
}

std::vector<int> gathered(Pattern pattern, const std::vector<int>& from, int n) {
  const Range range("gather");
  DeviceArray<int> source(from), result(std::vector<int>(n, -1));
  gather(pattern, result.data(), source.data(), n);
  return result.values();
}

void try_patterns(const CaseFolder& folder, int which, int n) {
  const std::vector<int> from = folder.input<int>("from").values;
  folder.output("to", gathered(static_cast<Pattern>(which), from, n));
}

void try_traffic(const CaseFolder& folder) {
  const auto addresses = folder.input<uint64_t>("addresses");
  const std::vector<int> element_bytes = folder.input<int>("element_bytes").values;
  std::vector<int> useful_bytes, lines, sectors;
  for (size_t warp = 0; warp < element_bytes.size(); ++warp) {
    const Traffic traffic = traffic_of(addresses.values.data() + warp * kWarp, element_bytes[warp]);
    useful_bytes.push_back(traffic.useful_bytes);
    lines.push_back(traffic.lines);
    sectors.push_back(traffic.sectors);
  }
  folder.output("useful_bytes", useful_bytes);
  folder.output("lines", lines);
  folder.output("sectors", sectors);
}

void print_sweep(Access access, Type type, int n) {
  std::printf("kind,s,ms,GB/s\n");
  for (const Measurement& row : measure(access, type, n))
    std::printf("%s,%d,%.6f,%.1f\n", access == Access::kOffset ? "offset" : "stride", row.s, row.ms,
                row.gb_per_s);
}

/// Counts what the second warp reads, where the words hold their own numbers.
void print_patterns() {
  constexpr const char* kNames[] = {"aligned", "permuted", "misaligned", "same word", "scattered"};
  std::vector<int> words(2 * kWarp * kWarp);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<int>(i);
  std::printf("%-12s%8s%8s%10s%16s%16s\n", "pattern", "useful", "lines", "sectors", "by lines",
              "by sectors");
  for (int which = 0; which < 5; ++which) {
    const std::vector<int> read = gathered(static_cast<Pattern>(which), words, 2 * kWarp);
    std::vector<uint64_t> addresses;
    for (int lane = 0; lane < kWarp; ++lane)
      addresses.push_back(4 * static_cast<uint64_t>(read[kWarp + lane]));
    const Traffic traffic = traffic_of(addresses.data(), 4);
    std::printf("%-12s%8d%8d%10d%14.3f %%%14.3f %%\n", kNames[which], traffic.useful_bytes,
                traffic.lines, traffic.sectors,
                100.0 * traffic.useful_bytes / (128 * traffic.lines),
                100.0 * traffic.useful_bytes / (32 * traffic.sectors));
  }
}

struct Options {
  std::string kind;
  Type type = Type::kFloat;
  int n = 0;
  int s = -1;  // none: sweep
};

constexpr const char* kUsage =
    "offset|stride int|float|double N   a row for each s, as CSV\n"
    "       bandwidth patterns                      bus utilisation";

Type type_of(const std::string& word) {
  if (word == "int") return Type::kInt;
  if (word == "float") return Type::kFloat;
  if (word == "double") return Type::kDouble;
  std::fprintf(stderr, "the type must be int, float or double, not '%s'\nusage: bandwidth %s\n",
               word.c_str(), kUsage);
  std::exit(2);
}

/// By hand nothing follows N or "patterns"; what may follow is for the grader's cases.
Options parse(int argc, char** argv) {
  Arguments arguments(argc, argv, kUsage);
  Options options;
  options.kind = arguments.word("offset, stride or patterns");
  if (options.kind == "offset" || options.kind == "stride") {
    options.type = type_of(arguments.word("the type"));
    options.n = arguments.number("N", 1);
    options.s = arguments.optional_number("S", 0, -1);
  } else {
    options.s = arguments.optional_number("PATTERN", 0, 0);
    options.n = arguments.optional_number("N", 1, 1);
  }
  arguments.done();
  return options;
}

int program(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const Access access = options.kind == "stride" ? Access::kStride : Access::kOffset;
  const auto folder = CaseFolder::from_environment();
  if (folder && options.kind == "traffic") {
    try_traffic(*folder);
  } else if (folder && options.kind == "patterns") {
    try_patterns(*folder, options.s, options.n);
  } else if (folder && options.s >= 0) {
    try_pass(*folder, access, options.type, options.n, options.s);
  } else if (folder) {
    try_sweep(*folder, access, options.type, options.n);
  } else if (options.kind == "patterns") {
    print_patterns();
  } else {
    print_sweep(access, options.type, options.n);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
