// SPDX-License-Identifier: MIT
#include "observe/injection/kernel_facts.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpgrade::injection {
namespace {

constexpr size_t kMostParameters = 4096;

/// The buffer with all parameters, where the launch was given one.
const char* buffer_of(void** extra) {
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<const char*>(extra[1]);
  }
  return nullptr;
}

bool place_of(const LaunchRequest& request, const Driver& driver, size_t index, size_t& offset,
              size_t& size) {
  if (driver.function_parameter(request.function, index, &offset, &size) == CUDA_SUCCESS)
    return true;
  return driver.kernel_parameter(reinterpret_cast<CUkernel>(request.function), index, &offset,
                                 &size) == CUDA_SUCCESS;
}

}  // namespace

std::vector<std::string> parameters_of(const LaunchRequest& request, const Driver& driver) {
  std::vector<std::string> parameters;
  const char* const buffer = buffer_of(request.extra);
  size_t offset = 0, size = 0;
  for (size_t i = 0; i < kMostParameters && place_of(request, driver, i, offset, size); ++i) {
    const char* bytes = nullptr;
    if (request.arguments != nullptr) {
      bytes = static_cast<const char*>(request.arguments[i]);
    } else if (buffer != nullptr) {
      bytes = buffer + offset;
    }
    if (bytes == nullptr) break;
    parameters.emplace_back(bytes, size);
  }
  return parameters;
}

int static_shared_bytes_of(const LaunchRequest& request, const Driver& driver) {
  int bytes = 0;
  constexpr CUfunction_attribute kWanted = CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
  if (driver.function_attribute(&bytes, kWanted, request.function) == CUDA_SUCCESS) return bytes;
  CUdevice device = 0;
  if (driver.context_device(&device) != CUDA_SUCCESS) return 0;
  const auto kernel = reinterpret_cast<CUkernel>(request.function);
  return driver.kernel_attribute(&bytes, kWanted, kernel, device) == CUDA_SUCCESS ? bytes : 0;
}

std::string name_of(const LaunchRequest& request, const Driver& driver) {
  const char* name = nullptr;
  const bool named =
      driver.function_name(&name, request.function) == CUDA_SUCCESS ||
      driver.kernel_name(&name, reinterpret_cast<CUkernel>(request.function)) == CUDA_SUCCESS;
  return named && name != nullptr ? name : "";
}

std::string demangled(const std::string& name) {
  // What nvcc makes of a static function's name under -rdc=true.
  if (const size_t own = name.find("_Z"); name.starts_with("__nv_static_") && own != name.npos)
    return demangled(name.substr(own));
  if (!name.starts_with("_Z")) return name;  // a type by the demangler's rules: "f" is float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string hex_of(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace warpgrade::injection
