// SPDX-License-Identifier: MIT
// What the start-up code that nvcc generates calls before main(). Nothing is decoded here: a
// program that never launches pays for none of its device code.
#include "emulator/runtime/api.h"

namespace warpgrade::emulator {
namespace {

DeviceImage* image_of(void** handle) { return reinterpret_cast<DeviceImage*>(handle); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard lock(machine().mutex);
  return reinterpret_cast<void**>(
      machine().program.add_image(*static_cast<const __fatBinC_Wrapper_t*>(wrapper)));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  const std::lock_guard lock(machine().mutex);
  machine().program.remove_image(image_of(handle));
}

char __cudaInitModule(void**) { return 0; }

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
  ApiCall call("__managed__");
  call.leave_no_record();
  call.find("unsupported", std::string("the __managed__ variable ") + name +
                               " is not supported: use cudaMallocManaged");
  // The host's side must be there all the same, since the program reads it without asking.
  const auto memory = call.machine().memory.allocate_host(size, "a __managed__ variable");
  if (memory.ok()) *host = reinterpret_cast<void*>(memory->begin);
  call.machine().program.add_variable(image_of(handle), host, name, size);
}

}  // extern "C"
}  // namespace warpgrade::emulator
