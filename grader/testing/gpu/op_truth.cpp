// SPDX-License-Identifier: MIT
// Runs every line of emulator/testdata/*.ptx on a real GPU and compares with what the files expect,
// so that the files state what the hardware does. Needs NVIDIA's driver only when it runs.
//
//   op_truth FOLDER      exit status 0 when every line agrees, 77 without a GPU

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "testing/op_cases.h"

namespace {

using warpgrade::testing::bytes_of;
using warpgrade::testing::OpTest;
using warpgrade::testing::value_bits;

constexpr int kSkipped = 77;

using DevicePointer = unsigned long long;
enum JitOption : int { kErrorLog = 5, kErrorLogBytes = 6 };

/// The few calls of the CUDA driver API that are needed, found in libcuda.so.1.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) return;
    find("cuInit", init_);
    find("cuDeviceGet", device_get_);
    find("cuDeviceGetName", device_name_);
    find("cuDeviceGetAttribute", attribute_);
    find("cuDevicePrimaryCtxRetain", retain_);
    find("cuCtxSetCurrent", set_current);
    find("cuModuleLoadDataEx", load);
    find("cuModuleGetFunction", function);
    find("cuModuleUnload", unload);
    find("cuMemAlloc_v2", allocate);
    find("cuMemFree_v2", release);
    find("cuMemcpyHtoD_v2", to_device);
    find("cuMemcpyDtoH_v2", to_host);
    find("cuLaunchKernel", launch);
    find("cuCtxSynchronize", synchronize);
  }

  /// Makes the first GPU current; empty, or why there is none.
  std::string start() {
    int device = 0;
    void* context = nullptr;
    if (library_ == nullptr) return "libcuda.so.1 cannot be loaded";
    if (!complete_) return "libcuda.so.1 lacks a call that this program needs";
    if (init_(0) != 0 || device_get_(&device, 0) != 0) return "there is no GPU";
    if (retain_(&context, device) != 0 || set_current(context) != 0) return "no context";
    char name[128] = "";
    device_name_(name, sizeof name, device);
    int major = 0, minor = 0;
    attribute_(&major, 75, device);
    attribute_(&minor, 76, device);
    sm = 10 * major + minor;
    fmt::print("{}, sm_{}\n", name, sm);
    return {};
  }

  int sm = 0;
  int (*set_current)(void*) = nullptr;
  int (*load)(void**, const void*, unsigned, int*, void**) = nullptr;
  int (*function)(void**, void*, const char*) = nullptr;
  int (*unload)(void*) = nullptr;
  int (*allocate)(DevicePointer*, size_t) = nullptr;
  int (*release)(DevicePointer) = nullptr;
  int (*to_device)(DevicePointer, const void*, size_t) = nullptr;
  int (*to_host)(void*, DevicePointer, size_t) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  int (*synchronize)() = nullptr;

 private:
  template <class F>
  void find(const char* name, F& call) {
    call = reinterpret_cast<F>(dlsym(library_, name));
    complete_ = complete_ && call != nullptr;
  }

  void* library_ = nullptr;
  bool complete_ = true;
  int (*init_)(unsigned) = nullptr;
  int (*device_get_)(int*, int) = nullptr;
  int (*device_name_)(char*, int, int) = nullptr;
  int (*attribute_)(int*, int, int) = nullptr;
  int (*retain_)(void**, int) = nullptr;
};

/// What the PTX ISA allows an .approx result to be off by: relative, and absolute for sin and cos.
double tolerance(const OpTest& test) {
  const std::string& text = test.instruction;
  if (text.find(".approx") == std::string::npos && text.find(".full") == std::string::npos)
    return 0;
  if (test.result_type.starts_with("bf16")) return 0x1p-7;
  if (test.result_type.starts_with("f16")) return 0x1p-9;
  if (text.starts_with("tanh")) return 0x1p-10;
  return 0x1p-20;
}

double as_number(uint64_t bits, const std::string& type) {
  if (type == "f64") {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type == "f16") {
    const int exponent = static_cast<int>(bits >> 10 & 31),
              fraction = static_cast<int>(bits & 1023);
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
  const uint32_t word = static_cast<uint32_t>(type == "bf16" ? bits << 16 : bits);
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return static_cast<double>(value);
}

bool agree(const OpTest& test, uint64_t got, uint64_t expected) {
  if (warpgrade::testing::same_value(got, expected, test.result_type)) return true;
  const double allowed = tolerance(test);
  if (allowed == 0) return false;
  if (test.result_type.ends_with("x2")) {
    OpTest half = test;
    half.result_type.resize(test.result_type.size() - 2);
    return agree(half, got & 0xFFFF, expected & 0xFFFF) && agree(half, got >> 16, expected >> 16);
  }
  const double a = as_number(got, test.result_type), b = as_number(expected, test.result_type);
  return std::fabs(a - b) <= allowed * std::max(1.0, std::fabs(b));
}

class Gpu {
 public:
  explicit Gpu(const Driver& driver) : driver_(driver) {}
  ~Gpu() {
    for (const DevicePointer pointer : arrays_) driver_.release(pointer);
    if (module_ != nullptr) driver_.unload(module_);
  }

  /// Empty where the line agrees, else what differs.
  std::string run(const OpTest& test) {
    if (std::string error = load(test); !error.empty()) return error;
    const size_t out_bytes = test.cases.size() * bytes_of(test.result_type);
    std::vector<char> out(out_bytes);
    const DevicePointer out_array = array(out);
    for (size_t n = 0; n < test.types.size(); ++n) array(operand(test, n));
    std::vector<void*> parameters;
    for (DevicePointer& pointer : arrays_) parameters.push_back(&pointer);
    const int launched =
        driver_.launch(function_, 1, 1, 1, static_cast<unsigned>(test.cases.size()), 1, 1, 0,
                       nullptr, parameters.data(), nullptr);
    if (launched != 0) return fmt::format("cannot be launched (error {})", launched);
    if (const int error = driver_.synchronize(); error != 0)
      return fmt::format("fails (error {})", error);
    driver_.to_host(out.data(), out_array, out_bytes);
    return compare(test, out);
  }

 private:
  std::string load(const OpTest& test) {
    char log[2048] = "";
    int options[] = {kErrorLog, kErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    const std::string text = warpgrade::testing::op_kernel(test, driver_.sm);
    if (driver_.load(&module_, text.c_str(), 2, options, values) != 0)
      return fmt::format("is refused by the driver: {}", log);
    return driver_.function(&function_, module_, "test") == 0 ? "" : "has no kernel";
  }

  DevicePointer array(const std::vector<char>& bytes) {
    DevicePointer pointer = 0;
    driver_.allocate(&pointer, std::max<size_t>(bytes.size(), 16));
    driver_.to_device(pointer, bytes.data(), bytes.size());
    arrays_.push_back(pointer);
    return pointer;
  }

  static std::vector<char> operand(const OpTest& test, size_t index) {
    const unsigned bytes = bytes_of(test.types[index]);
    std::vector<char> values(test.cases.size() * bytes);
    for (size_t n = 0; n < test.cases.size(); ++n) {
      const uint64_t value = value_bits(test.cases[n].operands.at(index), test.types[index]);
      std::memcpy(values.data() + n * bytes, &value, bytes);
    }
    return values;
  }

  static std::string compare(const OpTest& test, const std::vector<char>& out) {
    const unsigned bytes = bytes_of(test.result_type);
    std::string differences;
    for (size_t n = 0; n < test.cases.size(); ++n) {
      uint64_t got = 0;
      std::memcpy(&got, out.data() + n * bytes, bytes);
      const uint64_t expected = value_bits(test.cases[n].expected, test.result_type);
      if (agree(test, got, expected)) continue;
      differences += fmt::format("{}case {}: expected {} (0x{:x}), the GPU says 0x{:x}",
                                 differences.empty() ? "" : "; ", n + 1, test.cases[n].expected,
                                 expected, got);
    }
    return differences;
  }

  const Driver& driver_;
  void *module_ = nullptr, *function_ = nullptr;
  std::vector<DevicePointer> arrays_;
};

int compare_all(const Driver& driver, const char* folder) {
  int same = 0, different = 0;
  for (const OpTest& test : warpgrade::testing::read_op_tests(folder)) {
    const std::string difference = Gpu(driver).run(test);
    if (difference.empty()) {
      ++same;
      continue;
    }
    ++different;
    fmt::print("{}:{}: {}\n    {}\n", test.file, test.line, test.instruction, difference);
  }
  fmt::print("{} lines agree, {} differ\n", same, different);
  return different == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: op_truth FOLDER\n");
    return 2;
  }
  Driver driver;
  if (const std::string reason = driver.start(); !reason.empty()) {
    fmt::print("{}\n", reason);
    return kSkipped;
  }
  return compare_all(driver, argv[1]);
}
