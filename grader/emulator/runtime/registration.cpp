// SPDX-License-Identifier: MIT
// What the start-up code that nvcc generates calls before main(). Nothing is decoded here: a
// program that never launches pays for none of its device code.
#include <fmt/format.h>

#include "emulator/runtime/kernels.h"

namespace warpgrade::emulator {
namespace {

DeviceImage* image_of(void** handle) { return reinterpret_cast<DeviceImage*>(handle); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* const code = static_cast<const __fatBinC_Wrapper_t*>(wrapper);
  Machine& only = machine(code);
  const std::lock_guard lock(only.mutex);
  return reinterpret_cast<void**>(only.program.add_image(*code));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(machine().mutex);
  machine().program.remove_image(image_of(handle));
}

/// Called before the host's first use of a __managed__ variable, whose initial value is in the PTX.
char __cudaInitModule(void** handle) {
  ApiCall call("__managed__");
  call.leave_no_record();
  cudaError_t error = cudaSuccess;
  load_image(call, *image_of(handle), error);
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(machine().mutex);
  machine().program.add_kernel(image_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int,
                       int) {
  const std::lock_guard lock(machine().mutex);
  machine().program.add_variable(image_of(handle), host, name, size);
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t size,
                              int, int) {
  const std::lock_guard lock(machine().mutex);
  DeviceImage* const image = image_of(handle);
  const auto memory = machine().memory.allocate_host(size, fmt::format("the variable {}", name),
                                                     HostMemory::variable);
  if (!memory) return;
  *host = reinterpret_cast<void*>(memory->begin);
  image->add_managed(name, memory->begin);
  // The program's code names the variable by its pointer or by its value.
  machine().program.add_variable(image, host, name, size);
  machine().program.add_variable(image, *host, name, size);
}

}  // extern "C"
}  // namespace warpgrade::emulator
