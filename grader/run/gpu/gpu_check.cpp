// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_check.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace warpgrade {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr unsigned kPattern = 0x5A17C0DE;
constexpr size_t kWords = size_t{1} << 18;

/// Calls functions of the driver API by name; after the first that fails, none.
class Driver {
 public:
  explicit Driver(void* library) : library_(library) {}

  template <class... Arguments>
  void call(const char* name, Arguments... arguments) {
    if (!fault_.empty()) return;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
    const int status = function == nullptr ? -1 : function(arguments...);
    if (status != 0) fault_ = fmt::format("{}: {}", name, text_of(status));
  }
  const std::string& fault() const { return fault_; }

 private:
  std::string text_of(int status) const {
    const auto describe =
        reinterpret_cast<int (*)(int, const char**)>(::dlsym(library_, "cuGetErrorString"));
    const char* text = nullptr;
    const bool known = describe != nullptr && describe(status, &text) == 0 && text != nullptr;
    return known ? fmt::format("error {}, {}", status, text) : fmt::format("error {}", status);
  }

  void* library_;
  std::string fault_;
};

}  // namespace

Status check_gpu() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{fmt::format("{} was not found", kLibrary)};
  Driver driver(library);
  int device = 0;
  void* context = nullptr;
  unsigned long long memory = 0;
  std::vector<unsigned> words(kWords);
  driver.call("cuInit", 0u);
  driver.call("cuDeviceGet", &device, 0);
  driver.call("cuDevicePrimaryCtxRetain", &context, device);
  driver.call("cuCtxSetCurrent", context);
  driver.call("cuMemAlloc_v2", &memory, kWords * sizeof(unsigned));
  driver.call("cuMemsetD32_v2", memory, kPattern, kWords);
  driver.call("cuMemcpyDtoH_v2", static_cast<void*>(words.data()), memory,
              kWords * sizeof(unsigned));
  if (!driver.fault().empty()) return Error{driver.fault()};
  const bool right =
      std::all_of(words.begin(), words.end(), [](unsigned word) { return word == kPattern; });
  return right ? Status() : Error{"its memory does not hold what was written to it"};
}

}  // namespace warpgrade
